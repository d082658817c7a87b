// C(x) = sgn(x), with sgn(0) = +1: one bit, as signSGD's second paper sends it in its experiments
// (Bernstein, Zhao, Azizzadenesheli & Anandkumar, ICLR 2019; catalogue §5). It says nothing of how
// large x is, so its error is unbounded beside ‖x‖, and E C(x) is not x. Steps along it move what
// has no gradient; the votes of sign-sgd have 0 as a third state, as in the first paper.
//
// Wire: a bit for each number, 1 where it is negative: d bits.

#include <limits>

#include "trainyard/codec/loops.hpp"
#include "trainyard/codec/wire.hpp"

#include "codec/rows.hpp"

namespace trainyard {

namespace {

class PlainSign final : public Codec {
 public:
  std::size_t most_bytes(Scalar /*scalar*/, TensorShapes shapes) const override {
    return wire::bytes_of_bits(total_size(shapes));
  }
  std::size_t encode(ConstVector x, TensorShapes shapes, RandomStream& /*random*/,
                     CodecScratch& /*scratch*/, std::span<std::byte> wire) const override {
    with_scalar(x.scalar(),
                [&]<typename T>(T) { codec_loops<T>().write_signs(x.as<T>(), wire.data()); });
    return most_bytes(x.scalar(), shapes);
  }
  void decode_add(double scale, std::span<const std::byte> wire, TensorShapes shapes,
                  Vector sum) const override {
    wire::expect_size(wire, most_bytes(sum.scalar(), shapes));
    wire::expect_zeros_from(wire, sum.size());
    with_scalar(sum.scalar(), [&]<typename T>(T) {
      codec_loops<T>().add_signs(static_cast<T>(scale), wire.data(), sum.as<T>());
    });
  }
  bool unbiased() const override { return false; }
  double error_bound(std::size_t /*length*/) const override {
    return std::numeric_limits<double>::infinity();
  }
};

}  // namespace

CodecInfo plain_sign_codec() {
  return {.name = "plain-sign",
          .summary = "sgn(x), +1 for 0 (sign-sgd has 0): says nothing of how large x is",
          .wire = "d",
          .error = "unbounded, biased",
          .source = "Bernstein, Zhao, Azizzadenesheli & Anandkumar 2019; catalogue 5",
          .encode_time = Duration{110},
          .decode_time = Duration{120},
          .make = [](std::string_view) -> std::shared_ptr<const Codec> {
            return std::make_shared<PlainSign>();
          }};
}

}  // namespace trainyard
