#include "trainyard/runtime/stage_pass.hpp"

#include "trainyard/base/error.hpp"
#include "trainyard/model/kernels.hpp"
#include "trainyard/runtime/worker.hpp"

namespace trainyard {

StagePass::StagePass(Worker& worker)
    : worker_(worker),
      model_(worker.layers()),
      stage_(worker.stage()),
      gradient_(VectorBuffer::zeroed(Scalar::float32, stage_.parameters.count)) {}

ConstVector StagePass::forward(Batch batch, ConstVector below) {
  batch_.assign(batch.begin(), batch.end());
  if (below_.size() < below.size()) below_ = VectorBuffer(below.scalar(), below.size());
  kernels::copy(below, below_.view().subspan(0, below.size()));
  std::span<const float> units;
  worker_.compute(worker_.minibatches(batch) * stage_.forward, [&] {
    units = model_.forward(stage_, worker_.replica(), batch_, inputs(), workspace_);
  });
  return units;
}

ConstVector StagePass::backward(ConstVector above) {
  require(!batch_.empty(), "forward() comes before backward()");
  std::span<const float> slopes;
  worker_.compute(worker_.minibatches(batch_) * stage_.backward, [&] {
    slopes = model_.backward(stage_, worker_.replica(), batch_, inputs(), above.floats(),
                             gradient_.view(), workspace_);
  });
  return slopes;
}

std::span<const float> StagePass::inputs() const {
  if (stage_.first) return {};
  return below_.view().floats().first(row_count(batch_) * stage_.inputs);
}

}  // namespace trainyard
