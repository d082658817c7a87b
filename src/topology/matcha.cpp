#include "trainyard/topology/matcha.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include <Eigen/Dense>
#include <Eigen/Eigenvalues>
#include <fmt/format.h>

#include "trainyard/base/error.hpp"
#include "trainyard/base/random.hpp"
#include "trainyard/topology/edge_colouring.hpp"

#include "topology/graph.hpp"

namespace trainyard {

namespace {

using Matrix = Eigen::MatrixXd;
using Index = Eigen::Index;
using Solver = Eigen::SelfAdjointEigenSolver<Matrix>;

/// Half a minute.
constexpr int most_planned = 1024;
constexpr int fewest_rounds_of_cycle = 256;
/// That do not connect all ranks, before cycles get longer.
constexpr int draws_of_a_length = 20;

/// The links of a graph, each once, in a fixed order.
std::vector<GraphEdge> links_of(const Topology& graph) {
  std::set<std::pair<int, int>> pairs;
  for (const MixingMatrix& matrix : graph.matrices) {
    for (std::size_t to = 0; to < matrix.size(); ++to) {
      for (const MixingRow::Neighbour& from : matrix[to].receives) {
        pairs.insert(std::minmax(static_cast<int>(to), from.rank));
      }
    }
  }
  std::vector<GraphEdge> links;
  links.reserve(pairs.size());
  for (const auto& [a, b] : pairs) links.push_back({a, b});
  return links;
}

/// Σ weight_j L_j
Matrix laplacian(const std::vector<std::vector<GraphEdge>>& matchings,
                 const std::vector<double>& weights, int ranks) {
  Matrix sum = Matrix::Zero(ranks, ranks);
  for (std::size_t j = 0; j < matchings.size(); ++j) {
    for (const auto& [a, b] : matchings[j]) {
      sum(a, a) += weights[j];
      sum(b, b) += weights[j];
      sum(a, b) -= weights[j];
      sum(b, a) -= weights[j];
    }
  }
  return sum;
}

/// The nearest probabilities that add up to `total`: p_j − shift, cut to [0, 1].
void project(std::vector<double>& p, double total) {
  double low = -1.0 - *std::ranges::max_element(p), high = *std::ranges::max_element(p) + 1.0;
  const auto cut = [](double value) { return std::clamp(value, 0.0, 1.0); };
  for (int i = 0; i < 100; ++i) {
    const double shift = (low + high) / 2;
    double sum = 0.0;
    for (const double each : p) sum += cut(each - shift);
    (sum > total ? low : high) = shift;
  }
  for (double& each : p) each = cut(each - high);
}

/// λ₂ is concave in p, and (x_a − x_b)² summed over a matching, with x its eigenvector, is its
/// slope: up it goes, in ever shorter steps, keeping the best.
std::vector<double> best_probabilities(const std::vector<std::vector<GraphEdge>>& matchings,
                                       double budget, int ranks) {
  const double total = budget * static_cast<double>(matchings.size());
  std::vector<double> p(matchings.size(), budget), best = p;
  if (budget == 1.0 || matchings.size() == 1) return best;
  const double n = ranks;
  // An eigenvector costs n³; a few seconds in all.
  const int steps = static_cast<int>(std::clamp(2e9 / (n * n * n), 3.0, 300.0));
  double best_connectivity = -1.0;
  for (int step = 0; step < steps; ++step) {
    const Solver solver(laplacian(matchings, p, ranks));
    if (solver.eigenvalues()(1) > best_connectivity) {
      best_connectivity = solver.eigenvalues()(1);
      best = p;
    }
    const auto x = solver.eigenvectors().col(1);
    std::vector<double> slope;
    double length = 0.0;
    for (const auto& matching : matchings) {
      double sum = 0.0;
      for (const auto& [a, b] : matching) sum += (x(a) - x(b)) * (x(a) - x(b));
      slope.push_back(sum);
      length += sum * sum;
    }
    const double rate = 0.3 / std::sqrt((step + 1) * std::max(length, 1e-30));
    for (std::size_t j = 0; j < p.size(); ++j) p[j] += rate * slope[j];
    project(p, total);
  }
  return best;
}

/// The minimum of a convex function over [low, high], by golden sections.
template <typename Function>
double argmin(double low, double high, const Function& function) {
  const double golden = (std::sqrt(5.0) - 1.0) / 2.0;
  double left = high - golden * (high - low), right = low + golden * (high - low);
  double at_left = function(left), at_right = function(right);
  for (int i = 0; i < 40; ++i) {
    if (at_left < at_right) {
      high = right;
      right = std::exchange(left, right - golden * (right - low));
      at_right = std::exchange(at_left, function(left));
    } else {
      low = left;
      left = std::exchange(right, left + golden * (high - left));
      at_left = std::exchange(at_right, function(right));
    }
  }
  return (low + high) / 2;
}

}  // namespace

MatchaPlan plan_matcha(const Topology& graph, double budget) {
  const int ranks = static_cast<int>(graph.matrices.front().size());
  if (ranks > most_planned) {
    throw UsageError(
        fmt::format("matcha: the rounds of {} workers cannot be planned, which takes time with "
                    "their cube; at most {}",
                    ranks, most_planned));
  }
  MatchaPlan plan;
  plan.matchings = matchings_of(ranks, links_of(graph));
  if (plan.matchings.empty()) return plan;  // one rank
  plan.probabilities = best_probabilities(plan.matchings, budget, ranks);

  std::vector<double> spread;  // p_j (1 − p_j)
  for (const double p : plan.probabilities) spread.push_back(p * (1.0 - p));
  const Matrix mean = laplacian(plan.matchings, plan.probabilities, ranks);
  const Matrix square = mean * mean + 2.0 * laplacian(plan.matchings, spread, ranks);
  const Matrix away_from_mean =
      Matrix::Identity(ranks, ranks) - Matrix::Constant(ranks, ranks, 1.0 / ranks);
  const auto left = [&](double a) {
    const Matrix m = away_from_mean - 2.0 * a * mean + a * a * square;
    return Solver(m, Eigen::EigenvaluesOnly).eigenvalues()(ranks - 1);
  };
  const double largest = Solver(mean, Eigen::EigenvaluesOnly).eigenvalues()(ranks - 1);
  plan.step = argmin(0.0, 2.0 / largest, left);
  plan.contraction = left(plan.step);
  return plan;
}

namespace {

/// Which matchings take part in each round.
using Draws = std::vector<std::vector<bool>>;

Draws draw(const MatchaPlan& plan, int rounds, RandomStream& random) {
  Draws draws(static_cast<std::size_t>(rounds));
  for (auto& active : draws) {
    for (const double p : plan.probabilities) active.push_back(random.uniform() < p);
  }
  return draws;
}

/// Whether all that take part at all connect all ranks.
bool connect(const Draws& draws, const MatchaPlan& plan, int ranks) {
  std::vector<GraphEdge> links;
  for (std::size_t j = 0; j < plan.matchings.size(); ++j) {
    if (std::ranges::any_of(draws, [&](const auto& active) { return active[j]; })) {
      links.insert(links.end(), plan.matchings[j].begin(), plan.matchings[j].end());
    }
  }
  return connected(ranks, links);
}

}  // namespace

Topology drawn_rounds(const MatchaPlan& plan, int ranks, std::uint64_t seed) {
  RandomStream random(seed, Purpose::topology);
  int rounds = fewest_rounds_of_cycle;
  Draws draws = draw(plan, rounds, random);
  // A small budget may leave a matching out of so many rounds, and for good, since they repeat.
  for (int again = 1; !connect(draws, plan, ranks); ++again) {
    if (again % draws_of_a_length == 0) rounds *= 2;
    draws = draw(plan, rounds, random);
  }
  Topology topology;
  for (const auto& active : draws) {
    std::vector<MixingEdge> edges;
    for (std::size_t j = 0; j < plan.matchings.size(); ++j) {
      if (!active[j]) continue;
      for (const auto& [a, b] : plan.matchings[j]) {
        edges.push_back({a, b, plan.step});
        edges.push_back({b, a, plan.step});
      }
    }
    topology.matrices.push_back(mixing_matrix(ranks, edges));
  }
  return topology;
}

}  // namespace trainyard
