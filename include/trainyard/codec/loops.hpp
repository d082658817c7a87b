// The loops over whole vectors that codecs spend their time in. They are compiled once for each
// instruction set (Highway's foreach_target, loops.cpp), and the best one is taken when the program
// runs.
//
// They are plain loops, made so that compilers turn them into vector instructions: no branch
// inside, indices of 32 bits, products for quotients. Whatever the instruction set, bytes and sums
// are the same bits: each number has its own arithmetic, sums over a vector have an order of their
// own, and no product is fused with an addition (loops.cpp is compiled with -ffp-contract=off).
//
// Vectors have fewer than 2^32 numbers. `to` and `from` have the bytes of as many numbers as the
// vector.
//
// Threads: any.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "trainyard/codec/dither.hpp"

namespace trainyard {

/// |x|'s bits as a whole number, which is in the same order as |x|.
template <typename T>
using MagnitudeKey =
    std::conditional_t<sizeof(T) == sizeof(std::int32_t), std::int32_t, std::int64_t>;

/// A ruler of s levels (ruler.hpp): |x| lies at |x| · up · per of its marks.
template <typename T>
struct RulerMarks {
  T up, per;
  std::int32_t levels;
};

/// A power of two by which `most` and what is below it can be multiplied so that 1/most is no
/// larger than the largest number: 1 unless `most` is near the smallest.
template <typename T>
constexpr T scale_up_of(T most) {
  constexpr T up = sizeof(T) == sizeof(float) ? T(0x1p64) : T(0x1p512);
  return most < T{1} / up ? up : T{1};
}

template <typename T>
struct CodecLoops {
  // norms-inl.hpp
  T (*largest)(std::span<const T> x);  // max |x_i|
  // Σ (x_i unit − center) and Σ (x_i unit − center)²
  double (*sum)(std::span<const T> x, double unit, double center);
  double (*sum_of_squares)(std::span<const T> x, double unit, double center);
  double (*sum_of_magnitudes)(std::span<const T> x, double unit);  // Σ |x_i unit|

  // half-inl.hpp. Adding returns false where a number is not finite.
  void (*write_fp16)(std::span<const T> x, std::byte* to);
  bool (*add_fp16)(T factor, const std::byte* from, std::span<T> sum);
  void (*write_bf16)(std::span<const T> x, std::byte* to);
  bool (*add_bf16)(T factor, const std::byte* from, std::span<T> sum);

  // signs-inl.hpp: a bit each, 1 where x_i < 0; what is added is −value there.
  void (*write_signs)(std::span<const T> x, std::byte* to);
  void (*add_signs)(T value, const std::byte* from, std::span<T> sum);

  // ternary-inl.hpp: two bits each. Adding returns false where a field is none of the three.
  void (*write_random_trits)(std::span<const T> x, T most, Dither u,
                             std::byte* to);  // sgn(x_i) where u_i < |x_i|/most, else 0
  void (*write_trits_beyond)(std::span<const T> x, T threshold,
                             std::byte* to);  // sgn(x_i) where |x_i| ≥ threshold > 0, else 0
  bool (*add_trits)(T unit, const std::byte* from, std::span<T> sum);

  // ruler-inl.hpp: levels from −s to s of numbers whose first one has place `first`; plus s in
  // bytes, where s ≤ 127. Adding returns false where one is above s.
  void (*write_level_bytes)(std::span<const T> x, std::uint32_t first, RulerMarks<T> marks,
                            Dither u, std::byte* to);
  void (*find_levels)(std::span<const T> x, std::uint32_t first, RulerMarks<T> marks, Dither u,
                      std::int32_t* levels);
  bool (*add_level_bytes)(double norm, std::int32_t s, const std::byte* from, std::span<T> sum);

  // magnitude-inl.hpp: how many numbers have `least` or a key above, and their places, in order.
  // There is room for as many places as x has numbers.
  std::size_t (*count_from)(std::span<const T> x, MagnitudeKey<T> least);
  std::size_t (*places_from)(std::span<const T> x, MagnitudeKey<T> least,
                             std::span<std::uint32_t> places);
};

struct BothCodecLoops {
  CodecLoops<float> floats;
  CodecLoops<double> doubles;
};
const BothCodecLoops& both_codec_loops();

template <typename T>
const CodecLoops<T>& codec_loops() {
  if constexpr (std::same_as<T, float>) {
    return both_codec_loops().floats;
  } else {
    return both_codec_loops().doubles;
  }
}

}  // namespace trainyard
