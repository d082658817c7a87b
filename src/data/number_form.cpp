#include "data/number_form.hpp"

#include <algorithm>
#include <charconv>

namespace trainyard {

namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// A number's parts: its sign, what is before an exponent, and the exponent with its letter.
struct NumberParts {
  std::string_view sign, body, exponent;
};

NumberParts number_parts(std::string_view text) {
  NumberParts parts;
  if (!text.empty() && (text.front() == '-' || text.front() == '+')) {
    parts.sign = text.substr(0, 1);
    text.remove_prefix(1);
  }
  const std::size_t end = std::min(text.find_first_of("eE"), text.size());
  parts.body = text.substr(0, end);
  parts.exponent = text.substr(end);
  return parts;
}

bool is_exponent(std::string_view text) {
  if (text.empty()) return true;
  text.remove_prefix(1);
  if (!text.empty() && (text.front() == '-' || text.front() == '+')) text.remove_prefix(1);
  return !text.empty() && std::ranges::all_of(text, is_digit);
}

/// "1,234,567": one to three digits, and groups of three. A zero begins no such number.
bool is_grouped(std::string_view text, char mark) {
  const std::size_t first = text.find(mark);
  if (first == std::string_view::npos || first == 0 || first > 3 || text.front() == '0') {
    return false;
  }
  for (std::size_t at = first; at < text.size(); at += 4) {
    if (text[at] != mark || text.size() - at < 4) return false;
    if (!std::ranges::all_of(text.substr(at + 1, 3), is_digit)) return false;
  }
  return std::ranges::all_of(text.substr(0, first), is_digit);
}

bool is_whole(std::string_view text) {
  return std::ranges::all_of(text, is_digit);
}

/// Digits before `decimal`, which may be in groups, and digits behind it.
bool is_decimal(std::string_view body, char decimal) {
  const std::size_t at = body.find(decimal);
  if (at == std::string_view::npos) return false;
  const std::string_view before = body.substr(0, at);
  const std::string_view behind = body.substr(at + 1);
  if (before.empty() && behind.empty()) return false;
  return is_whole(behind) && (is_whole(before) || is_grouped(before, decimal == ',' ? '.' : ','));
}

}  // namespace

NumberForm number_form(std::string_view text) {
  const NumberParts parts = number_parts(text);
  if (parts.body.empty() || !is_exponent(parts.exponent)) return NumberForm::no_number;
  if (is_whole(parts.body)) return NumberForm::whole;
  // "192.168.100.200" is no number, but an address.
  if (is_grouped(parts.body, '.')) return NumberForm::either_point;
  const bool by_point = is_decimal(parts.body, '.') || is_grouped(parts.body, ',');
  const bool by_comma = is_decimal(parts.body, ',');
  if (by_point && by_comma) return NumberForm::either_comma;
  if (by_point) return NumberForm::point;
  return by_comma ? NumberForm::comma : NumberForm::no_number;
}

std::string plain_number_text(std::string_view text, char decimal) {
  const NumberParts parts = number_parts(text);
  const char mark = decimal == ',' ? '.' : ',';
  const bool is_number =
      !parts.body.empty() && is_exponent(parts.exponent) &&
      (is_whole(parts.body) || is_decimal(parts.body, decimal) || is_grouped(parts.body, mark));
  if (!is_number) return "";
  std::string plain(parts.sign);
  for (const char c : parts.body) {
    if (c == mark) continue;
    plain += c == decimal ? '.' : c;
  }
  plain += parts.exponent;
  return plain;
}

std::optional<NumberUnit> number_unit(std::string_view text) {
  constexpr std::size_t most_bytes = 8;
  constexpr std::string_view digits = "0123456789";
  const std::size_t first = text.find_first_of(digits);
  if (first > most_bytes) return {};  // npos is, too
  const std::size_t end = text.find_first_not_of("0123456789.,", first);
  const std::string_view number = text.substr(first, end - first);
  NumberUnit unit{std::string(text.substr(0, first)),
                  end == std::string_view::npos ? "" : std::string(text.substr(end))};
  std::erase_if(unit.before, [](char c) { return c == '-' || c == '+'; });
  const auto is_letter = [](char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); };
  const bool is_unit = !(unit.before.empty() && unit.behind.empty()) &&
                       unit.behind.size() <= most_bytes &&
                       std::ranges::none_of(unit.before, is_letter) &&
                       unit.behind.find_first_of(digits) == std::string::npos;
  if (!is_unit || number_form(number) == NumberForm::no_number) return {};
  return unit;
}

std::optional<long> whole_number(std::string_view text) {
  long value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (text.empty() || error != std::errc{} || stop != end) return {};
  return value;
}

}  // namespace trainyard
