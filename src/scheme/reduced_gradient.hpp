// What variance reduction keeps, by which a minibatch's gradient is rid of its noise: a point, and
// an estimate of the gradient of all rows there or since.
#pragma once

#include "trainyard/model/kernels.hpp"
#include "trainyard/scheme/scheme.hpp"

namespace trainyard {

/// Threads: belongs to its worker's rank.
class ReducedGradient {
 public:
  explicit ReducedGradient(Worker& worker)
      : worker_(worker),
        point_(worker.keep("snapshot", worker.replica().size())),
        estimate_(worker.keep("estimate", worker.replica().size())),
        earlier_(point_.scalar(), point_.size()) {}

  Vector estimate() const { return estimate_; }
  void move_point() const { kernels::copy(worker_.replica(), point_); }
  /// estimate ← the gradient over all rows of the share, at the point.
  void take_whole() {
    Minibatches& minibatches = worker_.minibatches();
    const Dataset& share = *minibatches.upcoming(0).front().data;
    const RowRange rows{&share, 0, share.rows};
    take_at_point(minibatches.fetched({&rows, 1}), estimate_);
  }
  /// ∇f_B(x) − ∇f_B(point) of the next minibatch. Valid until the next call.
  Vector change_since_point() {
    Minibatches& minibatches = worker_.minibatches();
    const Batch batch = minibatches.upcoming(0);
    const Vector gradient = worker_.compute_gradient();  // of the same rows
    take_at_point(batch, earlier_.view());
    kernels::axpy(-1.0, earlier_.view(), gradient);
    return gradient;
  }

 private:
  void take_at_point(Batch rows, Vector gradient) {
    const Model& model = worker_.model();
    const double weight = worker_.minibatches().loss_weight();
    worker_.compute(worker_.minibatches().count_of(rows), [&] {
      model.gradient(point_, rows, gradient, workspace_);
      kernels::scale(weight, gradient);
    });
  }

  Worker& worker_;
  const Vector point_, estimate_;
  VectorBuffer earlier_;
  Workspace workspace_;
};

}  // namespace trainyard
