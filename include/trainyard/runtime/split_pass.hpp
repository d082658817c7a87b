// Minibatches on their way through a worker's part of a stage whose layers are split by their units
// (tensor_split.hpp): forward, and then backward, block by block. Of a model in one piece there is
// one stage.
//
//   SplitPass pass(worker, stage, part, parts);
//   while (worker.next_step()) {
//     pass.begin(worker.minibatches().next(), comm.receive(below).vector());
//     for (std::size_t block = 0; block < pass.blocks(); ++block) add_up(pass.forward(block));
//     comm.send(above, pass.units_of_stage());
//     pass.turn(comm.receive(above).vector());
//     for (std::size_t block = pass.blocks(); block-- > 0;) add_up(pass.backward(block));
//     comm.send(below, pass.end());
//     worker.apply(pass.gradient());
//   }
//
// Both ways take simulated time: the part's shares of the arithmetic of a gradient of the whole
// model. What forward() and backward() return is to be added up over the parts, in place; it is
// empty where nothing is. What each minibatch leaves here meanwhile is told in passing.hpp.
//
// Threads: belongs to its worker's rank.
#pragma once

#include <cstddef>

#include "trainyard/base/vector.hpp"
#include "trainyard/data/batch.hpp"
#include "trainyard/model/tensor_split.hpp"
#include "trainyard/runtime/passing.hpp"

namespace trainyard {

class Worker;

class SplitPass {
 public:
  /// The worker's replica is TensorSplit::holding() of part `part` of `parts` of the stage. At most
  /// so many minibatches are on their way at once. Throws UsageError where the model has no layers,
  /// or too few units. `worker` outlives it.
  SplitPass(Worker& worker, const Stage& stage, int part, int parts,
            std::size_t most_in_flight = 1);

  const Stage& stage() const { return split_.stage(); }
  std::size_t blocks() const { return split_.blocks(); }
  bool scores_are_split() const { return split_.scores_are_split(); }

  // Forward, of the minibatch that has begun last.

  /// Arguments as of StagePass::forward(); the first stage does without `below`.
  void begin(Batch batch, ConstVector below = {}, ConstVector weights = {});
  /// To be called for the blocks in their order. Returns terms of the block's units.
  Vector forward(std::size_t block);
  /// After that, where scores are split: the greatest score of each row in this part, whose maximum
  /// over all parts is to be taken; and then terms of the sum of exponentials.
  Vector greatest_scores();
  Vector sums_of_exponentials();
  /// For the stage above [rows × stage().outputs]; empty of the last stage.
  ConstVector units_of_stage();

  // Backward, of the one that is the longest on its way.

  /// From now on it goes backward. `above` is what the stage above made of it, and stays until the
  /// first backward() returns; the last stage does without.
  void turn(ConstVector above = {}) { above_ = above; }
  /// From the last block to the first: terms of the slopes of what goes into the block.
  Vector backward(std::size_t block);
  /// The minibatch has passed. Returns what the stage below wants [rows × stage().inputs], valid
  /// until the next begin(); empty of the first stage.
  ConstVector end();
  /// The gradient of the part's parameters, mean over the minibatch, regulariser included;
  /// complete, and the caller's to change, after the last backward().
  Vector gradient() { return gradient_.view(); }

 private:
  const TensorSplit split_;
  PassingMinibatches passing_;
  VectorBuffer gradient_;
  ConstVector above_;
};

}  // namespace trainyard
