// What a worker finds of its own rows at a point of its choosing, beside compute_gradient(), which
// takes the next minibatch at the replica: gradients for variance reduction, and sums over all rows
// of its share. Where each pass deals rows anew, all rows are everybody's share.
//
// Threads: belongs to its worker.
#pragma once

#include "trainyard/model/kernels.hpp"
#include "trainyard/scheme/scheme.hpp"

namespace trainyard {

class OwnRows {
 public:
  explicit OwnRows(Worker& worker) : worker_(worker) {}

  /// All of them. Valid until the next call.
  Batch all() {
    Minibatches& minibatches = worker_.minibatches();
    const Dataset& share = *minibatches.upcoming(0).front().data;
    all_ = {&share, 0, share.rows};
    return minibatches.fetched({&all_, 1});
  }

  /// gradient ← as compute_gradient(), but of these rows, at `point`, and not clipped. It takes as
  /// long as so many minibatches do.
  void take_gradient(ConstVector point, Batch rows, Vector gradient) {
    const Model& model = worker_.model();
    const double weight = worker_.minibatches().loss_weight();
    worker_.compute(worker_.minibatches().count_of(rows), [&] {
      model.gradient(point, rows, gradient, workspace_);
      kernels::scale(weight, gradient);
    });
  }

  /// Their mean loss at `point`, regulariser included. It takes half as long as their gradient: in
  /// a linear model one product of two, in a network one of three.
  double take_loss(ConstVector point, Batch rows) {
    const Model& model = worker_.model();
    Tally tally;
    worker_.compute(0.5 * worker_.minibatches().count_of(rows),
                    [&] { tally = model.evaluate(point, rows, workspace_); });
    return tally.loss_sum / static_cast<double>(tally.rows) + model.penalty(point);
  }

 private:
  Worker& worker_;
  RowRange all_;
  Workspace workspace_;
};

}  // namespace trainyard
