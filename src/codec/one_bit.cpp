// One bit for each number (Seide et al., Interspeech 2014, §3): of each column of each matrix, the
// numbers from 0 on become their mean, and those below 0 theirs. No other two values come nearer to
// the column. A 0 is one of those from 0 on, and counts in their mean.
//
// Biased, a contraction: ‖C(x) − x‖² = ‖x‖² − Σ (S₊²/n₊ + S₋²/n₋) over all columns, S₊ and S₋ being
// the sums of a column's n₊ numbers from 0 on and n₋ below; ≤ (1 − 1/rows) ‖x‖², and so ≤ (1 − 1/d)
// ‖x‖². Means of no number are 0.
//
// Wire: for each column of each matrix the mean from 0 on and the mean below 0 (64 bits), then d
// signs of one bit, 1 below 0, in the vector's order: 64 · columns + d bits.

#include <algorithm>

#include "trainyard/codec/loops.hpp"
#include "trainyard/codec/norms.hpp"
#include "trainyard/codec/wire.hpp"

#include "codec/rows.hpp"

namespace trainyard {

namespace {

std::size_t all_columns(TensorShapes shapes) {
  std::size_t columns = 0;
  for (const TensorShape& shape : shapes) columns += shape.columns;
  return columns;
}

/// Calls visit(place, row, column) for each row of each matrix: the place of its first number, and
/// the number of its first column among all columns.
template <typename T, typename Visit>
void visit_rows(std::span<T> x, TensorShapes shapes, const Visit& visit) {
  std::size_t place = 0, column = 0;
  for (const TensorShape& shape : shapes) {
    for (std::size_t row = 0; row < shape.rows; ++row) {
      visit(place, x.subspan(place, shape.columns), column);
      place += shape.columns;
    }
    column += shape.columns;
  }
}

class OneBit final : public Codec {
 public:
  std::size_t most_bytes(Scalar scalar, TensorShapes shapes) const override {
    return 2 * all_columns(shapes) * bytes_of(scalar) + wire::bytes_of_bits(total_size(shapes));
  }

  std::size_t encode(ConstVector x, TensorShapes shapes, RandomStream& /*random*/,
                     CodecScratch& scratch, std::span<std::byte> wire) const override {
    with_scalar(x.scalar(), [&]<typename T>(T) {
      const std::span<const T> numbers = x.as<T>();
      const std::size_t means = write_means<T>(numbers, shapes, scratch.numbers, wire);
      codec_loops<T>().write_signs(numbers, wire.data() + means);
    });
    return most_bytes(x.scalar(), shapes);
  }

  void decode_add(double scale, std::span<const std::byte> wire, TensorShapes shapes,
                  Vector sum) const override {
    wire::expect_size(wire, most_bytes(sum.scalar(), shapes));
    with_scalar(sum.scalar(),
                [&]<typename T>(T) { decode_as<T>(scale, wire, shapes, sum.as<T>()); });
  }

  bool unbiased() const override { return false; }
  double error_bound(std::size_t length) const override {
    return 1.0 - 1.0 / static_cast<double>(length);
  }

 private:
  /// Returns how many bytes they take.
  template <typename T>
  static std::size_t write_means(std::span<const T> x, TensorShapes shapes,
                                 std::vector<double>& numbers, std::span<std::byte> wire) {
    const double unit = summing_unit(x);
    // For each column the sum and the count of numbers ≥ 0, then of those below.
    numbers.assign(4 * all_columns(shapes), 0.0);
    visit_rows(x, shapes, [&](std::size_t, std::span<const T> row, std::size_t first) {
      double* of_column = numbers.data() + 4 * first;
      for (const T value : row) {
        double* const side = of_column + (value < T{0} ? 2 : 0);
        side[0] += static_cast<double>(value) * unit;
        side[1] += 1.0;
        of_column += 4;
      }
    });
    std::size_t offset = 0;
    for (std::size_t i = 0; i < numbers.size(); i += 2, offset += sizeof(T)) {
      const double mean = numbers[i] / std::max(numbers[i + 1], 1.0) / unit;
      wire::store(wire, offset, within<T>(mean));
    }
    return offset;
  }

  template <typename T>
  static void decode_as(double scale, std::span<const std::byte> wire, TensorShapes shapes,
                        std::span<T> sum) {
    const std::size_t means = 2 * all_columns(shapes);
    for (std::size_t i = 0; i < means; ++i) {
      const T mean = wire::load<T>(wire, i * sizeof(T));
      wire::expect_number(i % 2 == 0 ? mean : -mean, 0.0);
    }
    const std::span<const std::byte> signs = wire.subspan(means * sizeof(T));
    wire::expect_zeros_from(signs, sum.size());
    const T factor = static_cast<T>(scale);
    visit_rows(sum, shapes, [&](std::size_t place, std::span<T> row, std::size_t first) {
      for (std::size_t j = 0; j < row.size(); ++j) {
        const std::size_t below = wire::bit_of(signs, place + j);
        row[j] += factor * wire::load<T>(wire, (2 * (first + j) + below) * sizeof(T));
      }
    });
  }
};

}  // namespace

CodecInfo one_bit_codec() {
  return {.name = "one-bit",
          .summary =
              "of each column two values: the mean from 0 on and the mean below 0; a shard is one "
              "column",
          .wire = "64 · columns + d",
          .error = "‖x‖² − Σ(S₊²/n₊ + S₋²/n₋) over columns, biased",
          .source = "Seide et al. 2014; catalogue 5",
          .encode_time = Duration{1600},
          .decode_time = Duration{1400},
          .make = [](std::string_view) -> std::shared_ptr<const Codec> {
            return std::make_shared<OneBit>();
          }};
}

}  // namespace trainyard
