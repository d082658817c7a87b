// Two bits with a fixed threshold (MXNet's "2bit" gradient compression, 2017, after Strom,
// Interspeech 2015): T where x ≥ T, −T where x ≤ −T, else 0. T is known to both sides and is not
// sent.
//
// Biased: what is below T is lost and of what is above it the rest; with error feedback it is sent
// another time. ‖C(x) − x‖² = ‖x‖² − Σ T (2|x_i| − T) over all |x_i| ≥ T, which is at most ‖x‖².
//
// Wire: d signs, −1, 0 and 1, as 0, 1 and 2 in two bits. 2d bits.

#include <cmath>
#include <limits>

#include "trainyard/codec/norms.hpp"
#include "trainyard/codec/ternary.hpp"
#include "trainyard/codec/wire.hpp"

#include "codec/argument.hpp"
#include "codec/rows.hpp"

namespace trainyard {

namespace {

/// The least T that is no smaller: x ≥ threshold where x ≥ it.
template <typename T>
T not_below(double threshold) {
  constexpr T beyond = std::numeric_limits<T>::infinity();
  if (threshold > static_cast<double>(std::numeric_limits<T>::max())) return beyond;
  const T nearest = static_cast<T>(threshold);
  return static_cast<double>(nearest) < threshold ? std::nextafter(nearest, beyond) : nearest;
}

class TwoBit final : public Codec {
 public:
  explicit TwoBit(double threshold) : threshold_(threshold) {}

  std::size_t most_bytes(Scalar /*scalar*/, TensorShapes shapes) const override {
    return wire::bytes_of_bits(2 * total_size(shapes));
  }

  std::size_t encode(ConstVector x, TensorShapes shapes, RandomStream& /*random*/,
                     CodecScratch& /*scratch*/, std::span<std::byte> wire) const override {
    with_scalar(x.scalar(), [&]<typename T>(T) {
      codec_loops<T>().write_trits_beyond(x.as<T>(), not_below<T>(threshold_), wire.data());
    });
    return most_bytes(x.scalar(), shapes);
  }

  void decode_add(double scale, std::span<const std::byte> wire, TensorShapes shapes,
                  Vector sum) const override {
    wire::expect_size(wire, most_bytes(sum.scalar(), shapes));
    with_scalar(sum.scalar(), [&]<typename T>(T) {
      add_trits(within<T>(scale * static_cast<double>(within<T>(threshold_))), wire, sum.as<T>());
    });
  }

  bool unbiased() const override { return false; }
  double error_bound(std::size_t /*length*/) const override { return 1.0; }

 private:
  double threshold_;
};

}  // namespace

CodecInfo two_bit_codec() {
  return {.name = "two-bit",
          .argument = "T",
          .summary = "T where x ≥ T, −T where x ≤ −T, else 0",
          .wire = "2d",
          .error = "≤ ‖x‖², biased",
          .source = "Strom 2015; catalogue 5",
          .encode_time = Duration{390},
          .decode_time = Duration{300},
          .make = [](std::string_view argument) -> std::shared_ptr<const Codec> {
            return std::make_shared<TwoBit>(positive_argument(argument));
          }};
}

}  // namespace trainyard
