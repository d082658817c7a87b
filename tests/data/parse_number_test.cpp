#include "data/parse_number.hpp"

#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>

#include <fmt/format.h>

#include "trainyard/base/random.hpp"

#include "support/catch.hpp"

namespace trainyard {

namespace {

ParsedFloat parse(const std::string& text) {
  return parse_float(text.data(), text.data() + text.size());
}

/// The C library's strtof rounds correctly: same bits wanted.
bool agrees_with_strtof(const std::string& text) {
  const ParsedFloat parsed = parse(text);
  const float expected = std::strtof(text.c_str(), nullptr);
  return parsed.fault == NumberFault::none && parsed.end == text.data() + text.size() &&
         std::bit_cast<std::uint32_t>(parsed.value) == std::bit_cast<std::uint32_t>(expected);
}

}  // namespace

TEST_CASE("numbers in every notation have the bits that strtof gives them", "[data]") {
  for (const char* text : {"0",
                           "-0",
                           "+0",
                           "1",
                           "-1",
                           "+1",
                           "0.5",
                           ".5",
                           "5.",
                           "1e3",
                           "1E3",
                           "1e+3",
                           "1e-3",
                           "9.8e-05",
                           "16777216",
                           "16777217",
                           "16777219",
                           "0.1",
                           "0.123456789",
                           "123456789012345678901234567890",
                           "0.00000000000000000000000000000000000000000000000001",
                           "1e-45",
                           "7e-46",
                           "1e-400",
                           "3.4028234e38",
                           "3.4028235e38",
                           "0.0000152587890625",
                           "1.00000005960464477539062500001",
                           "8388608.5",
                           "8388609.5",
                           "0000000000000000000000001.5",
                           "18446744073709551621"}) {
    INFO(text);
    CHECK(agrees_with_strtof(text));
  }
}

TEST_CASE("random numbers have the bits that strtof gives them", "[data]") {
  const std::uint64_t seed = 20240611;
  INFO("seed " << seed);
  RandomStream random(seed, Purpose::data_generator);
  int wrong = 0;
  for (int i = 0; i < 200'000; ++i) {
    std::string text;
    switch (random.below(4)) {
      case 0:
        text = fmt::format("{:.{}g}", random.normal(), 1 + random.below(12));
        break;
      case 1:
        text = fmt::format("{}.{}", random.below(100'000), random.below(1'000'000'000));
        break;
      case 2:
        text = fmt::format("{}", random.next_u64() >> random.below(60));
        break;
      default:  // any float at all, in as many digits as tell it from its neighbours
        text = fmt::format("{:.9g}", std::bit_cast<float>(random.next_u32() & 0x7f7fffffU));
    }
    if (!agrees_with_strtof(text)) {
      ++wrong;
      UNSCOPED_INFO("wrong: " << text);
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("what is no finite number is told by kind", "[data]") {
  for (const char* text : {"", "-", "+", ".", "e5", "x", "--1", "+-1", " 1", "-e"}) {
    INFO(text);
    const std::string copy = text;
    CHECK(parse(copy).fault == NumberFault::not_a_number);
  }
  for (const char* text : {"nan", "NaN", "-nan", "inf", "-inf", "+Infinity"}) {
    INFO(text);
    const std::string copy = text;
    CHECK(parse(copy).fault == NumberFault::not_finite);
  }
  for (const char* text : {"1e39", "3.5e38", "-1e400", "1e99999"}) {
    INFO(text);
    const std::string copy = text;
    CHECK(parse(copy).fault == NumberFault::too_large);
  }
}

TEST_CASE("a number ends where its characters end", "[data]") {
  const std::string text = "12.5e:7";
  CHECK(parse(text).end == text.data() + 4);
  CHECK(parse(text).value == 12.5F);
}

TEST_CASE("indices are whole numbers up to 2^31 - 1", "[data]") {
  const auto index = [](const std::string& text) {
    const ParsedIndex parsed = parse_index(text.data(), text.data() + text.size());
    return std::pair(parsed.too_large ? 0 : parsed.value, parsed.too_large);
  };
  CHECK(index("1") == std::pair<std::uint64_t, bool>(1, false));
  CHECK(index("2147483647") == std::pair<std::uint64_t, bool>(2'147'483'647, false));
  CHECK(index("2147483648").second);
  CHECK(index("1000000000000").second);
  CHECK(index("99999999999999999999999999999999").second);
  CHECK(index("18446744073709551617").second);  // 2^64 + 1
  CHECK(index("007") == std::pair<std::uint64_t, bool>(7, false));
}

}  // namespace trainyard
