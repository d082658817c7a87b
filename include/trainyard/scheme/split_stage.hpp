// A worker as one of T parts of a stage (or of the whole model, where there is one stage): what
// SplitPass computes is all-reduced among the parts, a pair of layers at a time.
//
//   StagePart part(worker, {.stages = 1, .parts = T}, …);
//   part.forward(worker.minibatches().next());
//   part.backward();
//   worker.apply(part.gradient());
//
// Threads: as of a Worker, whose program has one of these.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "trainyard/base/even_split.hpp"
#include "trainyard/base/vector.hpp"
#include "trainyard/collective/all_reduce.hpp"
#include "trainyard/runtime/group.hpp"
#include "trainyard/runtime/split_pass.hpp"
#include "trainyard/scheme/scheme.hpp"

namespace trainyard {

class StagePart {
 public:
  /// Part number `rank % parts` of `stage`, with its neighbours.
  StagePart(Worker& worker, const Stage& stage, int parts, const AllReduce& collective,
            std::size_t most_in_flight = 1);

  // As StagePass::forward(); the stage's units and slopes are whole at each part.
  ConstVector forward(Batch batch, ConstVector below = {}, ConstVector weights = {});
  ConstVector backward(ConstVector above = {});
  Vector gradient() { return pass_.gradient(); }

 private:
  void add_up(Vector terms);

  const AllReduce& collective_;
  GroupCommunicator parts_;
  SplitPass pass_;
};

/// How long a stage in parts takes, in lock-step: its share of computing and its all-reduces. Of
/// parts of several sizes as long as if all were as the largest.
class StagePartTimes {
 public:
  /// `layers`: of the stage, each by itself. `setting` and `collective` outlive it.
  StagePartTimes(const StepSetting& setting, std::span<const Stage> layers, int parts,
                 const AllReduce& collective);

  /// All layers have units for all parts, as TensorSplit wants them.
  bool can_be() const;
  /// All parts are of one size, but for the biases that the first one has for all: only then the
  /// rest is exact.
  bool even() const;
  Duration computing_forward(double minibatches) const;
  Duration computing_backward(double minibatches) const;
  /// All-reduces of a minibatch with so many rows.
  Duration adding_forward(std::size_t rows) const;
  Duration adding_backward(std::size_t rows) const;
  /// Parameters of the first part where all are even, and no fewer than the largest has.
  std::size_t parameters() const;

 private:
  double largest_share(std::size_t layer) const;
  Duration sum(std::size_t length) const;

  const StepSetting& setting_;
  std::vector<Stage> layers_;
  int parts_;
  const AllReduce& collective_;
};

}  // namespace trainyard
