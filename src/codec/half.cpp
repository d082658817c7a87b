// Numbers of 16 bits, rounded to the nearest, ties to even: fp16 is IEEE 754's binary16 (1 sign, 5
// exponent and 10 fraction bits: 6.0e-8 to 65504), bf16 the upper half of a float (1, 8 and 7:
// 9.2e-41 to 3.39e38). A double is first rounded to float, so that it may be rounded twice.
//
// What is too large becomes ±65504 and ±3.39e38, and not infinite: what is sent is finite.
//
// Biased. fp16: |C(x)_i − x_i| ≤ 2^-11 |x_i| for 2^-14 ≤ |x_i| ≤ 65504, but what is below 2^-25 is
// lost, and beyond 65504 nothing is sure but that C(x)_i is nearer to x_i than 0 is: in all,
// ‖C(x) − x‖² ≤ ‖x‖². bf16: |C(x)_i − x_i| ≤ 2^-8 |x_i| for all numbers of float's range, 2^-126 to
// 2^128, those near its end included, so that ‖C(x) − x‖² ≤ 2^-16 ‖x‖².
//
// Wire: the d numbers, 16d bits.

#include <algorithm>
#include <bit>

#include "codec/norms.hpp"
#include "codec/rows.hpp"
#include "codec/wire.hpp"

namespace trainyard {

namespace {

/// Rounded, and the largest float where it is beyond.
float as_float(double x) {
  return within<float>(x);
}
float as_float(float x) {
  return x;
}

/// a or b, without a branch, which would keep the compiler from taking several numbers at once.
std::uint32_t chosen(bool first, std::uint32_t a, std::uint32_t b) {
  const std::uint32_t mask = 0U - static_cast<std::uint32_t>(first);
  return (a & mask) | (b & ~mask);
}

struct Fp16 {
  static constexpr std::uint32_t not_finite = 0x7C00;  // all bits of the exponent
  static constexpr double error_bound = 1.0;

  static std::uint16_t from(float x) {
    const auto bits = std::bit_cast<std::uint32_t>(x);
    const std::uint32_t magnitude =
        std::min(bits & 0x7FFFFFFFU, std::bit_cast<std::uint32_t>(65504.0F));
    // Below 2^-14 a unit of the last place is 2^-24, as it is between 0.5 and 1 of a float.
    const std::uint32_t small =
        std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) + 0.5F) - 0x3F000000U;
    // Else the exponent's bias changes from 127 to 15, and 13 bits are rounded away: half a unit is
    // added, but a little less where the last bit that stays is even.
    const std::uint32_t normal =
        (magnitude - (112U << 23) + 0xFFFU + ((magnitude >> 13) & 1U)) >> 13;
    const std::uint32_t rounded = chosen(magnitude < (113U << 23), small, normal);
    return static_cast<std::uint16_t>(rounded | (bits >> 16 & 0x8000U));
  }

  static float to_float(std::uint16_t code) {
    const std::uint32_t magnitude = code & 0x7FFFU;
    const float small = static_cast<float>(static_cast<std::int32_t>(magnitude)) * 0x1p-24F;
    const std::uint32_t normal = (magnitude << 13) + (112U << 23);
    const std::uint32_t bits =
        chosen(magnitude < 0x400U, std::bit_cast<std::uint32_t>(small), normal);
    return std::bit_cast<float>(bits | (code & 0x8000U) << 16);
  }
};

struct Bf16 {
  static constexpr std::uint32_t not_finite = 0x7F80;
  static constexpr double error_bound = 0x1p-16;

  static std::uint16_t from(float x) {
    const auto bits = std::bit_cast<std::uint32_t>(x);
    const std::uint32_t magnitude = bits & 0x7FFFFFFFU;
    const std::uint32_t rounded = (magnitude + 0x7FFFU + ((magnitude >> 16) & 1U)) >> 16;
    return static_cast<std::uint16_t>(std::min(rounded, not_finite - 1) | (bits >> 16 & 0x8000U));
  }
  static float to_float(std::uint16_t code) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(code) << 16);
  }
};

template <typename Format>
class Half final : public Codec {
 public:
  std::size_t most_bytes(Scalar /*scalar*/, TensorShapes shapes) const override {
    return total_size(shapes) * sizeof(std::uint16_t);
  }

  std::size_t encode(ConstVector x, TensorShapes shapes, RandomStream& /*random*/,
                     CodecScratch& /*scratch*/, std::span<std::byte> wire) const override {
    with_scalar(x.scalar(), [&]<typename T>(T) {
      const std::span<const T> numbers = x.as<T>();
      for (std::size_t i = 0; i < numbers.size(); ++i) {
        wire::store(wire, i * sizeof(std::uint16_t), Format::from(as_float(numbers[i])));
      }
    });
    return most_bytes(x.scalar(), shapes);
  }

  void decode_add(double scale, std::span<const std::byte> wire, TensorShapes shapes,
                  Vector sum) const override {
    wire::expect_size(wire, most_bytes(sum.scalar(), shapes));
    with_scalar(sum.scalar(), [&]<typename T>(T) {
      const T factor = static_cast<T>(scale);
      const std::span<T> sums = sum.as<T>();
      std::uint32_t wrong = 0;
      for (std::size_t i = 0; i < sums.size(); ++i) {
        const auto code = wire::load<std::uint16_t>(wire, i * sizeof(std::uint16_t));
        wrong |= static_cast<std::uint32_t>((code & Format::not_finite) == Format::not_finite);
        sums[i] += factor * static_cast<T>(Format::to_float(code));
      }
      if (wrong != 0) throw MalformedMessage("an encoded vector has a number that is not finite");
    });
  }

  bool unbiased() const override { return false; }
  double error_bound(std::size_t /*length*/) const override { return Format::error_bound; }
};

}  // namespace

CodecInfo fp16_codec() {
  return {.name = "fp16",
          .summary = "rounded to 16 bits, 11 of them significant, up to ±65504",
          .wire = "16d",
          .error = "≤ 2^-22 ‖x‖² for 2^-14 ≤ |x| ≤ 65504, ≤ ‖x‖² else; biased",
          .source = "catalogue 5",
          .encode_time = Duration{1200},
          .decode_time = Duration{750},
          .make = [](std::string_view) -> std::shared_ptr<const Codec> {
            return std::make_shared<Half<Fp16>>();
          }};
}

CodecInfo bf16_codec() {
  return {.name = "bf16",
          .summary = "rounded to the upper 16 bits of a float, 8 of them significant",
          .wire = "16d",
          .error = "≤ 2^-16 ‖x‖², biased",
          .source = "catalogue 5",
          .encode_time = Duration{550},
          .decode_time = Duration{260},
          .make = [](std::string_view) -> std::shared_ptr<const Codec> {
            return std::make_shared<Half<Bf16>>();
          }};
}

}  // namespace trainyard
