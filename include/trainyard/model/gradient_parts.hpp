// A gradient in parts, in the order in which backpropagation gets to them: the last layer first.
// What is final can be sent while earlier layers are still computed: wait-free backpropagation
// (Zhang et al., USENIX ATC 2017, Poseidon), which every data-parallel trainer does since.
//
//   GradientInParts in_parts(model);
//   for (const GradientPart& part : in_parts.parts()) {
//     in_parts.compute(part, parameters, batch, gradient);  // then gradient[part.parameters] is
//     final
//   }
//
// Threads: an object belongs to one rank.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "trainyard/base/units.hpp"
#include "trainyard/base/vector.hpp"
#include "trainyard/data/batch.hpp"
#include "trainyard/model/layered_model.hpp"
#include "trainyard/model/model.hpp"

namespace trainyard {

struct GradientPart {
  std::size_t number = 0;     // from 0, which is the last layer's
  ParameterRange parameters;  // that lie right before those of the part before it
  /// The share of the whole gradient's arithmetic that is done when it is final: the forward pass
  /// of all layers, and the backward passes down to this one. Of the last part, 1.
  double done = 1.0;

  /// After how long it is final, where the whole takes so long.
  Duration final_after(Duration whole) const { return done < 1.0 ? scaled(whole, done) : whole; }
};

/// One a layer; of a model without layers a single one.
std::vector<GradientPart> gradient_parts(const Model& model);

class GradientInParts {
 public:
  /// `model` outlives it.
  explicit GradientInParts(const Model& model);

  const std::vector<GradientPart>& parts() const { return parts_; }

  /// Overwrites gradient[part.parameters] with what Model::gradient() would. `gradient` is the
  /// whole one, of which nothing else is read or written. REQUIRES: the parts are computed one
  /// after another, all at the same parameters and batch.
  void compute(const GradientPart& part, ConstVector parameters, Batch batch, Vector gradient);

 private:
  void go_forward(ConstVector parameters, Batch batch);

  const Model& model_;
  std::vector<GradientPart> parts_;
  // From the first layer up, and empty where the model has none. Each layer's units stay in its own
  // workspace until its backward pass.
  std::vector<Stage> layers_;
  std::vector<Workspace> workspaces_;
  std::vector<std::span<const float>> inputs_;
  std::span<const float> slopes_;  // that the layer above has passed down
};

}  // namespace trainyard
