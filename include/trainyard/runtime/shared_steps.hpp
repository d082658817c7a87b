// A worker's steps on a model that it shares with others in memory. What a Hogwild scheme is
// written in:
//
//   void hogwild_worker(Worker& worker) {
//     SharedSteps shared(worker);
//     while (worker.next_step()) shared.descend(SharedAccess::racy);
//   }
//
// A scheme that changes shared models itself says which cache lines it touches, before it does:
//
//   shared.touch(shared.group(), LineUse::write);
//   shared.own().write(values);
//   shared.forget_read();
//
// Where machines have several threads (Cast::machine_threads) the workers' replicas are the
// model's home, and descend() is not for them; the rest is.
//
// Threads: belongs to its worker's rank; the models are read and written by several at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "trainyard/base/aligned_buffer.hpp"
#include "trainyard/base/random.hpp"
#include "trainyard/base/vector.hpp"
#include "trainyard/data/batch.hpp"
#include "trainyard/model/model.hpp"
#include "trainyard/runtime/minibatches.hpp"
#include "trainyard/runtime/rank.hpp"
#include "trainyard/runtime/run_context.hpp"
#include "trainyard/runtime/shared_lines.hpp"
#include "trainyard/runtime/shared_model.hpp"

namespace trainyard {

class Worker;

class SharedSteps {
 public:
  /// Throws UsageError where the cast has no shared models. `worker` outlives it.
  explicit SharedSteps(Worker& worker);

  /// One step on the shared model of the worker's group: reads it, computes for as long as a
  /// minibatch takes, writes it, all by `access`. Sparse linear models touch only the coordinates
  /// of the minibatch's rows, whatever its size; others read what they wrote in the step before,
  /// unless forget_read() was called since. A model in 8 or 16 bits (Cast::shared_format) is
  /// written rounded at random, and racy. Throws UsageError where a shared model is not the
  /// model's home, and NotFinite where a number to be rounded is not finite.
  void descend(SharedAccess access = SharedAccess::racy);
  /// The scheme has changed the shared model otherwise: the next step reads all of it.
  void forget_read() { has_read_ = false; }

  /// Before the scheme itself reads or writes the shared model of a group: in `virtual` waits for
  /// all of its lines (shared_lines.hpp). In `wall` that is part of doing it.
  void touch(int group, LineUse use);
  /// As touch(), for only those lines that begin at these parameters.
  void touch(int group, std::span<const std::size_t> lines, LineUse use);

  /// The shared models, one for each group of workers.
  SharedModels& models() { return models_; }
  /// The worker's group, and the model of that group.
  int group() const { return group_; }
  SharedModel& own() { return models_.of(group_); }
  /// γ of this step, > 0, by the common count of minibatches, as a slow worker's own steps say
  /// little about how far all have come.
  double step_size() const;

 private:
  void add_whole(SharedModel& shared, float scale, std::span<const float> change,
                 SharedAccess access);
  void descend_whole(SharedModel& shared, Batch batch, float step_size, SharedAccess access);
  void touch_rows(Batch batch, LineUse use);

  // Written by the constructor.
  Worker& worker_;
  Rank& rank_;
  const RunContext& context_;
  Minibatches& minibatches_;
  SharedModels& models_;
  const AbsolutePenalty penalty_;
  const int group_;
  const bool is_home_;                 // of the run's model
  const bool constant_step_;           // saves a division and a call beside a row of 60 nonzeros
  double weight_ = 1.0;                // of the losses of its share
  const Model::SparseUpdate* sparse_;  // nullptr when a step touches every coordinate
  // Written by each step.
  AlignedBuffer<float> residuals_;  // of sparse steps
  AlignedBuffer<float> read_copy_;  // of others: the shared model as it was last seen,
  bool has_read_ = false;           // if it was
  VectorBuffer gradient_;
  Workspace workspace_;
  XorShift rounding_;  // of a model in 8 or 16 bits
};

}  // namespace trainyard
