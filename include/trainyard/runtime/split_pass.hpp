// A minibatch on its way through a worker's part of a model whose layers are split by their units:
// forward, and then backward, block by block (tensor_split.hpp).
//
//   SplitPass pass(worker, part, parts);
//   while (worker.next_step()) {
//     pass.begin(worker.next_minibatch());
//     for (std::size_t block = 0; block < pass.blocks(); ++block) add_up(pass.forward(block));
//     for (std::size_t block = pass.blocks(); block-- > 0;) add_up(pass.backward(block));
//     worker.apply(pass.gradient());
//   }
//
// Both take simulated time: the part's shares of the arithmetic of a gradient of the whole model.
// What they return is to be added up over the parts, in place; it is empty where nothing is.
//
// Threads: belongs to its worker's rank.
#pragma once

#include <cstddef>
#include <vector>

#include "trainyard/base/vector.hpp"
#include "trainyard/data/batch.hpp"
#include "trainyard/model/model.hpp"
#include "trainyard/model/tensor_split.hpp"

namespace trainyard {

class Worker;

class SplitPass {
 public:
  /// The worker's replica is TensorSplit::holding() of part `part` of `parts`. Throws UsageError
  /// where the model has no layers, or too few units. `worker` outlives it.
  SplitPass(Worker& worker, int part, int parts);

  std::size_t blocks() const { return split_.blocks(); }
  bool scores_are_split() const { return split_.scores_are_split(); }

  /// All that follows is about this minibatch.
  void begin(Batch batch);
  /// Of the blocks in their order: terms of the block's units.
  Vector forward(std::size_t block);
  /// Where scores are split, after that: of each row the greatest of this part, of which the
  /// greatest of all parts is to be taken, and then terms of the sum of exponentials.
  Vector greatest_scores();
  Vector sums_of_exponentials();
  /// From the last block to the first: terms of the slopes of what goes into the block.
  Vector backward(std::size_t block);
  /// Of the part's parameters, mean over the minibatch, regulariser included; complete, and the
  /// caller's to change, after the last backward().
  Vector gradient() { return gradient_.view(); }

 private:
  Worker& worker_;
  const TensorSplit split_;
  std::vector<RowRange> batch_;
  VectorBuffer gradient_;
  Workspace workspace_;
};

}  // namespace trainyard
