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
#include <cmath>

#include "trainyard/codec/norms.hpp"
#include "trainyard/codec/wire.hpp"

#include "codec/rows.hpp"

namespace trainyard {

namespace {

constexpr unsigned bits = 4, sign = 8, top = 7;

/// 7 − j of the nearest, or 0. 0 ≤ ratio ≤ 1
template <typename T>
unsigned level_of(T ratio) {
  constexpr T half_of_least = T{1} / T{1 << top};
  if (ratio < half_of_least) return 0;
  int exponent = 0;
  const T fraction = std::frexp(ratio, &exponent);  // ratio = fraction · 2^exponent, ½ ≤ fraction
  const int power = fraction >= T{0.75} ? exponent : exponent - 1;
  return static_cast<unsigned>(std::max(static_cast<int>(top) + power, 1));
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
    wire::BitWriter writer(wire.data() + sizeof(T));
    for (const T value : x) {
      const unsigned level = level_of(std::abs(value) / divisor);
      writer.put(level > 0 && value < T{0} ? level | sign : level, bits);
    }
    writer.finish();
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
          .encode_time = Duration{3000},
          .decode_time = Duration{1000},
          .make = [](std::string_view) -> std::shared_ptr<const Codec> {
            return std::make_shared<E3m0>();
          }};
}

}  // namespace trainyard
