// Four bits a number: a sign and three bits of exponent, no fraction (E3M0, in which Streaming
// DiLoCo sends outer gradients, Douillard et al. 2025, §3.3). The largest magnitude s of a vector
// travels too; a number becomes the nearest of 0 and ±s 2^-j, j = 0 … 6, from halfway on the
// larger.
//
// Biased. The largest is exact; from s 2^-6 up a number is at most a third of itself off, below s
// 2^-7 it is lost, and in between at most itself: ‖C(x) − x‖² ≤ (1/9 + 8/9 · r/(1 + r)) ‖x‖², r =
// (d − 1) 2^-14, as at most d − 1 numbers are small, each below s 2^-6 and off by s 2^-7 at most.
// C(C(x)) = C(x).
//
// Wire: s in the vector's precision, then for each number 4 bits: the highest is 1 below 0, the
// others are 7 − j, or 0 for 0, which has no sign. 4d + 32 bits.

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

#include "trainyard/codec/norms.hpp"
#include "trainyard/codec/wire.hpp"

#include "codec/rows.hpp"

namespace trainyard {

namespace {

constexpr unsigned bits = 4, sign = 8, top = 7;

/// A float's or a double's bits.
template <typename T>
struct Layout;
template <>
struct Layout<float> {
  using Bits = std::uint32_t;
  static constexpr int fraction_bits = 23, bias = 127;
};
template <>
struct Layout<double> {
  using Bits = std::uint64_t;
  static constexpr int fraction_bits = 52, bias = 1023;
};

/// The code of a number whose magnitude is `ratio` of the largest, 0 ≤ ratio ≤ 1. Half a fraction
/// added to the bits carries into the exponent from 3/2 of a power of two on, halfway to the next:
/// no logarithm and no branch, so that a loop of these is vectors, ten times as fast.
template <typename T>
std::uint8_t code_of(T ratio, bool is_negative) {
  using L = Layout<T>;
  constexpr T half_of_least = T{1} / T{1 << top};
  constexpr auto half = typename L::Bits{1} << (L::fraction_bits - 1);
  const auto bits_of_ratio = std::bit_cast<typename L::Bits>(ratio);
  const auto power = static_cast<int>((bits_of_ratio + half) >> L::fraction_bits) - L::bias;
  const int level = ratio < half_of_least ? 0 : std::max(static_cast<int>(top) + power, 1);
  const int is_below_zero = is_negative && level > 0 ? static_cast<int>(sign) : 0;
  return static_cast<std::uint8_t>(level | is_below_zero);
}

class E3m0 final : public Codec {
 public:
  std::size_t most_bytes(Scalar scalar, TensorShapes shapes) const override {
    return bytes_of(scalar) + wire::bytes_of_bits(total_size(shapes) * bits);
  }

  std::size_t encode(ConstVector x, TensorShapes shapes, RandomStream& /*random*/,
                     CodecScratch& /*scratch*/, std::span<std::byte> wire) const override {
    with_scalar(x.scalar(), [&]<typename T>(T) { encode_as<T>(x.as<T>(), wire); });
    return most_bytes(x.scalar(), shapes);
  }

  void decode_add(double scale, std::span<const std::byte> wire, TensorShapes shapes,
                  Vector sum) const override {
    wire::expect_size(wire, most_bytes(sum.scalar(), shapes));
    with_scalar(sum.scalar(), [&]<typename T>(T) { decode_as<T>(scale, wire, sum.as<T>()); });
  }

  bool unbiased() const override { return false; }
  double error_bound(std::size_t length) const override {
    const double small = std::ldexp(static_cast<double>(length) - 1.0, -14);
    return 1.0 / 9.0 + 8.0 / 9.0 * small / (1.0 + small);
  }

 private:
  template <typename T>
  static void encode_as(std::span<const T> x, std::span<std::byte> wire) {
    const T largest = largest_of(x);
    wire::store(wire, 0, largest);
    const T divisor = largest > T{0} ? largest : T{1};
    std::array<std::uint8_t, 512> codes{};
    std::byte* to = wire.data() + sizeof(T);
    for (std::size_t first = 0; first < x.size(); first += codes.size()) {
      const std::span<const T> some = x.subspan(first, std::min(codes.size(), x.size() - first));
      for (std::size_t i = 0; i < some.size(); ++i) {
        codes[i] = code_of(std::abs(some[i]) / divisor, some[i] < T{0});
      }
      if (some.size() % 2 != 0) codes[some.size()] = 0;
      for (std::size_t i = 0; i < some.size(); i += 2) {
        *to++ = static_cast<std::byte>(codes[i] | codes[i + 1] << bits);
      }
    }
  }

  template <typename T>
  static void decode_as(double scale, std::span<const std::byte> wire, std::span<T> sum) {
    const T largest = wire::load<T>(wire, 0);
    wire::expect_number(largest, 0.0);
    std::array<T, 16> values{};  // of each code
    for (unsigned level = 1; level <= top; ++level) {
      const double magnitude =
          std::ldexp(static_cast<double>(largest), static_cast<int>(level) - static_cast<int>(top));
      values[level] = within<T>(scale * magnitude);
      values[level | sign] = -values[level];
    }
    wire::BitReader reader(wire.subspan(sizeof(T)));
    bool signed_zero = false;
    for (T& value : sum) {
      const auto code = static_cast<unsigned>(reader.take(bits));
      signed_zero = signed_zero || code == sign;
      value += values[code];
    }
    reader.expect_end();
    if (signed_zero) throw MalformedMessage("an encoded vector has a 0 with a sign");
  }
};

}  // namespace

CodecInfo e3m0_codec() {
  return {.name = "e3m0",
          .summary = "4 bits: a sign and the nearest of 0 and the largest times 2^-j, j = 0 … 6",
          .wire = "32 + 4d",
          .error = "≤ (1/9 + 8/9 · r/(1 + r)) ‖x‖², r = (d−1) 2^-14, biased",
          .source = "Douillard et al. 2025; catalogue 5",
          .encode_time = Duration{3400},
          .decode_time = Duration{1200},
          .make = [](std::string_view) -> std::shared_ptr<const Codec> {
            return std::make_shared<E3m0>();
          }};
}

}  // namespace trainyard
