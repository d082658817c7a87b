// The parts of a worker that objects made from it reach beside its verbs: those of this folder,
// SharedSteps, Slices, OverlappedGradient, ListeningGradient, CombinedGradient, FixedMinibatches,
// OwnCoding and PassingMinibatches are.
//
//   Vector OverlappedGradient::compute() {
//     const WorkerParts parts(worker_);
//     parts.needs_whole("OverlappedGradient::compute()");
//     parts.batch = parts.minibatches.next();
//     parts.rank.compute(parts.minibatches.costs().of_next(), [&] { parts.take_gradient(…); });
//     return parts.gradient;
//   }
//
// Threads: as of its worker.
#pragma once

#include "trainyard/runtime/worker.hpp"

namespace trainyard {

struct WorkerParts {
  explicit WorkerParts(Worker& worker)
      : rank(worker.rank_),
        context(worker.context_),
        minibatches(worker.minibatches_),
        batch(worker.batch_),
        gradient(worker.gradient_.view()),
        worker_(worker) {}

  /// The gradient over that batch at `model`, times `weight`, becomes `gradient`.
  void take_gradient(ConstVector model, Batch rows, double weight) const {
    worker_.take_gradient(model, rows, weight);
  }
  /// Throws UsageError, naming what was asked for, unless the replica is the whole model.
  void needs_whole(const char* asked_for) const { worker_.needs_whole(asked_for); }
  /// Throws UsageError: what was asked for does not go with the model's home.
  [[noreturn]] void throw_wrong_home(const char* asked_for) const {
    worker_.throw_wrong_home(asked_for);
  }

  Rank& rank;
  const RunContext& context;
  Minibatches& minibatches;
  Batch& batch;           // that the last gradient was taken over: to be set before each
  const Vector gradient;  // the place of the last gradient

 private:
  Worker& worker_;
};

}  // namespace trainyard
