#include "data/encodings.hpp"

#include <algorithm>

#include "trainyard/base/echoed.hpp"

namespace trainyard {

namespace {

std::string utf8_of_latin1(std::string_view text) {
  std::string utf8;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80) {
      utf8 += c;
      continue;
    }
    utf8 += static_cast<char>(0xC0U | (byte >> 6U));
    utf8 += static_cast<char>(0x80U | (byte & 0x3FU));
  }
  return utf8;
}

/// Characters up to U+00FF are bytes 0xC2 and 0xC3 and one more.
std::string latin1_of_utf8(std::string_view text) {
  std::string latin1;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte < 0x80) {
      latin1 += text[i];
      continue;
    }
    if (byte > 0xC3) return "";
    latin1 +=
        static_cast<char>(((byte & 0x03U) << 6U) | (static_cast<unsigned char>(text[++i]) & 0x3FU));
  }
  return latin1;
}

}  // namespace

std::string in_other_encoding(std::string_view text) {
  const auto is_ascii = [](char c) { return static_cast<unsigned char>(c) < 0x80; };
  if (std::ranges::all_of(text, is_ascii)) return "";
  return is_utf8(text) ? latin1_of_utf8(text) : utf8_of_latin1(text);
}

}  // namespace trainyard
