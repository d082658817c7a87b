// Natural compression (Horváth et al., 2019, §2): each number is rounded at random to one of the
// two powers of two around it, so that it is itself on average:
//   C(x)_i = sgn(x_i) 2^a or 2^{a+1}, a = ⌊log2 |x_i|⌋, the upper one with probability |x_i|/2^a
//   − 1.
//
// The fraction of a float is that probability. A random number below 1 of as many bits added to it
// carries into the exponent just as often: no logarithm, no power, no division. Of a double's 52
// bits the upper 32 are random ones; the probability is rounded down to a multiple of 2^-32.
//
// Unbiased, with E‖C(x) − x‖² = Σ (|x_i| − 2^a)(2^{a+1} − |x_i|) ≤ ⅛ ‖x‖². At both ends of the
// range it remains unbiased: what is below the least normal number, 2^-126, becomes 0 or that, with
// an error of |x_i| (2^-126 − |x_i|); above 2^127 the largest finite number stands for 2^128.
//
// Wire: d exponents of 8 bits (11 for doubles), 0 for the number 0, else a + 127 (a + 1023), all
// ones for the largest finite number; then d signs of 1 bit, 1 below 0. In all 9d bits (12d).

#include <bit>
#include <limits>

#include "trainyard/codec/dither.hpp"
#include "trainyard/codec/loops.hpp"
#include "trainyard/codec/wire.hpp"

#include "codec/rows.hpp"

namespace trainyard {

namespace {

template <typename T>
struct Layout;
template <>
struct Layout<float> {
  using Bits = std::uint32_t;
  static constexpr unsigned fraction_bits = 23, exponent_bits = 8;
  static Bits draw(std::uint32_t random) { return random >> 9; }
};
template <>
struct Layout<double> {
  using Bits = std::uint64_t;
  static constexpr unsigned fraction_bits = 52, exponent_bits = 11;
  static Bits draw(std::uint32_t random) { return Bits{random} << 20; }
};

template <typename T>
std::uint32_t rounded_exponent(T x, std::uint32_t random) {
  const auto magnitude = std::bit_cast<typename Layout<T>::Bits>(std::abs(x));
  return static_cast<std::uint32_t>((magnitude + Layout<T>::draw(random)) >>
                                    Layout<T>::fraction_bits);
}

template <typename T>
T signed_power(std::uint32_t exponent, unsigned sign) {
  using Bits = typename Layout<T>::Bits;
  constexpr std::uint32_t all_ones = (1U << Layout<T>::exponent_bits) - 1;
  constexpr auto most = std::bit_cast<Bits>(std::numeric_limits<T>::max());
  const Bits power = Bits{exponent} << Layout<T>::fraction_bits;
  return std::bit_cast<T>((exponent == all_ones ? most : power) | Bits{sign}
                                                                      << (8 * sizeof(T) - 1));
}

class Natural final : public Codec {
 public:
  std::size_t most_bytes(Scalar scalar, TensorShapes shapes) const override {
    return wire::bytes_of_bits(total_size(shapes) * (scalar == Scalar::float32 ? 9 : 12));
  }

  std::size_t encode(ConstVector x, TensorShapes shapes, RandomStream& random,
                     CodecScratch& /*scratch*/, std::span<std::byte> wire) const override {
    const Dither dither(random);
    with_scalar(x.scalar(), [&]<typename T>(T) { encode_as<T>(x.as<T>(), dither, wire); });
    return most_bytes(x.scalar(), shapes);
  }

  void decode_add(double scale, std::span<const std::byte> wire, TensorShapes shapes,
                  Vector sum) const override {
    wire::expect_size(wire, most_bytes(sum.scalar(), shapes));
    with_scalar(sum.scalar(), [&]<typename T>(T) { decode_as<T>(scale, wire, sum.as<T>()); });
  }

  bool unbiased() const override { return true; }
  double error_bound(std::size_t /*length*/) const override { return 0.125; }

 private:
  template <typename T>
  static void encode_as(std::span<const T> x, const Dither& dither, std::span<std::byte> wire) {
    constexpr unsigned bits = Layout<T>::exponent_bits;
    if constexpr (bits == 8) {
      for (std::size_t i = 0; i < x.size(); ++i) {
        wire[i] = static_cast<std::byte>(
            rounded_exponent(x[i], dither.bits(static_cast<std::uint32_t>(i))));
      }
      codec_loops<T>().write_signs(x, wire.data() + x.size());
    } else {
      wire::BitWriter writer(wire.data());
      for (std::size_t i = 0; i < x.size(); ++i) {
        writer.put(rounded_exponent(x[i], dither.bits(static_cast<std::uint32_t>(i))), bits);
      }
      for (const T value : x) writer.put(value < T{0} ? 1 : 0, 1);
      writer.finish();
    }
  }

  template <typename T>
  static void decode_as(double scale, std::span<const std::byte> wire, std::span<T> sum) {
    constexpr unsigned bits = Layout<T>::exponent_bits;
    wire::expect_zeros_from(wire, (bits + 1) * sum.size());
    const T factor = static_cast<T>(scale);
    wire::BitReader reader(wire);
    for (std::size_t i = 0; i < sum.size(); ++i) {
      std::uint32_t exponent = 0;
      if constexpr (bits == 8) {
        exponent = static_cast<std::uint32_t>(wire[i]);
      } else {
        exponent = static_cast<std::uint32_t>(reader.take(bits));
      }
      const unsigned sign = wire::bit_of(wire, bits * sum.size() + i);
      sum[i] += factor * signed_power<T>(exponent, sign);
    }
  }
};

}  // namespace

CodecInfo natural_codec() {
  return {.name = "natural",
          .summary = "rounded at random to one of the powers of two around it",
          .wire = "9d (12d for doubles)",
          .error = "Σ(|x|−2^a)(2^{a+1}−|x|) ≤ ‖x‖²/8, unbiased",
          .source = "Horváth et al. 2019; catalogue 5",
          .encode_time = Duration{1400},
          .decode_time = Duration{2200},
          .make = [](std::string_view) -> std::shared_ptr<const Codec> {
            return std::make_shared<Natural>();
          }};
}

}  // namespace trainyard
