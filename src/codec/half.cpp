// Numbers of 16 bits, rounded to the nearest, ties to even: fp16 is IEEE 754's binary16 (1 sign, 5
// exponent and 10 fraction bits: 6.0e-8 to 65504), bf16 the upper half of a float (1, 8 and 7:
// 9.2e-41 to 3.39e38). A double is first rounded to float, so that it may be rounded twice.
//
// What is too large becomes ±65504 and ±3.39e38, and not infinite: what is sent is finite.
//
// Biased. fp16: |C(x)_i − x_i| ≤ 2^-11 |x_i| for 2^-14 ≤ |x_i| ≤ 65504, but what is below 2^-25 is
// lost, and beyond 65504 nothing is sure but that C(x)_i is nearer to x_i than 0 is: in all,
// ‖C(x) − x‖² ≤ ‖x‖². bf16: |C(x)_i − x_i| ≤ 2^-8 |x_i| for all numbers of float's range, 2^-126 to
// 2^128, those near its end included, so that ‖C(x) − x‖² ≤ 2^-16 ‖x‖².
//
// Wire: the d numbers, 16d bits.

#include "trainyard/codec/loops.hpp"
#include "trainyard/codec/wire.hpp"

#include "codec/rows.hpp"

namespace trainyard {

namespace {

/// How one of the two formats is written and read.
template <typename T>
struct Loops {
  void (*write)(std::span<const T> x, std::byte* to);
  bool (*add)(T factor, const std::byte* from, std::span<T> sum);
};
enum class Format : std::uint8_t { fp16, bf16 };

template <typename T>
Loops<T> loops_of(Format format) {
  const CodecLoops<T>& loops = codec_loops<T>();
  if (format == Format::fp16) return {loops.write_fp16, loops.add_fp16};
  return {loops.write_bf16, loops.add_bf16};
}

class Half final : public Codec {
 public:
  Half(Format format, double error_bound) : format_(format), error_bound_(error_bound) {}

  std::size_t most_bytes(Scalar /*scalar*/, TensorShapes shapes) const override {
    return total_size(shapes) * sizeof(std::uint16_t);
  }

  std::size_t encode(ConstVector x, TensorShapes shapes, RandomStream& /*random*/,
                     CodecScratch& /*scratch*/, std::span<std::byte> wire) const override {
    with_scalar(x.scalar(),
                [&]<typename T>(T) { loops_of<T>(format_).write(x.as<T>(), wire.data()); });
    return most_bytes(x.scalar(), shapes);
  }

  void decode_add(double scale, std::span<const std::byte> wire, TensorShapes shapes,
                  Vector sum) const override {
    wire::expect_size(wire, most_bytes(sum.scalar(), shapes));
    const bool finite = with_scalar(sum.scalar(), [&]<typename T>(T) {
      return loops_of<T>(format_).add(static_cast<T>(scale), wire.data(), sum.as<T>());
    });
    if (!finite) throw MalformedMessage("an encoded vector has a number that is not finite");
  }

  bool unbiased() const override { return false; }
  double error_bound(std::size_t /*length*/) const override { return error_bound_; }

 private:
  Format format_;
  double error_bound_;
};

}  // namespace

CodecInfo fp16_codec() {
  return {.name = "fp16",
          .summary = "rounded to 16 bits, 11 of them significant, up to ±65504",
          .wire = "16d",
          .error = "≤ 2^-22 ‖x‖² for 2^-14 ≤ |x| ≤ 65504, ≤ ‖x‖² else; biased",
          .source = "catalogue 5",
          .encode_time = Duration{80},
          .decode_time = Duration{290},
          .make = [](std::string_view) -> std::shared_ptr<const Codec> {
            return std::make_shared<Half>(Format::fp16, 1.0);
          }};
}

CodecInfo bf16_codec() {
  return {.name = "bf16",
          .summary = "rounded to the upper 16 bits of a float, 8 of them significant",
          .wire = "16d",
          .error = "≤ 2^-16 ‖x‖², biased",
          .source = "catalogue 5",
          .encode_time = Duration{160},
          .decode_time = Duration{130},
          .make = [](std::string_view) -> std::shared_ptr<const Codec> {
            return std::make_shared<Half>(Format::bf16, 0x1p-16);
          }};
}

}  // namespace trainyard
