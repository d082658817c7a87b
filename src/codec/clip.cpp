// Clipping, which makes numbers smaller and messages not: what other codecs are often put behind,
// as a codec, to see what it does alone.
//
// clip:C      C(x)_i = x_i, but ±C beyond; ‖C(x) − x‖² = Σ (|x_i| − C)² over all |x_i| > C.
// clip-norm:C C(x) = x min(1, C/‖x‖) (Pascanu et al., ICML 2013); ‖C(x) − x‖² = (‖x‖ − C)² where
//             ‖x‖ > C.
// Both biased; the error is at most ‖x‖².
//
// Wire: the d numbers, 32d bits.

#include <algorithm>

#include "trainyard/codec/norms.hpp"
#include "trainyard/codec/wire.hpp"

#include "codec/argument.hpp"
#include "codec/rows.hpp"

namespace trainyard {

namespace {

enum class Clipped : std::uint8_t { each_number, norm };

class Clip final : public Codec {
 public:
  Clip(double most, Clipped what) : most_(most), what_(what) {}

  std::size_t most_bytes(Scalar scalar, TensorShapes shapes) const override {
    return total_size(shapes) * bytes_of(scalar);
  }

  std::size_t encode(ConstVector x, TensorShapes shapes, RandomStream& /*random*/,
                     CodecScratch& /*scratch*/, std::span<std::byte> wire) const override {
    with_scalar(x.scalar(), [&]<typename T>(T) {
      const std::span<const T> numbers = x.as<T>();
      const T most = within<T>(most_);
      const auto [unit, sum] = squares_of(numbers);
      // ‖x‖ = unit √sum, which may itself be beyond the largest double.
      const bool longer = what_ == Clipped::norm && std::sqrt(sum) > most_ / unit;
      const double length = longer ? most_ / std::sqrt(sum) : 1.0;
      for (std::size_t i = 0; i < numbers.size(); ++i) {
        const double value = numbers[i];
        const T sent = static_cast<T>(longer ? value / unit * length : value);
        // A number of x shortened may be rounded to above C.
        wire::store(wire, i * sizeof(T), std::clamp(sent, -most, most));
      }
    });
    return most_bytes(x.scalar(), shapes);
  }

  void decode_add(double scale, std::span<const std::byte> wire, TensorShapes shapes,
                  Vector sum) const override {
    wire::expect_size(wire, most_bytes(sum.scalar(), shapes));
    with_scalar(sum.scalar(), [&]<typename T>(T) {
      const T factor = static_cast<T>(scale), most = within<T>(most_);
      const std::span<T> sums = sum.as<T>();
      bool inside = true;
      for (std::size_t i = 0; i < sums.size(); ++i) {
        const T value = wire::load<T>(wire, i * sizeof(T));
        inside &= std::abs(value) <= most;
        sums[i] += factor * value;
      }
      if (!inside) throw MalformedMessage("an encoded vector has a number that is not clipped");
    });
  }

  bool unbiased() const override { return false; }
  double error_bound(std::size_t /*length*/) const override { return 1.0; }

 private:
  double most_;
  Clipped what_;
};

}  // namespace

CodecInfo clip_codec() {
  return {.name = "clip",
          .argument = "C",
          .summary = "numbers beyond ±C become ±C",
          .wire = "32d",
          .error = "Σ(|x|−C)² over |x| > C, biased",
          .source = "catalogue 5",
          .encode_time = Duration{480},
          .decode_time = Duration{840},
          .make = [](std::string_view argument) -> std::shared_ptr<const Codec> {
            return std::make_shared<Clip>(positive_argument(argument), Clipped::each_number);
          }};
}

CodecInfo clip_norm_codec() {
  return {.name = "clip-norm",
          .argument = "C",
          .summary = "x, shortened to the norm C where it is longer",
          .wire = "32d",
          .error = "(‖x‖ − C)² where ‖x‖ > C, biased",
          .source = "Pascanu et al. 2013; catalogue 5",
          .encode_time = Duration{800},
          .decode_time = Duration{840},
          .make = [](std::string_view argument) -> std::shared_ptr<const Codec> {
            return std::make_shared<Clip>(positive_argument(argument), Clipped::norm);
          }};
}

}  // namespace trainyard
