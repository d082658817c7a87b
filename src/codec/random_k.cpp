// k of the d numbers, chosen uniformly at random (Stich et al., NeurIPS 2018, §2; Wangni et al.,
// NeurIPS 2018, with equal probabilities), the others 0. Which they are follows from a seed
// (places.hpp), which is sent in their stead.
//
// random-k: d/k times the chosen ones. Unbiased, with E‖C(x) − x‖² = (d/k − 1) ‖x‖². What d/k makes
// too large becomes the largest finite number. random-k-unscaled: the numbers as they are. Biased,
// C(x) is k/d x on average, but a contraction: E‖C(x) − x‖² = (1 − k/d) ‖x‖².
//
// Wire: the seed (64 bits), then the k numbers, in the order of their places: 64 + 32k bits.

#include <limits>

#include "trainyard/codec/norms.hpp"
#include "trainyard/codec/wire.hpp"

#include "codec/argument.hpp"
#include "codec/places.hpp"
#include "codec/rows.hpp"

namespace trainyard {

namespace {

enum class Scaling : std::uint8_t { unbiased, none };

class RandomK final : public Codec {
 public:
  RandomK(std::string_view share, Scaling scaling) : kept_(share), scaling_(scaling) {}

  std::size_t most_bytes(Scalar scalar, TensorShapes shapes) const override {
    return sizeof(std::uint64_t) + kept_.of(total_size(shapes)) * bytes_of(scalar);
  }

  std::size_t encode(ConstVector x, TensorShapes shapes, RandomStream& random,
                     CodecScratch& /*scratch*/, std::span<std::byte> wire) const override {
    const std::uint64_t seed = random.next_u64();
    wire::store(wire, 0, seed);
    const RandomPlaces places(seed, x.size());
    with_scalar(x.scalar(), [&]<typename T>(T) {
      const std::span<const T> numbers = x.as<T>();
      const std::size_t count = kept_.of(numbers.size());
      for (std::size_t j = 0; j < count; ++j) wire::store(wire, offset<T>(j), numbers[places[j]]);
    });
    return most_bytes(x.scalar(), shapes);
  }

  void decode_add(double scale, std::span<const std::byte> wire, TensorShapes shapes,
                  Vector sum) const override {
    wire::expect_size(wire, most_bytes(sum.scalar(), shapes));
    const RandomPlaces places(wire::load<std::uint64_t>(wire, 0), sum.size());
    with_scalar(sum.scalar(), [&]<typename T>(T) {
      const std::span<T> sums = sum.as<T>();
      const std::size_t count = kept_.of(sums.size());
      const double ratio = static_cast<double>(sums.size()) / static_cast<double>(count);
      const double factor = scaling_ == Scaling::unbiased ? ratio : 1.0;
      for (std::size_t j = 0; j < count; ++j) {
        const T value = wire::load<T>(wire, offset<T>(j));
        wire::expect_number(value, std::numeric_limits<T>::lowest());
        sums[places[j]] += static_cast<T>(scale * static_cast<double>(within<T>(factor * value)));
      }
    });
  }

  bool unbiased() const override { return scaling_ == Scaling::unbiased; }

  double error_bound(std::size_t length) const override {
    const auto d = static_cast<double>(length);
    const auto k = static_cast<double>(kept_.of(length));
    return scaling_ == Scaling::unbiased ? d / k - 1.0 : 1.0 - k / d;
  }

 private:
  template <typename T>
  static std::size_t offset(std::size_t j) {
    return sizeof(std::uint64_t) + j * sizeof(T);
  }

  KeptShare kept_;
  Scaling scaling_;
};

}  // namespace

CodecInfo random_k_codec() {
  return {.name = "random-k",
          .argument = "P%|k=K",
          .fallback = "1%",
          .summary = "d/k times k numbers at random, the others 0",
          .wire = "64 + 32k",
          .error = "(d/k − 1)‖x‖², unbiased",
          .source = "Stich et al. 2018; catalogue 5",
          .encode_time = Duration{320},
          .decode_time = Duration{340},
          .make = [](std::string_view argument) -> std::shared_ptr<const Codec> {
            return std::make_shared<RandomK>(argument, Scaling::unbiased);
          }};
}

CodecInfo random_k_unscaled_codec() {
  return {.name = "random-k-unscaled",
          .argument = "P%|k=K",
          .fallback = "1%",
          .summary = "k numbers at random as they are, the others 0",
          .wire = "64 + 32k",
          .error = "(1 − k/d)‖x‖², biased",
          .source = "Stich et al. 2018; catalogue 5",
          .encode_time = Duration{320},
          .decode_time = Duration{340},
          .make = [](std::string_view argument) -> std::shared_ptr<const Codec> {
            return std::make_shared<RandomK>(argument, Scaling::none);
          }};
}

}  // namespace trainyard
