// The model that a worker was sent, and the way that it has come from there: Δ = x − x_i, what
// asynchronous local steps send.
//
//   FetchedModel fetched(worker);
//   while (worker.next_step()) {
//     worker.descend();
//     if (…) continue;
//     push(worker.comm(), fetched.way());
//     pull(worker.comm(), worker.replica());
//     fetched.remember();
//   }
//
// Threads: belongs to its worker's rank.
#pragma once

#include "trainyard/model/kernels.hpp"
#include "trainyard/runtime/worker.hpp"

namespace trainyard {

class FetchedModel {
 public:
  /// At first it is the run's starting point.
  explicit FetchedModel(Worker& worker)
      : replica_(worker.replica()), model_(worker.keep("fetched model", replica_)) {}

  /// The replica is what has just been fetched.
  void remember() const { kernels::copy(replica_, model_); }
  /// Δ, in the place of x: to be called once before the next remember().
  ConstVector way() const {
    kernels::axpy(-1.0, replica_, model_);
    return model_;
  }

 private:
  const Vector replica_, model_;
};

}  // namespace trainyard
