// Measures of a topology: how fast partial averaging over it reaches consensus, and what a round
// costs (catalogue §0, §4.3).
//
// Threads: any; these are functions of their arguments.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "trainyard/topology/topology.hpp"

namespace trainyard {

/// W as rows of n numbers.
std::vector<std::vector<double>> dense(const MixingMatrix& matrix);

bool symmetric(const MixingMatrix& matrix);
/// Rows add up to 1 and nothing is negative, to 1e-12.
bool row_stochastic(const MixingMatrix& matrix);
/// Rows and columns do.
bool doubly_stochastic(const MixingMatrix& matrix);

/// ρ = ‖W − 11ᵀ/n‖₂, the largest singular value: a round multiplies the distance to consensus by at
/// most that. For symmetric W it is the second largest |eigenvalue|. O(n³): 2 s for n = 1024.
/// Where only the columns add up to 1 that norm bounds nothing, and it is the second largest
/// |eigenvalue|: what a round of push-sum leaves in the long run.
double contraction(const MixingMatrix& matrix);
/// contraction() of matrices[period − 1] … matrices[0], a whole cycle.
double cycle_contraction(const Topology& topology);
/// √‖mean over the cycle of WᵀW − 11ᵀ/n‖₂: what a round drawn at random does to the root of the
/// mean squared distance, at most.
double rms_contraction(const Topology& topology);
/// The smallest eigenvalue. REQUIRES: `matrix` is symmetric.
double smallest_eigenvalue(const MixingMatrix& matrix);

/// (1/n) Σ (x_i − x̄)²
double consensus_distance(std::span<const double> values);

struct TopologyFigures {
  int ranks = 1;
  std::size_t period = 1;
  bool symmetric = true;  // every W of the cycle
  bool doubly_stochastic = true;
  bool connected = true;                       // whoever waits long enough hears of everybody
  std::size_t in_degree = 0, out_degree = 0;   // the largest of any rank in any round
  double messages = 0.0;                       // sent a rank and round, on average
  std::optional<std::size_t> lockstep_rounds;  // message times a round takes; catalogue §1.2

  double rho = 0.0;                  // of the matrix; time-varying: of the product over a cycle
  double rms = 0.0;                  // rms_contraction(); static: rho
  std::optional<double> lambda_min;  // static symmetric W: D² and EXTRA need it above −1/3
  /// Rounds after which all hold the mean, to 1e-12, whatever they began with; looked for within a
  /// cycle.
  std::optional<std::size_t> exact_rounds;
  /// From x_i = i, until ‖x − x̄‖ is below so much of what it was; empty beyond most_rounds.
  std::optional<std::size_t> rounds_to_1e3, rounds_to_1e6;

  /// The least w_i of push-sum in these rounds, if only the columns add up to 1. A worker's model
  /// moves by γ/w_i times its gradient, so that γ has to be smaller by about as much.
  std::optional<double> least_weight;

  static constexpr std::size_t most_rounds = 100'000;
  double spectral_gap() const { return 1.0 - rho; }
};
TopologyFigures analyse(const Topology& topology);

}  // namespace trainyard
