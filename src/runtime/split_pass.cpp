#include "trainyard/runtime/split_pass.hpp"

#include <span>

#include "trainyard/runtime/worker.hpp"

namespace trainyard {

SplitPass::SplitPass(Worker& worker, const Stage& stage, int part, int parts,
                     std::size_t most_in_flight)
    : split_(worker.layers(), stage, part, parts),
      passing_(worker, most_in_flight),
      gradient_(VectorBuffer::zeroed(Scalar::float32, split_.holding().count())) {}

void SplitPass::begin(Batch batch, ConstVector below, ConstVector weights) {
  (void)passing_.begin(batch, below, weights);
}

Vector SplitPass::forward(std::size_t block) {
  Passing& at = passing_.latest();
  std::span<float> terms;
  passing_.compute(at.batch, split_.forward_work(block), [&] {
    terms = split_.forward(block, at.weights, at.batch, at.inputs(stage().inputs), at.workspace);
  });
  return terms;
}

// Beside a layer's products softmax and ReLU are nothing; a gradient's time is shared out by
// products.
Vector SplitPass::greatest_scores() {
  Passing& at = passing_.latest();
  std::span<float> greatest;
  passing_.compute(at.batch, 0.0,
                   [&] { greatest = split_.greatest_scores(at.batch, at.workspace); });
  return greatest;
}

Vector SplitPass::sums_of_exponentials() {
  Passing& at = passing_.latest();
  std::span<float> sums;
  passing_.compute(at.batch, 0.0,
                   [&] { sums = split_.sums_of_exponentials(at.batch, at.workspace); });
  return sums;
}

ConstVector SplitPass::units_of_stage() {
  Passing& at = passing_.latest();
  if (stage().last) return {};
  std::span<const float> units;
  passing_.compute(at.batch, 0.0, [&] { units = split_.units_of_stage(at.batch, at.workspace); });
  return units;
}

Vector SplitPass::backward(std::size_t block) {
  Passing& at = passing_.oldest();
  std::span<float> terms;
  passing_.compute(at.batch, split_.backward_work(block), [&] {
    terms = split_.backward(block, at.weights, at.batch, at.inputs(stage().inputs), above_.floats(),
                            gradient_.view(), at.workspace);
  });
  return terms;
}

ConstVector SplitPass::end() {
  Passing& at = passing_.oldest();
  std::span<const float> slopes;
  if (!stage().first) {
    passing_.compute(at.batch, 0.0, [&] {
      slopes = split_.slopes_below(at.batch, at.inputs(stage().inputs), at.workspace);
    });
  }
  passing_.end_oldest();
  return slopes;
}

}  // namespace trainyard
