// Which way to divide a network among n workers takes least time: data × pipeline × tensor, over
// all splits of n, on paper.
//
// A step's minibatch is the same in all of them, n times `batch` rows, so that their times compare.
// The time is gpipe's (flush_time() of scheme/pipeline.hpp); 1f1b takes as long where stages are
// alike, and memory is what 1f1b holds. Where stages are split and messages take time it is an
// estimate, within a tenth of the emulated network's where that was asked; so it is where units do
// not divide, and the largest part counts.
//
// Threads: any; these are functions of their arguments.
#pragma once

#include <cstddef>
#include <vector>

#include "trainyard/configuration/configuration.hpp"
#include "trainyard/configuration/split.hpp"
#include "trainyard/model/model.hpp"

namespace trainyard {

struct SplitCost {
  Split split;
  int microbatches = 1;
  double step_s = 0.0;
  // Times of the stage with the most to do: its own computation, adding up what its parts have,
  // adding up what the same stage of other pipelines has, and the rest of a step, in which it
  // waits, ≥ 0.
  double compute_s = 0.0, in_stages_s = 0.0, gradients_s = 0.0, wait_s = 0.0;
  /// Memory of the worker that holds most: parameters, gradients, the optimizer's vectors, and
  /// units and slopes of the minibatches on their way.
  double bytes_held = 0.0;
};

struct SplitSearch {
  /// All that can be, with as many microbatches as are best of powers of two up to 1024, or as
  /// many as the configuration says. The fastest first; of equally fast ones the least divided.
  std::vector<SplitCost> found;
  /// Splits that were left out: fewer layers than stages, or fewer units than workers that share
  /// them.
  std::size_t left_out = 0;
};

/// Searches for a run of `c`, which gives workers, batch, network, compute time (of a worker's
/// minibatch by the whole model), optimizer. Throws UsageError where the model has no layers.
/// REQUIRES: a compute time.
SplitSearch search_splits(const Model& model, const Configuration& c);

}  // namespace trainyard
