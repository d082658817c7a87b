// The numbers of magnitude V or more, the others 0 (Strom, Interspeech 2015, sends V in their
// place; Dutta et al., AAAI 2020, the numbers themselves).
//
// Biased: ‖C(x) − x‖² = Σ x_i² over all |x_i| < V, less than d V², and at most ‖x‖².
//
// Wire: how many are kept (32 bits), then these in the order of their places, then the places in
// ⌈log2 d⌉ bits each: 32 + n (32 + ⌈log2 d⌉) bits for n of them.

#include <limits>

#include "trainyard/codec/norms.hpp"

#include "codec/argument.hpp"
#include "codec/magnitude.hpp"
#include "codec/rows.hpp"
#include "codec/sparse.hpp"

namespace trainyard {

namespace {

/// The key of the least number of that precision that is at least `threshold`; infinity included.
template <typename T>
MagnitudeKey<T> least_key(double threshold) {
  const T nearest = within<T>(threshold);
  return magnitude_key(nearest) + static_cast<MagnitudeKey<T>>(nearest < threshold);
}

class Threshold final : public Codec {
 public:
  explicit Threshold(double threshold) : threshold_(threshold) {}

  std::size_t most_bytes(Scalar scalar, TensorShapes shapes) const override {
    const std::size_t d = total_size(shapes);
    return sizeof(std::uint32_t) + sparse_bytes(scalar, d, d);
  }
  bool fixed_size() const override { return false; }

  std::size_t encode(ConstVector x, TensorShapes /*shapes*/, RandomStream& /*random*/,
                     CodecScratch& /*scratch*/, std::span<std::byte> wire) const override {
    return with_scalar(x.scalar(), [&]<typename T>(T) {
      const std::span<const T> numbers = x.as<T>();
      const Cut<T> cut{least_key<T>(threshold_), numbers.size()};
      return write_counted(numbers, cut, count_from(numbers, cut.key), wire);
    });
  }

  void decode_add(double scale, std::span<const std::byte> wire, TensorShapes /*shapes*/,
                  Vector sum) const override {
    with_scalar(sum.scalar(),
                [&]<typename T>(T) { add_counted(scale, wire, sum.size(), sum.as<T>()); });
  }

  bool unbiased() const override { return false; }
  double error_bound(std::size_t /*length*/) const override { return 1.0; }

 private:
  double threshold_;
};

}  // namespace

CodecInfo threshold_codec() {
  return {.name = "threshold",
          .argument = "V",
          .summary = "the numbers of magnitude V or more, the others 0",
          .wire = "32 + n(32 + ⌈log2 d⌉) for n kept",
          .error = "≤ dV² and ≤ ‖x‖², biased",
          .source = "Dutta et al. 2020; catalogue 5",
          .encode_time = Duration{1000},
          .decode_time = Duration{30},
          .make = [](std::string_view argument) -> std::shared_ptr<const Codec> {
            return std::make_shared<Threshold>(positive_argument(argument));
          }};
}

}  // namespace trainyard
