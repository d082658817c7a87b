// A graph that is all of its matrix.
#include <cmath>
#include <cstddef>
#include <vector>

#include <fmt/format.h>

#include "trainyard/base/error.hpp"
#include "trainyard/topology/add_topology.hpp"

namespace trainyard {

namespace {

/// What is computed in single precision is taken as it is meant.
constexpr double sum_tolerance = 1e-6;

void check_sums(const std::vector<double>& sums, const char* what) {
  for (std::size_t i = 0; i < sums.size(); ++i) {
    if (std::abs(sums[i] - 1.0) <= sum_tolerance) continue;
    throw UsageError(fmt::format(
        "{} {} of the matrix adds up to {:.9g}; expected 1, or averaging would move the mean", what,
        i, sums[i]));
  }
}

}  // namespace

MixingMatrix matrix_of_weights(int ranks, std::span<const double> weights) {
  const auto n = static_cast<std::size_t>(ranks);
  if (weights.size() != n * n) {
    throw UsageError(fmt::format("found a matrix of {} entries; expected {} × {}, one a worker",
                                 weights.size(), n, n));
  }
  std::vector<double> rows(n, 0.0);
  std::vector<double> columns = rows;
  std::vector<MixingEdge> edges;
  for (std::size_t at = 0; at < weights.size(); ++at) {
    const std::size_t to = at / n, from = at % n;
    const double weight = weights[at];
    if (!std::isfinite(weight) || weight < 0.0) {
      throw UsageError(
          fmt::format("the matrix has {} in row {}, column {}; expected 0 to 1", weight, to, from));
    }
    rows[to] += weight;
    columns[from] += weight;
    if (to != from && weight > 0.0) {
      edges.push_back({static_cast<int>(to), static_cast<int>(from), weight});
    }
  }
  check_sums(rows, "row");
  check_sums(columns, "column");
  return mixing_matrix(ranks, edges);
}

}  // namespace trainyard
