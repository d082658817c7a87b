// C(x) = x: what compression is compared with. Wire: the d numbers as they are, 32d bits.
//
// It takes no time of its own: a copy of the vector is what every message costs anyway.

#include "trainyard/codec/wire.hpp"
#include "trainyard/model/kernels.hpp"

#include "codec/rows.hpp"

namespace trainyard {

namespace {

class Identity final : public Codec {
 public:
  std::size_t most_bytes(Scalar scalar, TensorShapes shapes) const override {
    return total_size(shapes) * bytes_of(scalar);
  }
  std::size_t encode(ConstVector x, TensorShapes /*shapes*/, RandomStream& /*random*/,
                     CodecScratch& /*scratch*/, std::span<std::byte> wire) const override {
    std::memcpy(wire.data(), x.data(), x.bytes().size());
    return x.bytes().size();
  }
  void decode_add(double scale, std::span<const std::byte> wire, TensorShapes /*shapes*/,
                  Vector sum) const override {
    wire::expect_size(wire, sum.bytes().size());
    kernels::axpy(scale, ConstVector(sum.scalar(), wire.data(), sum.size()), sum);
  }
  bool unbiased() const override { return true; }
  bool is_identity() const override { return true; }
  double error_bound(std::size_t /*length*/) const override { return 0.0; }
};

}  // namespace

CodecInfo identity_codec() {
  return {.name = "identity",
          .summary = "C(x) = x: nothing is compressed",
          .wire = "32d",
          .error = "0, unbiased",
          .source = "catalogue 5",
          .make = [](std::string_view) -> std::shared_ptr<const Codec> {
            return std::make_shared<Identity>();
          }};
}

}  // namespace trainyard
