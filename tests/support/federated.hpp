// Federated schemes on five quadratics of one coordinate, whose rules are followed round by round:
// which workers are drawn is the scheme's to say, and a test finds it out by what comes of it.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/golden.hpp"
#include "support/replicas.hpp"

namespace trainyard::test {

/// f_i(x) = h_i (x − a_i)² / 2. The data are floats: those that are nearest to these.
inline const std::vector<double>& federated_curvatures() {
  static const std::vector<double> h{1.0, 2.0, 0.5, 1.5, static_cast<double>(0.8F)};
  return h;
}
inline const std::vector<double>& federated_minima() {
  static const std::vector<double> a{static_cast<double>(0.3F), -1.0, 2.0,
                                     static_cast<double>(0.7F), static_cast<double>(-0.4F)};
  return a;
}
constexpr double federated_lr = 0.1;

inline Dataset federated_data() {
  std::vector<std::vector<double>> h, a;
  for (const double curvature : federated_curvatures()) h.push_back({curvature});
  for (const double minimum : federated_minima()) a.push_back({minimum});
  return quadratic_data(h, a);
}

inline double federated_gradient(std::size_t i, double x) {
  return federated_curvatures()[i] * (x - federated_minima()[i]);
}

/// Σ w_i a_i / Σ w_i
template <typename Weight>
double weighed_minima(const Weight& weight) {
  double sum = 0.0, weights = 0.0;
  for (std::size_t i = 0; i < 5; ++i) {
    sum += weight(i, federated_curvatures()[i]) * federated_minima()[i];
    weights += weight(i, federated_curvatures()[i]);
  }
  return sum / weights;
}

/// w_i = h_i
inline double federated_optimum() {
  return weighed_minima([](std::size_t, double h) { return h; });
}

inline Configuration federated(const std::string& scheme, double period, double participation,
                               std::uint64_t rounds) {
  Configuration c;
  c.scheme = scheme;
  c.workers = 5;
  c.steps = rounds * static_cast<std::uint64_t>(period);
  c.optimizer.lr = federated_lr;
  c.hyperparameters = {{"period", period}, {"participation", participation}};
  return c;
}

/// All sets of so many of the five workers.
inline std::vector<std::vector<std::size_t>> sets_of(int many) {
  std::vector<std::vector<std::size_t>> sets;
  for (unsigned bits = 0; bits < 32; ++bits) {
    if (__builtin_popcount(bits) != many) continue;
    sets.emplace_back();
    for (std::size_t i = 0; i < 5; ++i) {
      if ((bits >> i & 1U) != 0) sets.back().push_back(i);
    }
  }
  return sets;
}

/// A round of a rule: `after(before, drawn)` is the state, with the model x, that follows `before`
/// when these workers are drawn. In each round exactly one set of so many leads to the model found.
template <typename State, typename Rule>
State follow_rounds(Configuration c, std::uint64_t rounds, int many, State state,
                    const Rule& after) {
  const auto period = static_cast<std::uint64_t>(c.hyperparameters.at("period"));
  for (std::uint64_t round = 1; round <= rounds; ++round) {
    CAPTURE(c.scheme, many, round);
    c.steps = round * period;
    const Replicas found = run_on_quadratic(c, federated_data());
    for (const auto& replica : found.workers) CHECK(replica[0] == found.model[0]);
    std::optional<State> next;
    for (const auto& drawn : sets_of(many)) {
      const State candidate = after(state, drawn);
      if (std::abs(candidate.x - found.model[0]) > 1e-12) continue;
      CHECK_FALSE(next);  // or the check below says little
      next = candidate;
    }
    REQUIRE(next);
    state = *next;
  }
  return state;
}

}  // namespace trainyard::test
