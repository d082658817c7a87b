// Nearly all numbers in data files have few digits, and for these one multiplication or division of
// two floats that are exact themselves gives the correctly rounded result (Clinger, "How to read
// floating point numbers accurately", PLDI 1990): a whole number below 2^24 and a power of ten up
// to 10^10 both fit a float's 24 bits (5^10 < 2^24). All others go to std::from_chars.
#include "data/parse_number.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>

#include <fmt/format.h>

#include "trainyard/base/error.hpp"

namespace trainyard {

namespace {

constexpr std::array<float, 11> powers_of_ten = {1e0F, 1e1F, 1e2F, 1e3F, 1e4F, 1e5F,
                                                 1e6F, 1e7F, 1e8F, 1e9F, 1e10F};
constexpr std::uint64_t exact_whole_numbers = 1U << 24;
// With more digits than this the 64-bit sum of digits could wrap.
constexpr std::ptrdiff_t most_fast_digits = 18;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

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
  std::uint64_t digits = 0;
  const char* next = begin;
  while (next != end && is_digit(*next)) {
    digits = digits * 10 + static_cast<std::uint64_t>(*next++ - '0');
  }
  std::ptrdiff_t digit_count = next - begin;
  std::ptrdiff_t decimals = 0;
  if (next != end && *next == '.') {
    const char* fraction = ++next;
    while (next != end && is_digit(*next)) {
      digits = digits * 10 + static_cast<std::uint64_t>(*next++ - '0');
    }
    decimals = next - fraction;
    digit_count += decimals;
  }
  if (digit_count == 0) return {0.0F, begin, NumberFault::not_a_number};
  const bool has_exponent = next != end && (*next == 'e' || *next == 'E');
  if (has_exponent || digit_count > most_fast_digits || digits > exact_whole_numbers ||
      decimals >= static_cast<std::ptrdiff_t>(powers_of_ten.size())) {
    return parse_float_exactly(begin, end);
  }
  const auto whole = static_cast<float>(digits);
  return {whole / powers_of_ten[static_cast<std::size_t>(decimals)], next, NumberFault::none};
}

}  // namespace

ParsedFloat parse_float(const char* begin, const char* end) {
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

ParsedIndex parse_index(const char* begin, const char* end) {
  ParsedIndex parsed{0, begin, false};
  while (parsed.end != end && is_digit(*parsed.end)) {
    if (parsed.value <= largest_index) {
      parsed.value = parsed.value * 10 + static_cast<std::uint64_t>(*parsed.end - '0');
    }
    ++parsed.end;
  }
  parsed.too_large = parsed.value > largest_index;
  return parsed;
}

std::string fault_text(NumberFault fault, std::string_view token) {
  switch (fault) {
    case NumberFault::none:
    case NumberFault::not_a_number:
      return fmt::format("found {}; expected a number", quoted(token));
    case NumberFault::not_finite:
      return fmt::format("found {}; expected a finite number", quoted(token));
    case NumberFault::too_large:
      return fmt::format("found {}; expected a number of at most {:.4g}", quoted(token),
                         std::numeric_limits<float>::max());
  }
  throw InternalError("a number's fault without a message");
}

std::string quoted(std::string_view text) {
  constexpr std::size_t longest = 40;
  std::string result = "'";
  for (const char c : text) {
    if (result.size() > longest) return result + "...'";
    if (c >= ' ' && c <= '~') {
      result += c;
    } else {
      result += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    }
  }
  return result + "'";
}

}  // namespace trainyard
