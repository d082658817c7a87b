// Models that are a chain of layers, for schemes whose ranks hold some of the layers each: a
// pipeline of stages. What a stage's forward pass makes goes up to the next stage, what its
// backward pass makes goes down:
//
//   const Stage stage = model.cut(4)[1];
//   const auto up = model.forward(stage, parameters, batch, from_below, workspace);
//   const auto down = model.backward(stage, parameters, batch, from_below, from_above, gradient,
//                                    workspace);
//
// Stages one after another do the arithmetic of Model::gradient() in its order, so the gradients
// have the same bits wherever the layers are cut.
//
// Threads: as of a model: any number of ranks at once, each with a Workspace of its own.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "trainyard/base/vector.hpp"
#include "trainyard/data/batch.hpp"
#include "trainyard/model/model.hpp"

namespace trainyard {

/// Consecutive layers of a model.
struct Stage {
  std::size_t first_layer = 0, layers = 0;
  ParameterRange parameters;  // theirs, among those of the model
  std::size_t inputs = 0;     // units of a row that come from below; of the first stage, features
  std::size_t outputs = 0;    // units of a row that go up; of the last stage, class scores
  bool first = false, last = false;
  /// Shares of the arithmetic of a whole gradient; over all stages they add up to 1.
  double forward = 0.0, backward = 0.0;
};

class LayeredModel {
 public:
  virtual ~LayeredModel() = default;

  /// All layers, in so many stages that the one with the most arithmetic has as little as can be;
  /// cut only behind every `together` layers, of which the last may be fewer. Throws UsageError
  /// where they make no such number of stages. REQUIRES: both ≥ 1.
  virtual std::vector<Stage> cut(int stages, int together) const = 0;
  std::vector<Stage> cut(int stages) const { return cut(stages, 1); }
  /// The stage with these parameters. Throws InternalError where no layers have just them.
  virtual Stage stage_of(ParameterRange parameters) const = 0;

  /// The stage's units over the batch's rows [rows × outputs], from those of the stage below
  /// [rows × inputs], which the first stage does without. They lie in `workspace`, as does what
  /// backward() needs of them, until the next forward() with the same workspace. REQUIRES:
  /// `parameters` are the stage's.
  virtual std::span<const float> forward(const Stage& stage, ConstVector parameters, Batch batch,
                                         std::span<const float> below,
                                         Workspace& workspace) const = 0;

  /// Overwrites `gradient` with the derivatives of the batch's mean loss, regulariser included, by
  /// the stage's parameters. `above`: what backward() of the stage above returned; the last stage
  /// does without. Returns the same for the stage below [rows × inputs], ∂loss/∂(its last layer
  /// before ReLU), in `workspace`; empty of the first stage. REQUIRES: the latest forward() with
  /// `workspace` was given the same stage, parameters, batch and `below`.
  virtual std::span<const float> backward(const Stage& stage, ConstVector parameters, Batch batch,
                                          std::span<const float> below,
                                          std::span<const float> above, Vector gradient,
                                          Workspace& workspace) const = 0;

  /// Number of layers: cut() makes no more stages.
  virtual int depth() const = 0;
  /// λ: what of the weights, and not of the biases, is in the gradient beside the mean over rows.
  virtual double l2() const = 0;
};

}  // namespace trainyard
