#include "trainyard/runtime/split_pass.hpp"

#include <span>

#include "trainyard/runtime/worker.hpp"

namespace trainyard {

SplitPass::SplitPass(Worker& worker, int part, int parts)
    : worker_(worker),
      split_(worker.layers(), part, parts),
      gradient_(VectorBuffer::zeroed(Scalar::float32, split_.holding().count())) {}

void SplitPass::begin(Batch batch) {
  batch_.assign(batch.begin(), batch.end());
}

Vector SplitPass::forward(std::size_t block) {
  std::span<float> terms;
  worker_.compute(worker_.minibatches(batch_) * split_.forward_work(block),
                  [&] { terms = split_.forward(block, worker_.replica(), batch_, workspace_); });
  return terms;
}

// Beside a layer's products softmax is nothing; a gradient's time is shared out by products.
Vector SplitPass::greatest_scores() {
  std::span<float> greatest;
  worker_.compute(0.0, [&] { greatest = split_.greatest_scores(batch_, workspace_); });
  return greatest;
}

Vector SplitPass::sums_of_exponentials() {
  std::span<float> sums;
  worker_.compute(0.0, [&] { sums = split_.sums_of_exponentials(batch_, workspace_); });
  return sums;
}

Vector SplitPass::backward(std::size_t block) {
  std::span<float> terms;
  worker_.compute(worker_.minibatches(batch_) * split_.backward_work(block), [&] {
    terms = split_.backward(block, worker_.replica(), batch_, gradient_.view(), workspace_);
  });
  return terms;
}

}  // namespace trainyard
