#include "aggregation/sorted_rows.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

namespace trainyard {

namespace {

/// compare(i, j) for each comparator of algorithm M, i < j < n.
template <typename Compare>
void for_comparators(std::size_t n, const Compare& compare) {
  if (n < 2) return;
  const std::size_t top = std::bit_ceil(n) / 2;
  for (std::size_t p = top; p > 0; p /= 2) {
    std::size_t q = top, r = 0, d = p;
    while (true) {
      for (std::size_t i = 0; i + d < n; ++i) {
        if ((i & p) == r) compare(i, i + d);
      }
      if (q == p) break;
      d = q - p;
      q /= 2;
      r = p;
    }
  }
}

/// The two change places, or do not, by their bits: a choice between floating-point numbers would
/// stay a branch, which is four times as slow. Values that compare equal, 0 and −0, stay.
void order_two(double* __restrict low, double* __restrict high, std::size_t length) {
  for (std::size_t k = 0; k < length; ++k) {
    const auto a = std::bit_cast<std::uint64_t>(low[k]), b = std::bit_cast<std::uint64_t>(high[k]);
    const std::uint64_t mask = high[k] < low[k] ? ~std::uint64_t{0} : 0;
    const std::uint64_t changed = (a ^ b) & mask;
    low[k] = std::bit_cast<double>(a ^ changed);
    high[k] = std::bit_cast<double>(b ^ changed);
  }
}

}  // namespace

std::size_t network_size(std::size_t n) {
  std::size_t count = 0;
  for_comparators(n, [&](std::size_t, std::size_t) { ++count; });
  return count;
}

void sort_rows(const Rows& rows, std::size_t first, std::size_t n, std::size_t length) {
  for_comparators(n, [&](std::size_t i, std::size_t j) {
    order_two(rows.row(first + i), rows.row(first + j), length);
  });
}

void median_of_sorted(const Rows& rows, std::size_t first, std::size_t n, std::size_t length,
                      double* result) {
  const double* const low = rows.row(first + (n - 1) / 2);
  const double* const high = rows.row(first + n / 2);
  if (low == high) {
    std::copy_n(low, length, result);
    return;
  }
  // A sum of two may be beyond the largest double; their halves are exact but for the least
  // doubles.
  for (std::size_t k = 0; k < length; ++k) {
    const double sum = low[k] + high[k];
    result[k] = std::abs(sum) <= 1e300 ? 0.5 * sum : 0.5 * low[k] + 0.5 * high[k];
  }
}

void mean_near_median(const Rows& rows, std::size_t n, std::size_t kept, std::size_t length,
                      double* result) {
  for (std::size_t i = 0; i < n; ++i) std::copy_n(rows.row(i), length, rows.row(n + i));
  sort_rows(rows, n, n, length);
  double* const median = rows.row(2 * n);
  median_of_sorted(rows, n, n, length, median);
  for (std::size_t i = 0; i < n; ++i) {
    const double* const v = rows.row(i);
    double* const distance = rows.row(n + i);
    for (std::size_t k = 0; k < length; ++k) distance[k] = std::abs(v[k] - median[k]);
  }
  sort_rows(rows, n, n, length);
  // Those nearer than the kept-th nearest are in, and of those as near as many as there is room.
  const double* const farthest = rows.row(n + kept - 1);
  for (std::size_t k = 0; k < length; ++k) {
    std::size_t nearer = 0;
    while (rows.row(n + nearer)[k] < farthest[k]) ++nearer;
    std::size_t room = kept - nearer;
    double sum = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
      const double difference = rows.row(i)[k] - median[k];
      const double distance = std::abs(difference);
      if (distance > farthest[k]) continue;
      if (distance == farthest[k]) {
        if (room == 0) continue;
        --room;
      }
      sum += difference;
    }
    result[k] = median[k] + sum / static_cast<double>(kept);
  }
}

}  // namespace trainyard
