// The k largest numbers, by magnitude, the others 0 (Aji & Heafield, EMNLP 2017; Stich et al.,
// NeurIPS 2018, §2). Of equal magnitudes the one of the lower index is larger.
//
// Biased, a contraction: ‖C(x) − x‖² is the sum of the d − k least squares, ≤ (1 − k/d) ‖x‖².
//
// Wire: the k numbers, in the order of their places, then the k places in ⌈log2 d⌉ bits each:
// k (32 + ⌈log2 d⌉) bits.

#include "codec/argument.hpp"
#include "codec/magnitude.hpp"
#include "codec/rows.hpp"
#include "codec/sparse.hpp"

namespace trainyard {

namespace {

class TopK final : public Codec {
 public:
  explicit TopK(std::string_view share) : kept_(share) {}

  std::size_t most_bytes(Scalar scalar, TensorShapes shapes) const override {
    const std::size_t d = total_size(shapes);
    return sparse_bytes(scalar, kept_.of(d), d);
  }

  std::size_t encode(ConstVector x, TensorShapes shapes, RandomStream& /*random*/,
                     CodecScratch& scratch, std::span<std::byte> wire) const override {
    const std::size_t count = kept_.of(x.size());
    with_scalar(x.scalar(), [&]<typename T>(T) {
      write_kept(x.as<T>(), largest(x.as<T>(), count, scratch), count, wire);
    });
    return most_bytes(x.scalar(), shapes);
  }

  void decode_add(double scale, std::span<const std::byte> wire, TensorShapes shapes,
                  Vector sum) const override {
    wire::expect_size(wire, most_bytes(sum.scalar(), shapes));
    with_scalar(sum.scalar(),
                [&]<typename T>(T) { add_kept(scale, wire, kept_.of(sum.size()), sum.as<T>()); });
  }

  bool unbiased() const override { return false; }
  double error_bound(std::size_t length) const override {
    return 1.0 - static_cast<double>(kept_.of(length)) / static_cast<double>(length);
  }

 private:
  KeptShare kept_;
};

}  // namespace

CodecInfo top_k_codec() {
  return {.name = "top-k",
          .argument = "P%|k=K",
          .fallback = "1%",
          .summary = "the k largest numbers by magnitude, the others 0",
          .wire = "k(32 + ⌈log2 d⌉)",
          .error = "≤ (1 − k/d)‖x‖², biased",
          .source = "Stich et al. 2018; catalogue 5",
          .encode_time = Duration{800},
          .decode_time = Duration{50},
          .make = [](std::string_view argument) -> std::shared_ptr<const Codec> {
            return std::make_shared<TopK>(argument);
          }};
}

}  // namespace trainyard
