#include "data/digit_map.hpp"

#include <string>

#include "trainyard/base/random.hpp"

#include "support/catch.hpp"

namespace trainyard {

namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// How many of the bits that mean something are wrong, from every place of the text on.
std::size_t wrong_bits(const DigitMap& map, const std::string& text) {
  std::size_t wrong = 0;
  for (std::size_t place = 0; place <= text.size(); ++place) {
    const std::uint64_t bits = map.from(text.data() + place);
    for (std::size_t i = 0; i < DigitMap::reach; ++i) {
      const bool digit = place + i < text.size() && is_digit(text[place + i]);
      if (((bits >> i & 1U) == 0) != digit) ++wrong;
    }
    if (bits >> 63U != 1) ++wrong;
  }
  return wrong;
}

}  // namespace

TEST_CASE("a digit map tells digits from all other characters", "[data]") {
  std::string text;
  for (int c = 0; c < 256; ++c) text += {static_cast<char>(c), '5'};
  DigitMap map;
  map.read(text);
  CHECK(wrong_bits(map, text) == 0);
}

TEST_CASE("a digit map of a text of any length has nothing but marks behind it", "[data]") {
  RandomStream random(7, Purpose::data_generator);
  DigitMap map;  // one for all: what the text before left is not seen
  for (std::size_t length = 0; length < 300; ++length) {
    std::string text(length, '0');
    for (char& c : text) c = "0123456789. :-"[random.below(14)];
    CAPTURE(length, text);
    map.read(text);
    CHECK(wrong_bits(map, text) == 0);
  }
}

}  // namespace trainyard
