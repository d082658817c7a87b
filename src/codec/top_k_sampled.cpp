// About the k largest numbers: those at or above a threshold that is found in a random sample, as
// it is done where d is large (Lin et al., ICLR 2018, Deep Gradient Compression, §3; Aji &
// Heafield, EMNLP 2017). The sample has a hundredth of the numbers but at least 4096, drawn with
// replacement, or is the whole vector where that is smaller; the threshold is its largest magnitude
// number ⌈n k/d⌉, n being its size.
//
// So many are kept as happen to reach the threshold, about k; where these are more than 2k, as they
// are of a vector of many equal numbers, exactly the k largest are.
//
// Biased. At least one number is kept, and the largest one always: ‖C(x) − x‖² ≤ (1 − 1/d) ‖x‖²,
// and about that of top-k.
//
// Wire: how many are kept (32 bits), then these in the order of their places, then the places in
// ⌈log2 d⌉ bits each: 32 + 2k (32 + ⌈log2 d⌉) bits at most.

#include <algorithm>
#include <functional>

#include "codec/argument.hpp"
#include "codec/magnitude.hpp"
#include "codec/rows.hpp"
#include "codec/sparse.hpp"

namespace trainyard {

namespace {

constexpr std::size_t least_sample = 4096;

class TopKSampled final : public Codec {
 public:
  explicit TopKSampled(std::string_view share) : kept_(share) {}

  std::size_t most_bytes(Scalar scalar, TensorShapes shapes) const override {
    const std::size_t d = total_size(shapes);
    return sizeof(std::uint32_t) + sparse_bytes(scalar, most(d), d);
  }
  bool fixed_size() const override { return false; }

  std::size_t encode(ConstVector x, TensorShapes /*shapes*/, RandomStream& random,
                     CodecScratch& scratch, std::span<std::byte> wire) const override {
    return with_scalar(x.scalar(), [&]<typename T>(T) {
      const std::span<const T> numbers = x.as<T>();
      const std::size_t k = kept_.of(numbers.size());
      Cut<T> cut{threshold(numbers, k, random, scratch), numbers.size()};
      std::size_t count = count_from(numbers, cut.key);
      if (count > 2 * k) {
        cut = largest(numbers, k, scratch);
        count = k;
      }
      return write_counted(numbers, cut, count, wire);
    });
  }

  void decode_add(double scale, std::span<const std::byte> wire, TensorShapes /*shapes*/,
                  Vector sum) const override {
    with_scalar(sum.scalar(),
                [&]<typename T>(T) { add_counted(scale, wire, most(sum.size()), sum.as<T>()); });
  }

  bool unbiased() const override { return false; }
  double error_bound(std::size_t length) const override {
    return 1.0 - 1.0 / static_cast<double>(length);
  }

 private:
  std::size_t most(std::size_t d) const { return std::min(2 * kept_.of(d), d); }

  template <typename T>
  static MagnitudeKey<T> threshold(std::span<const T> x, std::size_t k, RandomStream& random,
                                   CodecScratch& scratch) {
    const std::size_t size = std::max(least_sample, x.size() / 100);
    if (size >= x.size()) return largest(x, k, scratch).key;
    scratch.keys.resize(size);
    for (std::uint64_t& key : scratch.keys) {
      const T drawn = x[random.below32(static_cast<std::uint32_t>(x.size()))];
      key = static_cast<std::uint64_t>(magnitude_key(drawn));
    }
    const std::size_t rank = (size * k + x.size() - 1) / x.size();
    const auto at = scratch.keys.begin() + static_cast<std::ptrdiff_t>(rank - 1);
    std::ranges::nth_element(scratch.keys, at, std::greater<>());
    return static_cast<MagnitudeKey<T>>(*at);
  }

  KeptShare kept_;
};

}  // namespace

CodecInfo top_k_sampled_codec() {
  return {.name = "top-k-sampled",
          .argument = "P%|k=K",
          .fallback = "1%",
          .summary = "about the k largest, by a threshold from a sample of 1%; at most 2k",
          .wire = "32 + n(32 + ⌈log2 d⌉), n ≤ 2k",
          .error = "≤ (1 − 1/d)‖x‖², about (1 − k/d)‖x‖² or less; biased",
          .source = "Lin et al. 2018; Aji & Heafield 2017; catalogue 5",
          .encode_time = Duration{1900},
          .decode_time = Duration{50},
          .make = [](std::string_view argument) -> std::shared_ptr<const Codec> {
            return std::make_shared<TopKSampled>(argument);
          }};
}

}  // namespace trainyard
