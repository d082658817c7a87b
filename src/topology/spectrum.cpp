// With matcha.cpp the one place that knows Eigen.
#include "trainyard/topology/spectrum.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <Eigen/Dense>
#include <Eigen/Eigenvalues>

#include "trainyard/topology/partial_averaging.hpp"

namespace trainyard {

namespace {

using Matrix = Eigen::MatrixXd;
using Index = Eigen::Index;

constexpr double exactly = 1e-12;
/// A distance that no single round brings down to `exactly` unless it is meant to.
constexpr double far = 1e-6;

std::size_t at(int rank) {
  return static_cast<std::size_t>(rank);
}

Matrix eigen(const MixingMatrix& matrix) {
  const auto n = static_cast<Index>(matrix.size());
  Matrix w = Matrix::Zero(n, n);
  for (Index i = 0; i < n; ++i) {
    const MixingRow& row = matrix[static_cast<std::size_t>(i)];
    w(i, i) = row.self_weight;
    for (const auto& from : row.receives) w(i, from.rank) = from.weight;
  }
  return w;
}

/// m − 11ᵀ/n
Matrix without_mean(Matrix m) {
  m.array() -= 1.0 / static_cast<double>(m.rows());
  return m;
}

Eigen::VectorXd eigenvalues(const Matrix& symmetric) {
  return Eigen::SelfAdjointEigenSolver<Matrix>(symmetric, Eigen::EigenvaluesOnly).eigenvalues();
}

/// The largest singular value. Squaring costs the small ones their digits, not the largest.
double norm(const Matrix& m) {
  Matrix square = Matrix::Zero(m.rows(), m.cols());
  square.selfadjointView<Eigen::Lower>().rankUpdate(m.transpose());
  return std::sqrt(std::max(0.0, eigenvalues(square).tail(1)(0)));
}

/// next = W m, touching what W holds only.
void advance(const MixingMatrix& matrix, const Matrix& m, Matrix& next) {
  for (std::size_t i = 0; i < matrix.size(); ++i) {
    auto column = next.col(static_cast<Index>(i));  // of transposed products: memory in order
    column = matrix[i].self_weight * m.col(static_cast<Index>(i));
    for (const auto& from : matrix[i].receives) column += from.weight * m.col(from.rank);
  }
}

struct Cycle {
  Matrix product;  // transposed
  std::optional<std::size_t> exact_rounds;
};

/// The product over a cycle, and the first round after which it is 11ᵀ/n.
Cycle run_cycle(const Topology& topology) {
  const auto n = static_cast<Index>(topology.matrices.front().size());
  Cycle cycle{Matrix::Identity(n, n), {}};
  Matrix next(n, n);
  const auto distance = [&] { return without_mean(cycle.product).cwiseAbs().maxCoeff(); };
  double before = distance();
  if (before < exactly) cycle.exact_rounds = 0;  // a single rank
  for (std::size_t k = 0; k < topology.period(); ++k) {
    advance(topology.matrices[k], cycle.product, next);
    std::swap(cycle.product, next);
    const double now = distance();
    // Whoever comes near step by step, as all that contract do, is not exact.
    if (!cycle.exact_rounds && now < exactly && before > far) cycle.exact_rounds = k + 1;
    before = now;
  }
  return cycle;
}

void count_rounds(const Topology& topology, TopologyFigures& figures) {
  std::vector<double> x(topology.matrices.front().size());
  std::iota(x.begin(), x.end(), 0.0);
  const double start = std::sqrt(consensus_distance(x));
  PartialAveraging averaging(topology, std::move(x));
  for (std::size_t round = 0; round <= TopologyFigures::most_rounds; ++round) {
    const double left = std::sqrt(consensus_distance(averaging.values()));
    for (const double weight : averaging.weights()) {
      figures.least_weight = std::min(weight, figures.least_weight.value_or(weight));
    }
    if (!figures.rounds_to_1e3 && left <= 1e-3 * start) figures.rounds_to_1e3 = round;
    if (left <= 1e-6 * start) {
      figures.rounds_to_1e6 = round;
      return;
    }
    averaging.next_round();
  }
}

}  // namespace

std::vector<std::vector<double>> dense(const MixingMatrix& matrix) {
  std::vector<std::vector<double>> w(matrix.size(), std::vector<double>(matrix.size(), 0.0));
  for (std::size_t i = 0; i < matrix.size(); ++i) {
    w[i][i] = matrix[i].self_weight;
    for (const auto& from : matrix[i].receives) w[i][at(from.rank)] = from.weight;
  }
  return w;
}

bool symmetric(const MixingMatrix& matrix) {
  for (std::size_t i = 0; i < matrix.size(); ++i) {
    for (const auto& from : matrix[i].receives) {
      const auto& back = matrix[at(from.rank)].receives;
      const auto same = std::ranges::find(back, static_cast<int>(i), &MixingRow::Neighbour::rank);
      if (same == back.end() || std::abs(same->weight - from.weight) > exactly) return false;
    }
  }
  return true;
}

bool row_stochastic(const MixingMatrix& matrix) {
  return std::ranges::all_of(matrix, [](const MixingRow& row) {
    double sum = row.self_weight;
    bool negative = row.self_weight < -exactly;
    for (const auto& from : row.receives) {
      sum += from.weight;
      negative = negative || from.weight < -exactly;
    }
    return !negative && std::abs(sum - 1.0) <= exactly;
  });
}

bool doubly_stochastic(const MixingMatrix& matrix) {
  std::vector<double> columns(matrix.size());
  for (std::size_t i = 0; i < matrix.size(); ++i) {
    columns[i] += matrix[i].self_weight;
    for (const auto& from : matrix[i].receives) columns[at(from.rank)] += from.weight;
  }
  return row_stochastic(matrix) &&
         std::ranges::all_of(columns, [](double sum) { return std::abs(sum - 1.0) <= exactly; });
}

double contraction(const MixingMatrix& matrix) {
  const Matrix m = without_mean(eigen(matrix));
  if (symmetric(matrix)) return eigenvalues(m).cwiseAbs().maxCoeff();
  // On vectors of sum 0, W and W − 11ᵀ/n are the same; the other eigenvalue of the latter is 0.
  if (!row_stochastic(matrix)) return m.eigenvalues().cwiseAbs().maxCoeff();
  return norm(m);
}

double cycle_contraction(const Topology& topology) {
  return norm(without_mean(run_cycle(topology).product));
}

double rms_contraction(const Topology& topology) {
  const auto n = static_cast<Index>(topology.matrices.front().size());
  Matrix mean = Matrix::Zero(n, n);
  for (const MixingMatrix& matrix : topology.matrices) {
    for (std::size_t i = 0; i < matrix.size(); ++i) {
      // wᵀw of row i, which has few entries.
      std::vector<MixingRow::Neighbour> entries = matrix[i].receives;
      entries.push_back({static_cast<int>(i), matrix[i].self_weight});
      for (const auto& a : entries) {
        for (const auto& b : entries) mean(a.rank, b.rank) += a.weight * b.weight;
      }
    }
  }
  mean /= static_cast<double>(topology.period());
  return std::sqrt(std::max(0.0, eigenvalues(without_mean(mean)).tail(1)(0)));
}

double smallest_eigenvalue(const MixingMatrix& matrix) {
  return eigenvalues(eigen(matrix))(0);
}

double consensus_distance(std::span<const double> values) {
  const auto n = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
  double sum = 0.0;
  for (const double value : values) sum += (value - mean) * (value - mean);
  return sum / n;
}

TopologyFigures analyse(const Topology& topology) {
  TopologyFigures figures;
  figures.ranks = static_cast<int>(topology.matrices.front().size());
  figures.period = topology.period();
  figures.lockstep_rounds = 0;
  std::size_t sent = 0;
  for (const MixingMatrix& matrix : topology.matrices) {
    figures.symmetric = figures.symmetric && symmetric(matrix);
    figures.doubly_stochastic = figures.doubly_stochastic && doubly_stochastic(matrix);
    for (const MixingRow& row : matrix) {
      figures.in_degree = std::max(figures.in_degree, row.receives.size());
      figures.out_degree = std::max(figures.out_degree, row.sends_to.size());
      sent += row.sends_to.size();
    }
    const auto rounds = trainyard::lockstep_rounds(matrix);
    if (!rounds || !figures.lockstep_rounds) {
      figures.lockstep_rounds.reset();
    } else {
      figures.lockstep_rounds = std::max(*figures.lockstep_rounds, *rounds);
    }
  }
  figures.messages =
      static_cast<double>(sent) / (static_cast<double>(figures.period) * figures.ranks);
  figures.connected = trainyard::connected(topology);

  const MixingMatrix& first = topology.matrices.front();
  if (figures.period == 1) {
    figures.rho = figures.rms = contraction(first);
    if (figures.symmetric) figures.lambda_min = smallest_eigenvalue(first);
    if (figures.rho < exactly && figures.doubly_stochastic) {
      figures.exact_rounds = figures.ranks == 1 ? 0 : 1;
    }
  } else {
    const Cycle cycle = run_cycle(topology);
    figures.rho = norm(without_mean(cycle.product));
    figures.rms = rms_contraction(topology);
    figures.exact_rounds = cycle.exact_rounds;
  }
  count_rounds(topology, figures);
  return figures;
}

}  // namespace trainyard
