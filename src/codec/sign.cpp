// Scaled sign (Karimireddy et al., ICML 2019, §4; signSGD's signs, Bernstein et al., ICML 2018,
// with a length):
//   C(x)_i = (‖x‖₁/d) sgn(x_i),   sgn(0) = 1.
// That is one bit a number, which the paper counts. The authors' code has sgn(0) = 0, a third
// state, for which a bit is too little; with the error fed back what a 0 is sent as comes off again
// in the next message.
//
// Biased, a contraction: ‖C(x) − x‖² = ‖x‖² − ‖x‖₁²/d ≤ (1 − 1/d) ‖x‖², as much where one number
// alone is not 0.
//
// Wire: ‖x‖₁/d (32 bits), then d signs of one bit, 1 below 0: 32 + d bits.

#include "trainyard/codec/loops.hpp"
#include "trainyard/codec/norms.hpp"
#include "trainyard/codec/wire.hpp"

#include "codec/rows.hpp"

namespace trainyard {

namespace {

class Sign final : public Codec {
 public:
  std::size_t most_bytes(Scalar scalar, TensorShapes shapes) const override {
    return bytes_of(scalar) + wire::bytes_of_bits(total_size(shapes));
  }

  std::size_t encode(ConstVector x, TensorShapes shapes, RandomStream& /*random*/,
                     CodecScratch& /*scratch*/, std::span<std::byte> wire) const override {
    with_scalar(x.scalar(), [&]<typename T>(T) {
      const std::span<const T> numbers = x.as<T>();
      wire::store(wire, 0, within<T>(mean_magnitude(numbers)));
      codec_loops<T>().write_signs(numbers, wire.data() + sizeof(T));
    });
    return most_bytes(x.scalar(), shapes);
  }

  void decode_add(double scale, std::span<const std::byte> wire, TensorShapes shapes,
                  Vector sum) const override {
    wire::expect_size(wire, most_bytes(sum.scalar(), shapes));
    with_scalar(sum.scalar(), [&]<typename T>(T) {
      const T mean = wire::load<T>(wire, 0);
      wire::expect_number(mean, 0.0);
      const std::span<const std::byte> signs = wire.subspan(sizeof(T));
      wire::expect_zeros_from(signs, sum.size());
      codec_loops<T>().add_signs(static_cast<T>(scale * mean), signs.data(), sum.as<T>());
    });
  }

  bool unbiased() const override { return false; }
  double error_bound(std::size_t length) const override {
    return 1.0 - 1.0 / static_cast<double>(length);
  }
};

}  // namespace

CodecInfo sign_codec() {
  return {.name = "sign",
          .summary = "the signs, +1 for 0 (0 in the authors' code), times the mean magnitude",
          .wire = "32 + d",
          .error = "‖x‖² − ‖x‖₁²/d, biased",
          .source = "Karimireddy et al. 2019; catalogue 5",
          .encode_time = Duration{310},
          .decode_time = Duration{120},
          .make = [](std::string_view) -> std::shared_ptr<const Codec> {
            return std::make_shared<Sign>();
          }};
}

}  // namespace trainyard
