// C(x) = sgn(x), with sgn(0) = +1: what signSGD sends (Bernstein et al., ICML 2018; catalogue §5).
// It says nothing of how large x is, so its error is unbounded beside ‖x‖, and E C(x) is not x.
//
// Wire: a bit for each number, 1 where it is negative: d bits.

#include <array>
#include <limits>

#include "codec/rows.hpp"
#include "codec/wire.hpp"

namespace trainyard {

namespace {

class PlainSign final : public Codec {
 public:
  std::size_t most_bytes(Scalar /*scalar*/, TensorShapes shapes) const override {
    return wire::bytes_of_bits(total_size(shapes));
  }
  std::size_t encode(ConstVector x, TensorShapes shapes, RandomStream& /*random*/,
                     CodecScratch& /*scratch*/, std::span<std::byte> wire) const override {
    with_scalar(x.scalar(), [&]<typename T>(T) {
      const std::span<const T> numbers = x.as<T>();
      wire::write_bits(wire.data(), numbers.size(),
                       [&](std::size_t i) { return numbers[i] < T{0}; });
    });
    return most_bytes(x.scalar(), shapes);
  }
  void decode_add(double scale, std::span<const std::byte> wire, TensorShapes shapes,
                  Vector sum) const override {
    wire::expect_size(wire, most_bytes(sum.scalar(), shapes));
    wire::expect_zeros_from(wire, sum.size());
    with_scalar(sum.scalar(), [&]<typename T>(T) {
      const std::array<T, 2> values{static_cast<T>(scale), static_cast<T>(-scale)};
      const std::span<T> sums = sum.as<T>();
      for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += values[wire::bit_of(wire, i)];
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
          .summary = "sgn(x): says nothing of how large x is",
          .wire = "d",
          .error = "unbounded, biased",
          .source = "Bernstein, Wang, Azizzadenesheli & Anandkumar 2018; catalogue 5",
          .encode_time = Duration{360},
          .decode_time = Duration{1050},
          .make = [](std::string_view) -> std::shared_ptr<const Codec> {
            return std::make_shared<PlainSign>();
          }};
}

}  // namespace trainyard
