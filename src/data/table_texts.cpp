// The options of tables as texts.
#include <array>
#include <cstdint>

#include <fmt/format.h>

#include "trainyard/base/echoed.hpp"
#include "trainyard/base/error.hpp"
#include "trainyard/data/table.hpp"

#include "data/number_form.hpp"

namespace trainyard {

namespace {

const std::array<std::string, 3> header_names{"auto", "yes", "no"};
const std::array<std::string, 3> missing_names{"error", "mean", "drop"};

struct NamedDelimiter {
  std::string_view name;
  char delimiter;
};
constexpr std::array<NamedDelimiter, 6> delimiters{
    {{"auto", 0}, {",", ','}, {";", ';'}, {"|", '|'}, {"tab", '\t'}, {"blanks", ' '}}};

}  // namespace

HeaderLine parse_header_line(std::string_view text, std::string_view what) {
  return static_cast<HeaderLine>(chosen(text, what, header_names));
}

std::string header_line_text(HeaderLine header) {
  return header_names[static_cast<std::size_t>(header)];
}

MissingFields parse_missing_fields(std::string_view text, std::string_view what) {
  return static_cast<MissingFields>(chosen(text, what, missing_names));
}

std::string missing_fields_text(MissingFields missing) {
  return missing_names[static_cast<std::size_t>(missing)];
}

char parse_delimiter(std::string_view text, std::string_view what) {
  for (const NamedDelimiter& one : delimiters) {
    if (one.name == text) return one.delimiter;
  }
  // As a shell or a configuration may have it.
  if (text == "\t" || text == "\\t") return '\t';
  if (text == " ") return ' ';
  throw UsageError(
      fmt::format("{}: found {}; expected auto, ',', ';', '|', tab or blanks", what, echoed(text)));
}

std::string delimiter_text(char delimiter) {
  for (const NamedDelimiter& one : delimiters) {
    if (one.delimiter == delimiter) return std::string(one.name);
  }
  throw InternalError("a delimiter without a name");
}

char parse_decimal(std::string_view text, std::string_view what) {
  static const std::array<std::string, 3> names{"auto", ".", ","};
  constexpr std::array<char, 3> marks{0, '.', ','};
  return marks[chosen(text, what, names)];
}

std::string decimal_text(char decimal) {
  return decimal == 0 ? "auto" : std::string(1, decimal);
}

std::size_t parse_hash_size(std::string_view text, std::string_view what) {
  constexpr long most_bits = 30;
  constexpr long most = 1L << most_bits;
  if (text == "off") return 0;
  if (text.starts_with("2^")) {
    const auto bits = whole_number(text.substr(2));
    if (bits && *bits >= 1 && *bits <= most_bits) return std::size_t{1} << *bits;
  } else {
    const auto size = whole_number(text);
    if (size && *size >= 2 && *size <= most) return static_cast<std::size_t>(*size);
  }
  throw UsageError(fmt::format(
      "{}: found {}; expected a number of features, such as 2^18 or 1000, up to 2^{}, or off", what,
      echoed(text), most_bits));
}

std::string hash_size_text(std::size_t size) {
  if (size == 0) return "off";
  for (unsigned bits = 1; bits < 32; ++bits) {
    if (size == std::size_t{1} << bits) return fmt::format("2^{}", bits);
  }
  return fmt::to_string(size);
}

}  // namespace trainyard
