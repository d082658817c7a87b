// Numbers out of text, exactly rounded to float.
//
// What nearly all numbers in data files look like is inline, the rest behind a call. Digits are
// taken eight at a time: a loop over the digits of a column index mispredicts its end for nearly
// every index, which costs as much as all its digits.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace trainyard {

enum class NumberFault { none, not_a_number, not_finite, too_large };

struct ParsedFloat {
  float value = 0.0F;
  const char* end = nullptr;  // one past the number; where it began when there is none
  NumberFault fault = NumberFault::none;
};

/// Digits in a row. Beyond 18 of them the value may have wrapped around.
struct ParsedDigits {
  std::uint64_t value = 0;
  const char* end = nullptr;  // one past the last
};
constexpr std::ptrdiff_t most_exact_digits = 18;

/// The number that eight digits 0 … 9 make, the first in the lowest byte: pairs, fours and eights
/// of digits are joined by one multiplication each.
inline std::uint64_t joined_digits(std::uint64_t digits) {
  digits = digits * 10 + (digits >> 8U);
  digits = ((digits & 0x000000FF000000FFU) * 0x000F424000000064U +
            ((digits >> 16U) & 0x000000FF000000FFU) * 0x0000271000000001U) >>
           32U;
  return digits & 0xFFFFFFFFU;
}

/// The digits among the eight characters at `begin`, up to the first that is none. Each step treats
/// all eight bytes of a word at once.
inline ParsedDigits parse_up_to_eight_digits(const char* begin) {
  std::uint64_t word = 0;
  std::memcpy(&word, begin, sizeof word);
  word ^= 0x3030303030303030U;  // '0' … '9' become 0 … 9
  const std::uint64_t above_nine =
      ((word + 0x7676767676767676U) | word) & 0x8080808080808080U;  // exact up to the first
  const int count = std::countr_zero(above_nine) / 8;               // 8 when there is none
  if (count == 0) return {0, begin};
  word <<= 64 - 8 * count;  // zeros in front
  return {joined_digits(word), begin + count};
}

inline ParsedDigits parse_digits(const char* next, const char* end) {
  constexpr std::uint64_t powers[] = {1,       10,        100,        1'000,      10'000,
                                      100'000, 1'000'000, 10'000'000, 100'000'000};
  std::uint64_t value = 0;
  if constexpr (std::endian::native == std::endian::little) {
    while (end - next >= 8) {
      const ParsedDigits part = parse_up_to_eight_digits(next);
      const std::ptrdiff_t count = part.end - next;
      value = value * powers[count] + part.value;
      next = part.end;
      if (count < 8) return {value, next};
    }
  }
  for (; next != end && *next >= '0' && *next <= '9'; ++next) {
    value = value * 10 + static_cast<std::uint64_t>(*next - '0');
  }
  return {value, next};
}

/// Whole numbers up to this are doubles.
constexpr std::uint64_t exact_whole_numbers = std::uint64_t{1} << 53U;

/// A double has 29 bits more than a float; halfway between two floats these are 1000…
inline bool halfway_between_floats(double value) {
  constexpr std::uint64_t more_bits = (std::uint64_t{1} << 29U) - 1;
  return (std::bit_cast<std::uint64_t>(value) & more_bits) == std::uint64_t{1} << 28U;
}

/// The longest number at `begin`: sign, digits, a point, an exponent. "nan" and "inf" are
/// `not_finite`; what rounds to infinity is `too_large`; what rounds to zero is zero.
ParsedFloat parse_any_float(const char* begin, const char* end);

/// Does the same, with a fast path: a whole number below 2^24 and a power of ten up to 10^10 both
/// fit a float's 24 bits (5^10 < 2^24), so that their quotient is correctly rounded (Clinger, "How
/// to read floating point numbers accurately", PLDI 1990).
inline ParsedFloat parse_float(const char* begin, const char* end) {
  constexpr float powers_of_ten[] = {1e0F, 1e1F, 1e2F, 1e3F, 1e4F, 1e5F,
                                     1e6F, 1e7F, 1e8F, 1e9F, 1e10F};
  constexpr std::uint64_t whole_powers[] = {
      1,         10,         100,         1'000,         10'000,        100'000,
      1'000'000, 10'000'000, 100'000'000, 1'000'000'000, 10'000'000'000};
  constexpr std::ptrdiff_t most_decimals = 10;
  const bool negative = begin != end && *begin == '-';
  const char* first = begin + (negative ? 1 : 0);
  const ParsedDigits whole = parse_digits(first, end);
  ParsedDigits fraction{0, whole.end};
  std::ptrdiff_t decimals = 0;
  if (whole.end != end && *whole.end == '.') {
    fraction = parse_digits(whole.end + 1, end);
    decimals = fraction.end - whole.end - 1;
  }
  const bool has_exponent = fraction.end != end && (*fraction.end == 'e' || *fraction.end == 'E');
  if (whole.end == first || whole.end - first > 8 || decimals > most_decimals || has_exponent) {
    return parse_any_float(begin, end);
  }
  const std::uint64_t digits = whole.value * whole_powers[decimals] + fraction.value;
  if (digits > (1U << 24U)) return parse_any_float(begin, end);
  const float value = static_cast<float>(digits) / powers_of_ten[decimals];
  return {negative ? -value : value, fraction.end, NumberFault::none};
}

struct ParsedIndex {
  std::uint64_t value = 0;    // meaningless when too_large
  const char* end = nullptr;  // where it began when there is no digit
  bool too_large = false;     // above 2^31 - 1
};

constexpr std::uint64_t largest_index = 2'147'483'647;

/// A plain whole number without sign.
inline ParsedIndex parse_index(const char* begin, const char* end) {
  const ParsedDigits digits = parse_digits(begin, end);
  const char* first = begin;
  while (first != digits.end && *first == '0') ++first;
  const bool too_large = digits.end - first > most_exact_digits || digits.value > largest_index;
  return {digits.value, digits.end, too_large};
}

/// Describes the fault of `token`: "found 'nan'; expected a finite number".
std::string fault_text(NumberFault fault, std::string_view token);

}  // namespace trainyard
