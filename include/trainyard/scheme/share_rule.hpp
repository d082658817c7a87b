// The weights of the workers' shares in what a scheme minimises, and the effect of --weights on
// them.
//
// Threads: a value like any other.
#pragma once

#include <string>

#include "trainyard/data/partition.hpp"

namespace trainyard {

/// With equal shares a mean over workers is one over rows. Where they are not,
///   (1/n) Σ_i (n n_i / N) f_i = Σ_i (n_i / N) f_i,
/// so --weights rows multiplies each gradient of worker i by n n_i / N, and every rule that
/// minimises the mean over workers minimises the mean over rows: exact, whatever it averages, be it
/// gradients, replicas or neighbours' replicas. A worker's own step is as many times longer.
struct ShareRule {
  ShareWeights published = ShareWeights::workers;
  /// The program itself weighs what it averages, by Minibatches::share_weight(): gradients stay as
  /// they are.
  bool in_program = false;
  /// Why there is no other than the published one: of rules that heed neither.
  std::string fixed{};
};

}  // namespace trainyard
