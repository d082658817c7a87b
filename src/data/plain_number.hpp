// Numbers of the form that nearly all have, "12", "-0.0625", exactly rounded to float, without a
// branch on how many digits they have or which sign. All others are parse_number.hpp's, and so is
// what is said of them.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

#include "data/digit_map.hpp"
#include "data/parse_number.hpp"

namespace trainyard {

/// So many characters from the beginning of a number on may be read, whatever they are.
inline constexpr std::ptrdiff_t plain_number_bytes = 64;

/// Whether the functions below find any: they take digits out of words, first digit lowest.
inline constexpr bool has_plain_numbers = std::endian::native == std::endian::little;

inline std::uint64_t eight_characters(const char* begin) {
  std::uint64_t word = 0;
  std::memcpy(&word, begin, sizeof word);
  return word;
}

/// A whole number of `count` digits, the first in the lowest byte of `word`; what stands behind
/// them does not matter. REQUIRES: 1 ≤ count ≤ 8.
inline std::uint64_t value_of_digits(std::uint64_t word, unsigned count) {
  return joined_digits((word ^ 0x3030303030303030U) << (64 - 8 * count));
}

// Not in the functions: a compiler may make an array of a function anew at each call, on its stack.
/// ±10^k: the second half is for numbers with a minus.
inline constexpr double plain_divisors[] = {1e0,  1e1,  1e2,   1e3,   1e4,   1e5,   1e6,   1e7,
                                            1e8,  1e9,  1e10,  1e11,  1e12,  1e13,  1e14,  1e15,
                                            -1e0, -1e1, -1e2,  -1e3,  -1e4,  -1e5,  -1e6,  -1e7,
                                            -1e8, -1e9, -1e10, -1e11, -1e12, -1e13, -1e14, -1e15};
inline constexpr std::uint64_t plain_shifts[] = {1,       10,        100,        1'000,      10'000,
                                                 100'000, 1'000'000, 10'000'000, 100'000'000};

struct PlainFloat {
  float value = 0.0F;
  unsigned end = 0;  // place of the first character behind it; 0: the number has another form
};

/// `map` without its lowest marks, as many as stand beside each other.
inline std::uint64_t without_first_marks(std::uint64_t map) {
  return map & (map + (map & (~map + 1)));
}

/// One to eight digits at text[begin], or a '-' and these; where a point follows, digits up to
/// sixteen in all. `map` is DigitMap::from(text), of which the next 20 bits count; `behind` has the
/// same marks behind the '-', if there is one, and none up to there.
///
/// The quotient of a whole number N ≤ 2^53 and 10^k, k ≤ 22, is correctly rounded to double
/// (Clinger, PLDI 1990). Rounded once more, to float, it can differ from N / 10^k rounded at once
/// only where it lies halfway between two floats and N / 10^k does not. That cannot be for N < 10^8
/// and k < 8: N / 10^k is then the halfway number itself, which is a double and is rounded as it
/// should be, or its distance to it is 2^-45 of it at least, since both are fractions over 5^k and
/// a power of two and the numerators, whole numbers of less than 2^25 · 5^7, differ.
inline PlainFloat plain_float(const char* text, unsigned begin, std::uint64_t map,
                              std::uint64_t behind) {
  const unsigned negative = text[begin] == '-' ? 1 : 0;
  const unsigned first_place = begin + negative;
  auto end = static_cast<unsigned>(std::countr_zero(behind));
  const unsigned whole = end - first_place;
  unsigned digits = whole;
  if (text[end] == '.') {
    end = static_cast<unsigned>(std::countr_zero(behind & (behind - 1)));
    digits = end - first_place - 1;
  }
  const unsigned decimals = digits - whole;
  if ((map >> first_place & 1U) != 0 || whole - 1 >= 8 || digits > 16) return {};
  // The digits without their point: those before it, and behind them what begins a place later.
  const char* const first = text + first_place;
  const std::uint64_t before = ~std::uint64_t{0} >> (64 - 8 * whole);
  const std::uint64_t one_later = eight_characters(first + 1);
  const std::uint64_t head = one_later ^ ((eight_characters(first) ^ one_later) & before);
  const double divisor = plain_divisors[16 * negative + decimals];
  if (digits <= 8) {
    const auto number = static_cast<std::int64_t>(value_of_digits(head, digits));
    return {static_cast<float>(static_cast<double>(number) / divisor), end};
  }
  const std::uint64_t number = value_of_digits(head, 8) * plain_shifts[digits - 8] +
                               value_of_digits(eight_characters(first + 9), digits - 8);
  if (number > exact_whole_numbers) return {};
  const double quotient = static_cast<double>(static_cast<std::int64_t>(number)) / divisor;
  if (halfway_between_floats(quotient)) return {};
  return {static_cast<float>(quotient), end};
}

}  // namespace trainyard
