// QSGD with s levels (Alistarh et al., NIPS 2017, §3.1): each number is rounded at random to one of
// two neighbouring levels of a ruler with s marks up to ‖x‖, so that it is itself on average:
//   C(x)_i = ‖x‖ sgn(x_i) ⌊s |x_i|/‖x‖ + u_i⌋ / s,   u_i uniform in [0, 1).
//
// Unbiased, but for what ruler.hpp says of the last bits of u, with E‖C(x) − x‖² = (‖x‖/s)² Σ p_i
// (1 − p_i), p_i the fraction of s |x_i|/‖x‖, which is at most min(d/(4s²), √d/s) ‖x‖². (The paper
// has d/s²; p (1 − p) is at most 1/4.)
//
// Wire: ‖x‖ (32 bits), then for each number its level from −s to s, plus s, in ⌈log2(2s+1)⌉ bits.
// With s = 127 that is a byte. ‖x‖ is rounded to the vector's precision, and used so; one beyond
// the largest number of the precision becomes that, which is no less than any |x_i|: all of this
// holds.

#include <algorithm>

#include "trainyard/codec/wire.hpp"

#include "codec/argument.hpp"
#include "codec/rows.hpp"
#include "codec/ruler.hpp"

namespace trainyard {

namespace {

class Qsgd final : public Codec {
 public:
  explicit Qsgd(std::uint32_t levels)
      : levels_(levels), bits_(wire::bits_for(2 * std::uint64_t{levels} + 1)) {}

  std::size_t most_bytes(Scalar scalar, TensorShapes shapes) const override {
    return bytes_of(scalar) + wire::bytes_of_bits(total_size(shapes) * bits_);
  }

  std::size_t encode(ConstVector x, TensorShapes shapes, RandomStream& random,
                     CodecScratch& /*scratch*/, std::span<std::byte> wire) const override {
    with_scalar(x.scalar(), [&]<typename T>(T) { encode_as<T>(x.as<T>(), random, wire); });
    return most_bytes(x.scalar(), shapes);
  }

  void decode_add(double scale, std::span<const std::byte> wire, TensorShapes shapes,
                  Vector sum) const override {
    wire::expect_size(wire, most_bytes(sum.scalar(), shapes));
    with_scalar(sum.scalar(), [&]<typename T>(T) { decode_as<T>(scale, wire, sum.as<T>()); });
  }

  bool unbiased() const override { return true; }
  double error_bound(std::size_t length) const override {
    return ruler_error_bound(levels_, length);
  }

 private:
  template <typename T>
  void encode_as(std::span<const T> x, RandomStream& random, std::span<std::byte> wire) const {
    const Ruler<T> ruler(x, levels_, random);
    wire::store(wire, 0, ruler.norm());
    std::byte* const codes = wire.data() + sizeof(T);
    if (bits_ == 8) {
      ruler.write_bytes(codes);
      return;
    }
    wire::BitWriter writer(codes);
    const auto levels = static_cast<std::int32_t>(levels_);
    ruler.visit_levels([&](std::size_t, std::int32_t level) {
      writer.put(static_cast<std::uint32_t>(level + levels), bits_);
    });
    writer.finish();
  }

  template <typename T>
  void decode_as(double scale, std::span<const std::byte> wire, std::span<T> sum) const {
    const double norm = scale * norm_on<T>(wire);
    const auto levels = static_cast<std::int32_t>(levels_);
    const std::span<const std::byte> codes = wire.subspan(sizeof(T));
    const bool right = bits_ == 8
                           ? codec_loops<T>().add_level_bytes(norm, levels, codes.data(), sum)
                           : add_packed(norm, levels, codes, sum);
    if (!right) throw MalformedMessage("a level of an encoded vector is above the highest");
  }

  /// False where a level is above s. (level/s first: norm/s · level may be beyond the largest
  /// number.)
  template <typename T>
  bool add_packed(double norm, std::int32_t s, std::span<const std::byte> codes,
                  std::span<T> sum) const {
    const double share = 1.0 / s;
    wire::BitReader reader(codes);
    std::int32_t highest = 0;
    for (T& value : sum) {
      const std::int32_t level = static_cast<std::int32_t>(reader.take(bits_)) - s;
      highest = std::max(highest, level);
      value += static_cast<T>(norm * (share * level));
    }
    reader.expect_end();
    return highest <= s;
  }

  std::uint32_t levels_;
  unsigned bits_;
};

}  // namespace

CodecInfo qsgd_codec() {
  return {.name = "qsgd",
          .argument = "S",
          .fallback = "127",
          .summary = "s levels up to ‖x‖, rounded at random; S = 127 takes 8 bits",
          .wire = "32 + d⌈log2(2s+1)⌉",
          .error = "(‖x‖/s)² Σp(1−p), unbiased",
          .source = "Alistarh et al. 2017; catalogue 5",
          .encode_time = Duration{550},
          .decode_time = Duration{330},
          .make = [](std::string_view argument) -> std::shared_ptr<const Codec> {
            return std::make_shared<Qsgd>(
                static_cast<std::uint32_t>(whole_argument(argument, 1, most_levels)));
          }};
}

}  // namespace trainyard
