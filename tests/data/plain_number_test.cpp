#include "data/plain_number.hpp"

#include <charconv>
#include <cmath>
#include <string>
#include <tuple>
#include <vector>

#include <fmt/format.h>

#include "trainyard/base/random.hpp"

#include "support/catch.hpp"

namespace trainyard {

namespace {

/// What may be read behind a number, digits among it.
const std::string behind = " 7:1.25 8:2.5 9:3.75 10:4.0 11:5 12:6 13:7 14:8 15:9 16:10 17:11 1";

struct Found {
  PlainFloat number;
  float expected = 0.0F;
  std::ptrdiff_t length = 0;  // of what std::from_chars takes
};

Found find(const std::string& number, const std::string& follows = behind) {
  const std::string text = number + follows;
  DigitMap map;
  map.read(text);
  const std::uint64_t marks = map.from(text.data());
  Found found{.number = plain_float(text.data(), 0, marks, marks & ~std::uint64_t{1})};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), found.expected);
  found.length = end - text.data();
  return found;
}

std::uint32_t bits_of(float value) {
  return std::bit_cast<std::uint32_t>(value);
}

bool is_right(const Found& found) {
  return found.number.end == found.length && bits_of(found.number.value) == bits_of(found.expected);
}

std::string digits(RandomStream& random, std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += static_cast<char>('0' + random.below(10));
  return text;
}

}  // namespace

TEST_CASE("numbers of the plain form have the bits that from_chars gives them", "[data]") {
  for (const char* text : {"0",
                           "-0",
                           "1",
                           "-1",
                           "9",
                           "10",
                           "12345678",
                           "-12345678",
                           "16777217",
                           "33554435",
                           "5.",
                           "-5.",
                           "0.5",
                           "-0.5",
                           "0.0",
                           "-0.000000",
                           "00.5",
                           "1.0",
                           "0.123456",
                           "-0.123456",
                           "2345678.5",
                           "8388608.5",
                           "8388609.5",
                           "1.0000001",
                           "0.04970182",
                           "12345678.12345678",
                           "0.049739925375619",
                           "9007199.254740991",
                           "0.1234567",
                           "1.2345678",
                           "00000000.00000001"}) {
    CAPTURE(text);
    CHECK(is_right(find(text)));
    CHECK(is_right(find(text, ",-1" + behind)));
    CHECK(is_right(find(text, "\r\n" + behind)));
  }
}

TEST_CASE("numbers of other forms are left to others", "[data]") {
  for (const char* text : {"", "-", "+1", ".5", "12345678.5", "-.5", "--1", "nan", "inf", "x", " 1",
                           "123456789", "123456789.5", "0.1234567890123456", "12.123456789012345",
                           "9007199254740993", "99.99999999999999", "12345678901234567890"}) {
    CAPTURE(text);
    CHECK(find(text).number.end == 0);
  }
  // A long run of digits that ends beyond what is known of the text.
  CHECK(find(std::string(100, '1')).number.end == 0);
  CHECK(find("1." + std::string(100, '1')).number.end == 0);
  // The first number ends where its form does; who asked sees what follows.
  for (const char* text : {"1e5", "1.5e-3", "1.2.3", "5x", "7:8"}) {
    CAPTURE(text);
    const PlainFloat number = find(text).number;
    REQUIRE(number.end > 0);
    CHECK(std::string("e.x:").find(text[number.end]) != std::string::npos);
  }
}

TEST_CASE("random numbers of the plain form have the bits that from_chars gives them", "[data]") {
  RandomStream random(20261123, Purpose::data_generator);
  int wrong = 0, plain = 0, all = 0;
  for (int i = 0; i < 300'000; ++i) {
    std::string text = random.below(2) == 0 ? "-" : "";
    text += digits(random, 1 + random.below(8));
    if (random.below(8) != 0) text += "." + digits(random, random.below(9));
    ++all;
    const Found found = find(text);
    if (found.number.end == 0) continue;  // halfway, or too many digits
    ++plain;
    if (!is_right(found)) ++wrong;
  }
  CHECK(wrong == 0);
  CHECK(plain > all * 99 / 100);
}

TEST_CASE("numbers near halfway between two floats have the bits that from_chars gives them",
          "[data]") {
  // Half a unit in the last place from a float, written with as many decimals as it takes or fewer.
  RandomStream random(5, Purpose::data_generator);
  int wrong = 0, left = 0;
  for (int i = 0; i < 100'000; ++i) {
    const auto whole = static_cast<double>(random.below(1 << 23)) + (1 << 23);
    const double halfway = std::ldexp(whole + 0.5, -static_cast<int>(random.below(24)));
    const std::string text = fmt::format("{:.{}f}", halfway, random.below(12));
    const Found found = find(text);
    if (found.number.end == 0) {
      ++left;
    } else if (!is_right(found)) {
      ++wrong;
    }
  }
  CHECK(wrong == 0);
  CHECK(left > 0);
}

TEST_CASE("a plain number is found behind an index", "[data]") {
  DigitMap map;
  for (const char* text : {"1:2", "12345678:-0.25", "7:-1", "7:1", "12:1.5", "12:-1.5"}) {
    CAPTURE(text);
    const std::string line = text + behind;
    map.read(line);
    const std::uint64_t marks = map.from(line.data());
    const auto colon = static_cast<unsigned>(line.find(':'));
    const PlainFloat number =
        plain_float(line.data(), colon + 1, marks, without_first_marks(marks));
    CHECK(number.end == std::string(text).size());
    CHECK(number.value == std::stof(line.substr(colon + 1)));
  }
  for (const char* text : {"1:", "1:-", "1:.5", "1:-.5", "1:--5", "1::5", "1:+5", "1: 5"}) {
    CAPTURE(text);
    const std::string line = text + behind;
    map.read(line);
    const std::uint64_t marks = map.from(line.data());
    CHECK(plain_float(line.data(), 2, marks, without_first_marks(marks)).end == 0);
  }
}

TEST_CASE("digits are a whole number", "[data]") {
  RandomStream random(3, Purpose::data_generator);
  for (unsigned count = 1; count <= 8; ++count) {
    for (int i = 0; i < 100; ++i) {
      const std::string text = digits(random, count);
      CHECK(value_of_digits(eight_characters((text + "x:1.5 ,7").data()), count) ==
            std::stoull(text));
    }
  }
}

}  // namespace trainyard
