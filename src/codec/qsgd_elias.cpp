// QSGD with Elias codes (Alistarh et al., NIPS 2017, §3.2): the same C(x) as qsgd.cpp's, bit for
// bit from the same random numbers, in fewer bits where most levels are 0. Of 65536 normal numbers
// one takes 2.7 bits at s = √d, and 0.054 at s = 1.
//
// Wire: ‖x‖ (32 bits), then for each level other than 0, from the first place to the last:
//   how many places it lies behind the one before, the first one behind place −1;   Elias gamma
//   its sign, 1 for a number below 0;                                              1 bit
//   its magnitude, from 1 to s;                                                    Elias gamma
// and at the end how many places the end of the vector, place d, lies behind the last of them;
// Elias gamma. Gamma of n ≥ 1 is ⌊log2 n⌋ zeros, a 1, and the ⌊log2 n⌋ lower bits of n: 1, 3, 3, 5
// bits for n = 1, 2, 3, 4. (The paper's Elias omega takes 1, 3, 3, 6, and no less up to n = 127,
// which gaps and levels seldom reach.)
//
// Error: that of qsgd.

#include <bit>
#include <cstdlib>

#include <fmt/format.h>

#include "trainyard/codec/wire.hpp"

#include "codec/argument.hpp"
#include "codec/rows.hpp"
#include "codec/ruler.hpp"

namespace trainyard {

namespace {

std::size_t gamma_bits(std::uint64_t n) {
  return 2 * static_cast<std::size_t>(std::bit_width(n >> 1)) + 1;
}

/// REQUIRES: 1 ≤ n ≤ 2^32.
void put_gamma(wire::BitWriter& writer, std::uint64_t n) {
  const auto lower = static_cast<unsigned>(std::bit_width(n >> 1));
  const std::uint64_t one = std::uint64_t{1} << lower;
  const std::uint64_t rest = 1 | (n - one) << 1;
  if (lower <= 16) {
    writer.put(rest << lower, 2 * lower + 1);
  } else {
    writer.put(0, lower);
    writer.put(rest, lower + 1);
  }
}

/// From 1 to `most`.
std::uint64_t take_gamma(wire::BitReader& reader, std::uint64_t most) {
  const unsigned lower = reader.take_zeros(static_cast<unsigned>(std::bit_width(most >> 1)));
  const std::uint64_t n = (std::uint64_t{1} << lower) | reader.take(lower + 1) >> 1;
  if (n <= most) return n;
  throw MalformedMessage(fmt::format("an encoded vector has {} where {} is the most", n, most));
}

class QsgdElias final : public Codec {
 public:
  explicit QsgdElias(std::uint32_t levels) : levels_(levels) {}

  /// All levels s: a gap of g places takes less than g gaps of one with their levels.
  std::size_t most_bytes(Scalar scalar, TensorShapes shapes) const override {
    return bytes_of(scalar) +
           wire::bytes_of_bits(total_size(shapes) * (2 + gamma_bits(levels_)) + 1);
  }
  bool fixed_size() const override { return false; }

  std::size_t encode(ConstVector x, TensorShapes /*shapes*/, RandomStream& random,
                     CodecScratch& /*scratch*/, std::span<std::byte> wire) const override {
    return with_scalar(x.scalar(),
                       [&]<typename T>(T) { return encode_as<T>(x.as<T>(), random, wire); });
  }

  void decode_add(double scale, std::span<const std::byte> wire, TensorShapes /*shapes*/,
                  Vector sum) const override {
    with_scalar(sum.scalar(), [&]<typename T>(T) { decode_as<T>(scale, wire, sum.as<T>()); });
  }

  bool unbiased() const override { return true; }
  double error_bound(std::size_t length) const override {
    return ruler_error_bound(levels_, length);
  }

 private:
  template <typename T>
  std::size_t encode_as(std::span<const T> x, RandomStream& random,
                        std::span<std::byte> wire) const {
    const Ruler<T> ruler(x, levels_, random);
    wire::store(wire, 0, ruler.norm());
    wire::BitWriter writer(wire.data() + sizeof(T));
    std::size_t next = 0;  // the first place that nothing is known of
    ruler.visit_levels([&](std::size_t i, std::int32_t level) {
      if (level == 0) return;
      put_gamma(writer, i + 1 - next);
      writer.put(level < 0 ? 1 : 0, 1);
      put_gamma(writer, static_cast<std::uint64_t>(std::abs(level)));
      next = i + 1;
    });
    put_gamma(writer, x.size() + 1 - next);
    return static_cast<std::size_t>(writer.finish() - wire.data());
  }

  template <typename T>
  void decode_as(double scale, std::span<const std::byte> wire, std::span<T> sum) const {
    wire::expect_at_least(wire, sizeof(T));
    const double norm = scale * norm_on<T>(wire);
    const double share = 1.0 / levels_;
    wire::BitReader reader(wire.subspan(sizeof(T)));
    std::size_t next = 0;
    while (true) {
      next += take_gamma(reader, sum.size() + 1 - next);
      if (next == sum.size() + 1) break;
      const double sign = reader.take(1) == 0 ? 1.0 : -1.0;
      const double level = sign * static_cast<double>(take_gamma(reader, levels_));
      sum[next - 1] += static_cast<T>(norm * (share * level));
    }
    reader.expect_end();
  }

  std::uint32_t levels_;
};

}  // namespace

CodecInfo qsgd_elias_codec() {
  return {.name = "qsgd-elias",
          .argument = "S",
          .fallback = "127",
          .summary = "qsgd's rule, with Elias codes for the gaps between levels other than 0",
          .wire = "32 + d(3 + 2⌊log2 s⌋) + 1 at most",
          .error = "(‖x‖/s)² Σp(1−p), unbiased",
          .source = "Alistarh et al. 2017; catalogue 5",
          .encode_time = Duration{11000},
          .decode_time = Duration{7300},
          .make = [](std::string_view argument) -> std::shared_ptr<const Codec> {
            return std::make_shared<QsgdElias>(
                static_cast<std::uint32_t>(whole_argument(argument, 1, most_levels)));
          }};
}

}  // namespace trainyard
