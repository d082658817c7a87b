// What variance reduction keeps, by which a minibatch's gradient is rid of its noise: a point, and
// an estimate of the gradient of all rows there or since.
#pragma once

#include "trainyard/model/kernels.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "scheme/own_rows.hpp"

namespace trainyard {

/// Threads: belongs to its worker's rank.
class ReducedGradient {
 public:
  explicit ReducedGradient(Worker& worker)
      : worker_(worker),
        point_(worker.keep("snapshot", worker.replica().size())),
        estimate_(worker.keep("estimate", worker.replica().size())),
        earlier_(point_.scalar(), point_.size()),
        own_(worker) {}

  Vector estimate() const { return estimate_; }
  void move_point() const { kernels::copy(worker_.replica(), point_); }
  /// estimate ← the gradient over all rows of the share, at the point.
  void take_whole() { own_.take_gradient(point_, own_.all(), estimate_); }
  /// ∇f_B(x) − ∇f_B(point) of the next minibatch. Valid until the next call.
  Vector change_since_point() {
    const Batch batch = worker_.minibatches().upcoming(0);
    const Vector gradient = worker_.compute_gradient();  // of the same rows
    own_.take_gradient(point_, batch, earlier_.view());
    kernels::axpy(-1.0, earlier_.view(), gradient);
    return gradient;
  }

 private:
  Worker& worker_;
  const Vector point_, estimate_;
  VectorBuffer earlier_;
  OwnRows own_;
};

}  // namespace trainyard
