// Numbers of up to 15 digits and 22 decimals are divided in double precision, exactly rounded
// (Clinger, PLDI 1990), and then rounded to float. That second rounding can only go wrong where the
// double lies halfway between two floats; those, and numbers of more digits, go to std::from_chars.
#include "data/parse_number.hpp"

#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>

#include <fmt/format.h>

#include "trainyard/base/echoed.hpp"
#include "trainyard/base/error.hpp"

namespace trainyard {

namespace {

constexpr std::array<double, 23> powers_of_ten = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                  1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                                  1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

bool starts_like_nan_or_inf(const char* begin, const char* end) {
  const char c = begin == end ? ' ' : *begin;
  return c == 'n' || c == 'N' || c == 'i' || c == 'I';
}

/// from_chars says only "out of range"; strtof tells overflow from underflow.
ParsedFloat parse_extreme(const char* begin, const char* end) {
  const float value = std::strtof(std::string(begin, end).c_str(), nullptr);
  return {value, end, std::isfinite(value) ? NumberFault::none : NumberFault::too_large};
}

/// REQUIRES: a digit or a point at `begin`.
ParsedFloat parse_float_exactly(const char* begin, const char* end) {
  float value = 0.0F;
  const auto [stop, error] = std::from_chars(begin, end, value);
  if (error == std::errc::result_out_of_range) return parse_extreme(begin, stop);
  if (error != std::errc{}) return {0.0F, begin, NumberFault::not_a_number};
  return {value, stop, NumberFault::none};
}

/// An unsigned number.
ParsedFloat parse_magnitude(const char* begin, const char* end) {
  const ParsedDigits whole = parse_digits(begin, end);
  const char* next = whole.end;
  std::ptrdiff_t digit_count = next - begin;
  std::uint64_t digits = whole.value;
  std::ptrdiff_t decimals = 0;
  if (next != end && *next == '.') {
    const ParsedDigits fraction = parse_digits(next + 1, end);
    decimals = fraction.end - next - 1;
    next = fraction.end;
    digit_count += decimals;
    for (std::ptrdiff_t i = 0; i < decimals; ++i) digits *= 10;
    digits += fraction.value;
  }
  if (digit_count == 0) return {0.0F, begin, NumberFault::not_a_number};
  const bool has_exponent = next != end && (*next == 'e' || *next == 'E');
  if (has_exponent || digit_count > most_exact_digits || digits > exact_whole_numbers) {
    return parse_float_exactly(begin, end);
  }
  const double value =
      static_cast<double>(digits) / powers_of_ten[static_cast<std::size_t>(decimals)];
  if (halfway_between_floats(value)) return parse_float_exactly(begin, end);
  return {static_cast<float>(value), next, NumberFault::none};
}

}  // namespace

ParsedFloat parse_any_float(const char* begin, const char* end) {
  const bool negative = begin != end && *begin == '-';
  const bool has_sign = begin != end && (negative || *begin == '+');
  const char* magnitude = has_sign ? begin + 1 : begin;
  ParsedFloat parsed = parse_magnitude(magnitude, end);
  if (negative) parsed.value = -parsed.value;
  if (parsed.fault == NumberFault::not_a_number) {
    parsed.end = begin;
    if (starts_like_nan_or_inf(magnitude, end)) parsed.fault = NumberFault::not_finite;
  }
  return parsed;
}

std::string fault_text(NumberFault fault, std::string_view token) {
  switch (fault) {
    case NumberFault::none:
    case NumberFault::not_a_number:
      return fmt::format("found {}; expected a number", echoed(token));
    case NumberFault::not_finite:
      return fmt::format("found {}; expected a finite number", echoed(token));
    case NumberFault::too_large:
      return fmt::format("found {}; expected a number of at most {:.4g}", echoed(token),
                         std::numeric_limits<float>::max());
  }
  throw InternalError("a number's fault without a message");
}

}  // namespace trainyard
