// What relaxed ADMM keeps of a worker's links (admm.cpp): its z_ij, all of them together.
#pragma once

#include <utility>

#include "trainyard/collective/neighbour_average.hpp"
#include "trainyard/model/kernels.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "scheme/gossip.hpp"

namespace trainyard {

inline const HyperparameterInfo relaxation_info{
    .name = "relaxation",
    .argument = "ALPHA",
    .help = "of ADMM: 0.5 is plain ADMM, more goes further towards what neighbours hold",
    .fallback = 0.5,
    .low = 1e-6,
    .high = 1.0 - 1e-6};

/// Both ends i and j of each link hold a z, and
///   z_ij ← (1 − α) z_ij − α (z_ji − 2ρ x_j)  after every round of new x.
/// Their difference adds up x_j − x_i, and their sum becomes ρ (x_i + x_j):
///   z_ij − z_ji ← z_ij − z_ji + 2αρ (x_j − x_i),
///   z_ij + z_ji ← (1 − 2α) (z_ij + z_ji) + 2αρ (x_i + x_j).
/// Both are summed up over the d neighbours of a worker, so that it keeps two vectors and tells all
/// neighbours the same, where a z for each link would be d vectors and d different messages. (That
/// is what a link needs that may lose messages: there the ends no longer agree.)
///
/// Kept are what a sum of large numbers would round away,
///   dual = ½ Σ_j (z_ij − z_ji),  pull = Σ_j z_ij − dρ x_i,
/// both 0 at first: z_ij = ρ x⁰, where all begin alike. The duals of all workers add up to 0.
///
/// Threads: belongs to its worker's rank.
class LinkPull {
 public:
  /// What the run's state calls them, and the x of the last round.
  struct Names {
    const char *dual, *pull, *before;
  };
  /// x is `told`, which is what it is at first. REQUIRES: the graph never changes.
  LinkPull(Worker& worker, const MixingRow& links, Vector told, const Names& names)
      : comm_(worker.comm()),
        lost_(1.0 - 2.0 * worker.hyperparameter("relaxation")),
        links_(links_that_count(
            2.0 * worker.hyperparameter("relaxation") * worker.hyperparameter("consensus-penalty"),
            links)),
        curvature_(2.0 * worker.hyperparameter("consensus-penalty") *
                   static_cast<double>(links.receives.size())),
        told_(told),
        before_(worker.keep(names.before, told)),
        dual_(worker.keep(names.dual, told.size())),
        pull_(worker.keep(names.pull, told.size())),
        apart_(told.scalar(), told.size()) {}

  /// dρ, with ρ twice --consensus-penalty.
  double curvature() const { return curvature_; }
  /// What x was in the last round, and before the first one.
  ConstVector before() const { return before_; }
  ConstVector pull() const { return pull_; }

  /// The two halves of a round, between which x stands still.
  void tell() { send_to_neighbours(comm_, links_, told_); }
  void hear() {
    // What z_ij + z_ji is off from ρ (x_i + x_j), of which 2α goes.
    kernels::axpy(-1.0, dual_, pull_);
    kernels::add_difference(curvature_, before_, told_, pull_);
    kernels::scale(lost_, pull_);
    difference_to_neighbours(comm_, links_, told_, apart_.view());
    kernels::add(apart_.view(), dual_);
    kernels::add(apart_.view(), pull_);
    kernels::add(dual_, pull_);
    kernels::copy(told_, before_);
  }

 private:
  Communicator& comm_;
  const double lost_;
  const MixingRow links_;
  const double curvature_;
  const Vector told_, before_, dual_, pull_;
  VectorBuffer apart_;  // 2αc Σ_j (x_j − x_i)
};

}  // namespace trainyard
