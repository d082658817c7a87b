// How many of the fastest workers are worth using, where they differ in speed: the time to a point
// with ‖∇f‖² ≤ ε in the worst case, up to a constant that is the same for all methods here, as
// messages take no time (Tyurin & Richtárik 2023; catalogue §2.19).
//
//   harmonic mean of τ_1 … τ_m · (1 + σ²/(mε))   asynchronous updates by the m fastest
//   τ_m · (1 + σ²/(mε))                          minibatches, one gradient of each of the m fastest
//
// The minimum of the first over m is the optimal time: no method that computes gradients is faster
// by more than a constant, and `rennala` and `ringmaster` reach it with all workers, without
// knowing their speeds. The unit is LΔ/ε, L the smoothness of f and Δ = f(x⁰) − min f: so many
// steps would do without noise.
//
// Threads: any; it is a function of its arguments.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "trainyard/configuration/configuration.hpp"

namespace trainyard {

/// The m fastest workers.
struct FastestWorkers {
  std::size_t workers = 0;      // m
  double slowest_s = 0.0;       // τ_m
  double asynchronous_s = 0.0;  // times LΔ/ε
  double minibatch_s = 0.0;
};

struct OptimalTime {
  /// max(1, ⌈σ²/ε⌉): R of ringmaster, B of rennala.
  std::uint64_t threshold = 1;
  /// Of workers that are alike all or none are best: one entry for each speed, with all that are
  /// at least as fast; the fastest first.
  std::vector<FastestWorkers> ways;
  std::size_t best_asynchronous = 0, best_minibatch = 0;  // of `ways`; of equal ones the fewest
};

/// `compute_s`: what a gradient takes each worker, > 0. `noise_ratio`: σ²/ε ≥ 0, σ² the variance of
/// one gradient. REQUIRES: there is a worker.
OptimalTime optimal_time(std::vector<double> compute_s, double noise_ratio);

/// What a minibatch takes each worker of the configuration, stragglers longer. Throws OptionError
/// where there is no such worker, and where it takes no time.
std::vector<double> compute_seconds(const Configuration& configuration);

}  // namespace trainyard
