// One worker's part of a network whose layers are split by their units (Shoeybi et al. 2019,
// Megatron-LM, §3; Coates et al. 2013).
//
// Layers go in pairs. Of the first one a part has some of the units, which are columns of its
// weights: ReLU of a unit needs no other unit. Of the second one it has the rows of the weights
// that its units meet, so that its product is one term of a sum over all parts. A pair therefore
// needs one all-reduce forward, of what the second layer makes, and one backward, of the slopes of
// what goes into the first. Split by columns twice, it would need a gather between the two.
//
// An odd last layer, which makes the class scores, is split by columns. Softmax over scores that
// lie here and there needs the greatest score of each row and the sum of exponentials, two numbers
// a row, and not the scores themselves.
//
// A pair, and an odd last layer, is called a block. Where the model is cut into stages, between
// blocks, this is a part of one stage, to which the stage below gives what goes into its first
// block and the stage above the slopes of what its last one makes:
//
//   for (block = 0; block < split.blocks(); ++block) add up split.forward(block, …);
//   if (split.scores_are_split()) {
//     take the greatest of split.greatest_scores(…);
//     add up split.sums_of_exponentials(…);
//   }
//   the stage above gets split.units_of_stage(…);
//   for (block = split.blocks(); block-- > 0;) add up split.backward(block, …);
//   the stage below gets split.slopes_below(…);
//
// What is added up over the parts, or the greatest of which is taken, is so in place, element by
// element; empty spans need nothing. A unit of the first layer of a pair has the bits that it has
// in one piece, if what goes in has; a sum over parts is rounded otherwise than one in one piece.
//
// Threads: any number at once, each with a Workspace of its own.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "trainyard/base/vector.hpp"
#include "trainyard/data/batch.hpp"
#include "trainyard/model/holding.hpp"
#include "trainyard/model/layered_model.hpp"
#include "trainyard/model/model.hpp"

namespace trainyard {

class InputMatrix;

class TensorSplit {
 public:
  /// Part `part` of `parts` of a stage that LayeredModel::cut(…, 2) made. All parts have the same
  /// number of units, or one more. Throws UsageError where the first layer of a pair, or an odd
  /// last layer that is a stage by itself, has fewer units than there are parts. Of an odd last
  /// layer behind pairs some parts then have none. REQUIRES: 0 ≤ part < parts.
  TensorSplit(const LayeredModel& model, const Stage& stage, int part, int parts);

  /// The part's share of the model's parameters: the weights, then the biases of each layer. The
  /// first part has the biases that are added to sums over all parts.
  const Holding& holding() const { return holding_; }
  const Stage& stage() const { return stage_; }
  /// Pairs of layers, and the odd last one.
  std::size_t blocks() const { return (layers_.size() + 1) / 2; }
  bool scores_are_split() const { return layers_.size() % 2 == 1; }
  /// Shares of the arithmetic of a whole gradient of the whole model; over all blocks and parts
  /// they add up to 1.
  double forward_work(std::size_t block) const;
  double backward_work(std::size_t block) const;

  // A minibatch on its way, in `workspace`. `parameters` and `gradient` are those of holding(), in
  // its order; `below` is what the stage below made [rows × inputs], which the first one does
  // without. REQUIRES: calls in the order above, with the same parameters, batch, below and
  // workspace.

  /// Terms of the block's units [rows × outputs], ReLU not yet taken; empty of an odd last layer.
  std::span<float> forward(std::size_t block, ConstVector parameters, Batch batch,
                           std::span<const float> below, Workspace& workspace) const;
  /// The greatest of this part's scores in each row [rows]; −∞ in a part without scores.
  std::span<float> greatest_scores(Batch batch, Workspace& workspace) const;
  /// The sums of the exponentials of this part's scores [rows], relative to the greatest score of
  /// all parts.
  std::span<float> sums_of_exponentials(Batch batch, Workspace& workspace) const;
  /// The stage's units [rows × outputs], after ReLU; empty of the last stage.
  std::span<const float> units_of_stage(Batch batch, Workspace& workspace) const;
  /// Overwrites the block's part of `gradient`: derivatives of the batch's mean loss, regulariser
  /// included. `above`: what slopes_below() of the stage above returned; the last stage does
  /// without. Returns terms of ∂loss/∂(what goes into the block) [rows × inputs]; empty of the
  /// model's first block.
  std::span<float> backward(std::size_t block, ConstVector parameters, Batch batch,
                            std::span<const float> below, std::span<const float> above,
                            Vector gradient, Workspace& workspace) const;
  /// ∂loss/∂(the last layer of the stage below before ReLU) [rows × inputs]; empty of the first
  /// stage.
  std::span<const float> slopes_below(Batch batch, std::span<const float> below,
                                      Workspace& workspace) const;

 private:
  /// The share of a layer that this part has.
  struct Layer {
    std::size_t inputs = 0, outputs = 0;  // of its weights here
    std::size_t all_outputs = 0;
    std::size_t first_output = 0;
    std::size_t weights = 0;  // where they begin in the part's parameters; biases follow them
    bool has_biases = true;
    double forward = 0.0, backward = 0.0;  // shares of arithmetic

    template <typename Float>
    std::span<Float> weights_in(std::span<Float> values) const {
      return values.subspan(weights, inputs * outputs);
    }
    template <typename Float>
    std::span<Float> biases_in(std::span<Float> values) const {
      return values.subspan(weights + inputs * outputs, has_biases ? outputs : 0);
    }
  };

  void add_columns(const Stage& whole, int part, int parts);
  void add_rows(const Stage& whole, int part, int parts);
  bool is_lone(std::size_t block) const { return 2 * block + 1 == layers_.size(); }
  InputMatrix input_of(std::size_t block, Batch batch, std::span<const float> below, bool again,
                       Workspace& workspace) const;
  std::span<float> units(std::size_t layer, std::size_t rows, Workspace& workspace) const;
  std::span<float> slopes(std::size_t layer, std::size_t rows, Workspace& workspace) const;
  std::span<float> row_numbers(std::size_t which, std::size_t rows, Workspace& workspace) const;
  void take_relu(std::size_t layer, std::size_t rows, Workspace& workspace) const;
  std::span<const float> slopes_of_scores(Batch batch, Workspace& workspace) const;
  std::span<const float> slopes_of_columns(std::size_t block, std::span<const float> values,
                                           Batch batch, std::span<const float> above,
                                           std::span<float> derivatives,
                                           Workspace& workspace) const;

  Stage stage_;
  std::vector<Layer> layers_;
  Holding holding_;
  float l2_;
};

}  // namespace trainyard
