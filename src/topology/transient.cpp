#include "trainyard/topology/transient.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "trainyard/topology/spectrum.hpp"

namespace trainyard {

namespace {

constexpr double most_work = 2e7;  // twenty milliseconds
/// The tolerance for eigenvalues that are computed in doubles.
constexpr double tolerance = 1e-9;

/// Entries may be negative, as MATCHA's are.
bool keeps_mean(const MixingMatrix& matrix) {
  std::vector<double> columns(matrix.size());
  bool rows_add_up = true;
  for (std::size_t i = 0; i < matrix.size(); ++i) {
    double row = matrix[i].self_weight;
    columns[i] += matrix[i].self_weight;
    for (const auto& from : matrix[i].receives) {
      row += from.weight;
      columns[static_cast<std::size_t>(from.rank)] += from.weight;
    }
    rows_add_up = rows_add_up && std::abs(row - 1.0) < tolerance;
  }
  return rows_add_up &&
         std::ranges::all_of(columns, [](double sum) { return std::abs(sum - 1.0) < tolerance; });
}

}  // namespace

std::optional<Transient> transient(int ranks, std::size_t period, double rho, double rms) {
  const double of_cycle = (1.0 - rho) / static_cast<double>(period);
  const double gap = std::max(of_cycle, period == 1 ? 0.0 : 1.0 - rms);
  if (gap < tolerance) return std::nullopt;
  Transient found{.rho = std::max(0.0, 1.0 - gap), .gap = gap};
  if (found.rho < tolerance) found.rho = 0.0;
  const double order = std::pow(found.rho, 4) * std::pow(static_cast<double>(ranks), 3);
  found.alike = order / std::pow(gap, 2);
  found.unlike = order / std::pow(gap, 4);
  return found;
}

std::optional<Transient> transient(const Topology& topology) {
  const std::size_t ranks = topology.matrices.front().size();
  const auto n = static_cast<double>(ranks);
  // Eigenvalues, and a cycle of matrices that have few entries.
  const double work = n * n * (n + static_cast<double>(topology.period()));
  if (work > most_work) return std::nullopt;
  if (!std::ranges::all_of(topology.matrices, keeps_mean)) return std::nullopt;
  const bool varies = topology.period() > 1;
  const double rho = varies ? cycle_contraction(topology) : contraction(topology.matrices.front());
  return transient(static_cast<int>(ranks), topology.period(), rho,
                   varies ? rms_contraction(topology) : rho);
}

}  // namespace trainyard
