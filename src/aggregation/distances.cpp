#include "aggregation/distances.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "aggregation/blocks.hpp"

namespace trainyard {

namespace {

// One sum after the other would take an addition's latency for each number: there are eight, added
// up in a fixed order.
constexpr std::size_t lanes = 8;

template <typename Term>
double sum_in_lanes(std::size_t length, const Term& term) {
  std::array<double, lanes> sums{};
  std::size_t k = 0;
  for (; k + lanes <= length; k += lanes) {
    for (std::size_t j = 0; j < lanes; ++j) sums[j] += term(k + j);
  }
  for (std::size_t j = 0; k < length; ++k, ++j) sums[j] += term(k);
  for (std::size_t half = lanes / 2; half > 0; half /= 2) {
    for (std::size_t j = 0; j < half; ++j) sums[j] += sums[j + half];
  }
  return sums[0];
}

double squared_difference(const double* a, const double* b, std::size_t length) {
  return sum_in_lanes(length, [=](std::size_t k) {
    const double difference = a[k] - b[k];
    return difference * difference;
  });
}

/// Whether a sum of squares has lost nothing at the ends of the range of doubles.
bool is_well_inside(double squares) {
  return squares > 1e-280 && squares < std::numeric_limits<double>::infinity();
}

/// z of the block that begins at `first`.
void load_point(const WeightedPoint& z, ConstVectors in, std::size_t first,
                std::span<double> values) {
  std::array<double, block_length> start{}, v{};
  const std::span<double> from(start.data(), values.size()), other(v.data(), values.size());
  load_block(z.start, first, from);
  std::ranges::fill(values, 0.0);
  for (std::size_t i = 0; i < in.size(); ++i) {
    const double weight = z.weights[i];
    if (weight == 0.0) continue;
    load_block(in[i], first, other);
    for (std::size_t k = 0; k < values.size(); ++k) values[k] += weight * (v[k] - start[k]);
  }
  for (std::size_t k = 0; k < values.size(); ++k) values[k] += start[k];
}

/// √(Σ (v − z)²) in a unit of its own, for what is_well_inside() is not.
double scaled_distance(const WeightedPoint& z, ConstVectors in, ConstVector v) {
  std::array<double, block_length> point{}, values{};
  const auto differences = [&](std::size_t first, std::size_t length) {
    load_point(z, in, first, {point.data(), length});
    load_block(v, first, {values.data(), length});
    for (std::size_t k = 0; k < length; ++k) values[k] -= point[k];
  };
  double largest = 0.0;
  for_blocks(v.size(), [&](std::size_t first, std::size_t length) {
    differences(first, length);
    for (std::size_t k = 0; k < length; ++k) largest = std::max(largest, std::abs(values[k]));
  });
  if (largest == 0.0 || std::isinf(largest)) return largest;
  double squares = 0.0;
  for_blocks(v.size(), [&](std::size_t first, std::size_t length) {
    differences(first, length);
    squares += sum_in_lanes(length, [&](std::size_t k) {
      const double scaled = values[k] / largest;
      return scaled * scaled;
    });
  });
  return largest * std::sqrt(squares);
}

}  // namespace

SquaredDistances::SquaredDistances(ConstVectors in, std::vector<double>& matrix,
                                   std::vector<double>& blocks)
    : n_(in.size()) {
  matrix.assign(n_ * n_, 0.0);
  const Rows rows(blocks, n_);
  for_blocks(in.front().size(), [&](std::size_t first, std::size_t length) {
    rows.load(in, first, length);
    for (std::size_t i = 0; i < n_; ++i) {
      for (std::size_t j = i + 1; j < n_; ++j) {
        matrix[i * n_ + j] += squared_difference(rows.row(i), rows.row(j), length);
      }
    }
  });
  for (std::size_t i = 0; i < n_; ++i) {
    for (std::size_t j = 0; j < i; ++j) matrix[i * n_ + j] = matrix[j * n_ + i];
  }
  matrix_ = matrix;
}

void nearest_first(const SquaredDistances& distances, std::size_t i,
                   std::vector<std::uint32_t>& order) {
  count_up(order, distances.size());
  std::ranges::sort(order, [&](std::uint32_t a, std::uint32_t b) {
    const double to_a = distances.of(i, a), to_b = distances.of(i, b);
    return to_a < to_b || (to_a == to_b && a < b);
  });
}

double norm_of(ConstVector v) {
  double squares = 0.0;
  std::array<double, block_length> values{};
  for_blocks(v.size(), [&](std::size_t first, std::size_t length) {
    load_block(v, first, {values.data(), length});
    squares += sum_in_lanes(length, [&](std::size_t k) { return values[k] * values[k]; });
  });
  if (is_well_inside(squares)) return std::sqrt(squares);
  double largest = 0.0;
  for_blocks(v.size(), [&](std::size_t first, std::size_t length) {
    load_block(v, first, {values.data(), length});
    for (std::size_t k = 0; k < length; ++k) largest = std::max(largest, std::abs(values[k]));
  });
  if (largest == 0.0) return 0.0;
  squares = 0.0;
  for_blocks(v.size(), [&](std::size_t first, std::size_t length) {
    load_block(v, first, {values.data(), length});
    squares += sum_in_lanes(length, [&](std::size_t k) {
      const double scaled = values[k] / largest;
      return scaled * scaled;
    });
  });
  return largest * std::sqrt(squares);
}

void WeightedPoint::distances(ConstVectors in, std::vector<double>& blocks,
                              std::span<double> distances) const {
  const Rows rows(blocks, 2);
  std::ranges::fill(distances, 0.0);
  for_blocks(start.size(), [&](std::size_t first, std::size_t length) {
    load_point(*this, in, first, {rows.row(0), length});
    for (std::size_t i = 0; i < in.size(); ++i) {
      load_block(in[i], first, {rows.row(1), length});
      distances[i] += squared_difference(rows.row(0), rows.row(1), length);
    }
  });
  for (std::size_t i = 0; i < in.size(); ++i) {
    distances[i] =
        is_well_inside(distances[i]) ? std::sqrt(distances[i]) : scaled_distance(*this, in, in[i]);
  }
}

void WeightedPoint::write(ConstVectors in, Vector out) const {
  std::array<double, block_length> point{};
  for_blocks(out.size(), [&](std::size_t first, std::size_t length) {
    load_point(*this, in, first, {point.data(), length});
    store_block({point.data(), length}, out, first);
  });
}

}  // namespace trainyard
