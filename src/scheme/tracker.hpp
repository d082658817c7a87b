// What gradient tracking keeps of gradients, whatever they are estimates of.
#pragma once

#include "trainyard/model/kernels.hpp"
#include "trainyard/scheme/scheme.hpp"

namespace trainyard {

/// y_i, and the gradient that it counts as this worker's newest. Threads: belongs to its worker's
/// rank.
class Tracker {
 public:
  explicit Tracker(Worker& worker)
      : estimate_(worker.keep("tracker", worker.replica().size())),
        counted_(worker.keep("counted gradient", worker.replica().size())) {}

  Vector estimate() const { return estimate_; }
  /// y ← y + g_new − g_old.
  void count(ConstVector gradient) const {
    kernels::add(gradient, estimate_);
    kernels::axpy(-1.0, counted_, estimate_);
    kernels::copy(gradient, counted_);
  }

 private:
  Vector estimate_, counted_;
};

}  // namespace trainyard
