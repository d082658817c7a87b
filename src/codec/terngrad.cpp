// TernGrad (Wen et al., NIPS 2017, §3): each number becomes 0 or ±m, m = max |x|, at random so that
// it is itself on average:
//   C(x)_i = m sgn(x_i) with probability |x_i|/m, else 0.
// The probability is rounded up to a multiple of 2^-24 (2^-32 for doubles), and 0 and 1 are exact.
//
// Unbiased, with E‖C(x) − x‖² = Σ |x_i| (m − |x_i|) ≤ ½ (√d − 1) ‖x‖²: as much where one number is
// m and all others are m/(√d + 1).
//
// terngrad:C first clips x to ±Cσ (the paper has C = 2.5), which is biased but makes m, and
// with it the error, smaller. As in the authors' code σ is the standard deviation about the mean of
// x, while the clipping is about 0: of a constant vector nothing is left. A single number has no
// deviation and is not clipped; their code leaves small tensors alone. (It clips and scales tensor
// by tensor; here a message is one vector.) With y the clipped vector the error is ‖x − y‖² + Σ
// |y_i| (m − |y_i|), where m ≤ Cσ ≤ C ‖x‖/√d and Σ |y_i| ≤ √d ‖y‖, and as ‖x − y‖² is at most
// ‖x‖² − ‖y‖², that is no more than (1 + C t − 2t²) ‖x‖² for some t ≤ 1, t = ‖y‖/‖x‖.
//
// Wire: m (32 bits), then the d signs, −1, 0 and 1, as 0, 1 and 2 in two bits.

#include <algorithm>
#include <limits>

#include "trainyard/codec/dither.hpp"
#include "trainyard/codec/norms.hpp"
#include "trainyard/codec/ternary.hpp"
#include "trainyard/codec/wire.hpp"

#include "codec/argument.hpp"
#include "codec/rows.hpp"

namespace trainyard {

namespace {

constexpr double not_clipped = std::numeric_limits<double>::infinity();

class TernGrad final : public Codec {
 public:
  /// `clip` is counted in σ.
  explicit TernGrad(double clip) : clip_(clip) {}

  std::size_t most_bytes(Scalar scalar, TensorShapes shapes) const override {
    return bytes_of(scalar) + wire::bytes_of_bits(2 * total_size(shapes));
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
    with_scalar(sum.scalar(), [&]<typename T>(T) {
      const T most = wire::load<T>(wire, 0);
      wire::expect_number(most, 0.0);
      add_trits(static_cast<T>(scale * most), wire.subspan(sizeof(T)), sum.as<T>());
    });
  }

  bool unbiased() const override { return clip_ == not_clipped; }

  double error_bound(std::size_t length) const override {
    const double root = std::sqrt(static_cast<double>(length));
    const double unclipped = (root - 1.0) / 2.0;
    if (unbiased() || length == 1) return unclipped;
    const double t = std::min(clip_ / 4.0, 1.0);
    return std::min(1.0 + clip_ * t - 2.0 * t * t, std::max(1.0, unclipped));
  }

 private:
  template <typename T>
  void encode_as(std::span<const T> x, const Dither& dither, std::span<std::byte> wire) const {
    T most = largest_of(x);
    if (clip_ != not_clipped && x.size() > 1) {
      most = std::min(most, within<T>(clip_ * standard_deviation(x)));
    }
    wire::store(wire, 0, most);
    codec_loops<T>().write_random_trits(x, most, dither, wire.data() + sizeof(T));
  }

  double clip_;
};

}  // namespace

CodecInfo terngrad_codec() {
  return {.name = "terngrad",
          .argument = "none|C",
          .fallback = "none",
          .summary =
              "0 or ±max|x| at random; C clips x at C standard deviations before, like 2.5; one "
              "unit for the whole vector, where the paper has one a layer",
          .wire = "32 + 2d",
          .error = "Σ|x|(max|x|−|x|), unbiased; biased if clipped",
          .source = "Wen et al. 2017; catalogue 5",
          .encode_time = Duration{700},
          .decode_time = Duration{320},
          .make = [](std::string_view argument) -> std::shared_ptr<const Codec> {
            return std::make_shared<TernGrad>(argument == "none" ? not_clipped
                                                                 : positive_argument(argument));
          }};
}

}  // namespace trainyard
