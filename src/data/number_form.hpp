// Numbers as people write them in tables: with a decimal point or a decimal comma, and with the
// other one between groups of three digits.
//
// Threads: any; these are functions of their arguments.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace trainyard {

/// What a text says of the way in which numbers are written.
enum class NumberForm {
  no_number,
  whole,         // "12", "1e5": nothing
  point,         // "1.5", "1,234.5", "1,234,567": a point before the decimals
  comma,         // "1,5", "1.234,5": a comma before them
  either_point,  // "1.234", "1.234.567": a number with a point or none, or one in thousands
  either_comma,  // "1,234": likewise
};
NumberForm number_form(std::string_view text);

/// The number with a decimal point and without the marks of thousands, for parse_float(): "-1234.5"
/// of "-1.234,5" and decimal ','. Empty where `text` is no such number.
std::string plain_number_text(std::string_view text, char decimal);

/// What stands around a number: "$" and "" of "$1,200", "" and " kg" of "12 kg".
struct NumberUnit {
  std::string before, behind;
  bool operator==(const NumberUnit&) const = default;
};

/// Empty where the text is no number, or one alone. A number may have signs before it and no
/// letters, and behind it no digits; a unit has eight bytes at most.
std::optional<NumberUnit> number_unit(std::string_view text);

/// "12", "-3": a whole number and nothing else.
std::optional<long> whole_number(std::string_view text);

}  // namespace trainyard
