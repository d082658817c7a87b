// Numbers out of text, exactly rounded to float.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace trainyard {

enum class NumberFault { none, not_a_number, not_finite, too_large };

struct ParsedFloat {
  float value = 0.0F;
  const char* end = nullptr;  // one past the number; where it began when there is none
  NumberFault fault = NumberFault::none;
};

/// The longest number at `begin`: sign, digits, a point, an exponent. "nan" and "inf" are
/// `not_finite`; what rounds to infinity is `too_large`; what rounds to zero is zero.
ParsedFloat parse_float(const char* begin, const char* end);

struct ParsedIndex {
  std::uint64_t value = 0;    // meaningless when too_large
  const char* end = nullptr;  // where it began when there is no digit
  bool too_large = false;     // above 2^31 - 1
};

/// A plain whole number without sign.
ParsedIndex parse_index(const char* begin, const char* end);

constexpr std::uint64_t largest_index = 2'147'483'647;

/// What `fault` says of `text` (the whole token): "found 'nan'; expected a finite number".
std::string fault_text(NumberFault fault, std::string_view token);

/// The text between single quotes, cut after about 40 characters; bytes that cannot be printed
/// become \xNN, so that a binary file does not reach the terminal.
std::string quoted(std::string_view text);

}  // namespace trainyard
