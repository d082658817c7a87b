#include "trainyard/base/echoed.hpp"

#include <cstddef>

#include <fmt/format.h>

#include "trainyard/base/error.hpp"

namespace trainyard {

namespace {

constexpr std::size_t most_characters = 80;

unsigned byte_at(std::string_view text, std::size_t place) {
  return static_cast<unsigned char>(text[place]);
}

/// The bytes of the character that `text` begins with; 0 where it begins with none (RFC 3629:
/// no overlong forms, no surrogates, nothing above U+10FFFF).
std::size_t character_bytes(std::string_view text) {
  const unsigned lead = byte_at(text, 0);
  if (lead < 0x80U) return 1;
  if (lead < 0xC2U || lead > 0xF4U) return 0;
  const std::size_t count = lead < 0xE0U ? 2 : lead < 0xF0U ? 3 : 4;
  if (text.size() < count) return 0;
  for (std::size_t i = 1; i < count; ++i) {
    if ((byte_at(text, i) & 0xC0U) != 0x80U) return 0;
  }
  const unsigned second = byte_at(text, 1);
  const bool overlong = (lead == 0xE0U && second < 0xA0U) || (lead == 0xF0U && second < 0x90U);
  const bool beyond = (lead == 0xEDU && second > 0x9FU) || (lead == 0xF4U && second > 0x8FU);
  return overlong || beyond ? 0 : count;
}

/// U+0000 to U+001F, U+007F and U+0080 to U+009F; what turns the direction of the text around it
/// (Unicode's annex 9: U+061C, U+200E, U+200F, U+202A to U+202E, U+2066 to U+2069), so that a name
/// looks like another; and what ends a line (U+2028, U+2029).
bool is_control(std::string_view character) {
  const unsigned lead = byte_at(character, 0);
  if (character.size() == 1) return lead < 0x20U || lead == 0x7FU;
  const unsigned second = byte_at(character, 1);
  if (character.size() == 2) {
    return (lead == 0xC2U && second < 0xA0U) || (lead == 0xD8U && second == 0x9CU);
  }
  if (lead != 0xE2U || character.size() != 3) return false;
  const unsigned third = byte_at(character, 2);
  if (second == 0x80U)
    return third == 0x8EU || third == 0x8FU || (third >= 0xA8U && third <= 0xAEU);
  return second == 0x81U && third >= 0xA6U && third <= 0xA9U;
}

/// The first character of a text, or the byte that begins none.
struct First {
  std::string_view character;
  bool prints = false;
};

First first_of(std::string_view text) {
  const std::size_t count = character_bytes(text);
  const std::string_view character = text.substr(0, count == 0 ? 1 : count);
  return {character, count > 0 && !is_control(character)};
}

std::string escaped(std::string_view bytes) {
  std::string result;
  for (const char c : bytes) result += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
  return result;
}

}  // namespace

std::string echoed(std::string_view text) {
  std::string result = "'";
  std::size_t shown = 0;
  while (!text.empty()) {
    if (shown >= most_characters) return result + "…'";
    const First first = first_of(text);
    if (first.prints) {
      result += first.character;
      ++shown;
    } else {
      result += escaped(first.character);
      shown += 4 * first.character.size();
    }
    text.remove_prefix(first.character.size());
  }
  return result + "'";
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t count = character_bytes(text);
    if (count == 0) return false;
    text.remove_prefix(count);
  }
  return true;
}

std::string printable(std::string_view message) {
  std::string result;
  while (!message.empty()) {
    const First first = first_of(message);
    const bool stays = first.prints || first.character == "\n" || first.character == "\t";
    result += stays ? std::string(first.character) : escaped(first.character);
    message.remove_prefix(first.character.size());
  }
  return result;
}

std::string shortened(std::string_view message) {
  constexpr std::size_t first = 1000, last = 490;
  if (message.size() <= first + last) return std::string(message);
  const auto continues = [&](std::size_t place) {
    return (byte_at(message, place) & 0xC0U) == 0x80U;
  };
  std::size_t end_of_first = first;
  while (end_of_first > 0 && continues(end_of_first)) --end_of_first;
  std::size_t begin_of_last = message.size() - last;
  while (begin_of_last < message.size() && continues(begin_of_last)) ++begin_of_last;
  return fmt::format("{} … {}", message.substr(0, end_of_first), message.substr(begin_of_last));
}

void refuse_empty(std::string_view what, std::string_view expected) {
  throw UsageError(fmt::format("{}: the value is empty; expected {}", what,
                               expected.empty() ? "true or false" : expected));
}

}  // namespace trainyard
