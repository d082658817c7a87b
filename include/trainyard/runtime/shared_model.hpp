// Models that several ranks may write at once (Hogwild; Niu et al. 2011), and the only memory in
// Trainyard for which that holds. Ranks that are threads have it from the heap; ranks that are
// processes of one host have it where whoever started them lets them share memory
// (Processes::share_memory()), each at an address of its own. Either way a number is a relaxed
// atomic without a lock, which is one to processes as it is to threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "trainyard/base/aligned_buffer.hpp"
#include "trainyard/base/memory_account.hpp"
#include "trainyard/base/vector.hpp"
#include "trainyard/model/fixed_point.hpp"
#include "trainyard/model/model.hpp"

namespace trainyard {

class SharedMutex;  // src/runtime/shared_mutex.hpp
struct HotLines;    // hot_lines.hpp

/// How a rank changes a shared model of floats. In all three each float is loaded and stored whole,
/// as a relaxed atomic: no other memory is published through the model. (Plain racing floats would
/// be undefined behaviour.) One writer gives the same bits in each, those of kernels::axpy, so that
/// one Hogwild worker is serial SGD.
enum class SharedAccess {
  racy,     // load, then store: of two writes to a coordinate at the same time one may be lost
  cas_add,  // compare-and-swap, until nobody came in between: no update is lost
  locked,   // racy, by whoever holds the model's mutex: no update is lost, and writers wait
};
/// "racy", "cas-add", "locked", in the order of the enumeration.
const std::vector<std::string>& shared_access_names();

/// The format of a shared model.
struct SharedForm {
  std::optional<FixedPoint> format{};  // of its numbers; empty: floats
  /// For models of floats: the lines of which each worker has a slice behind the model. Outlives
  /// the model.
  const HotLines* hot = nullptr;
};

/// A model of floats, or of numbers in 8 or 16 bits, which are written rounded at random.
///
/// Threads: any number call any of its functions at once, but lay_out().
class SharedModel {
 public:
  /// In memory of its own, and laid out.
  explicit SharedModel(std::span<const float> initial, const SharedForm& form = {});
  /// A model of `size` parameters in memory that several processes have: bytes_of() bytes on a
  /// cache line, which outlive it. REQUIRES: one of the processes has laid it out before any calls
  /// another function.
  SharedModel(std::size_t size, const SharedForm& form, std::span<std::byte> memory);
  SharedModel(const SharedModel&) = delete;
  SharedModel& operator=(const SharedModel&) = delete;
  static std::size_t bytes_of(std::size_t size, const SharedForm& form);

  /// It becomes `initial`; with a format each number is the nearest one. Memory that several
  /// processes have is counted (memory_account.hpp) in the one that calls this.
  void lay_out(std::span<const float> initial);

  std::size_t size() const { return size_; }
  /// Empty where it is of floats.
  const std::optional<FixedPoint>& format() const { return form_.format; }

  /// copy ← the coordinates from `first` on, one by one; others may write meanwhile.
  void read(std::span<float> copy, std::size_t first = 0) const;

  /// The coordinates become `values`, one by one; others may read and write meanwhile. REQUIRES:
  /// of floats, as many as there are.
  void write(std::span<const float> values);

  /// The coordinates from `first` on grow by scale · change, one by one, and `copy` ← what was
  /// written: the next step's read. (Two passes would fetch every line from the other cores twice.)
  /// REQUIRES: change and copy are equally long, and fit.
  void add(float scale, std::span<const float> change, std::span<float> copy, SharedAccess access,
           std::size_t first = 0);
  /// What add() has just changed from `first` on, and `copy` with it, ← S(x, threshold), soft
  /// thresholding (model/kernels.hpp), one by one: what others write in between is shrunk, too.
  void shrink(float threshold, std::span<float> copy, SharedAccess access, std::size_t first);

  /// Both halves of a sparse step.
  void read_margins(const Model::SparseUpdate& update, Batch batch,
                    std::span<float> residuals) const;
  void write_step(const Model::SparseUpdate& update, Batch batch, std::span<const float> residuals,
                  float step_size, SharedAccess access);

  // With slices. A worker's steps change its own slice, by its own columns, and nobody else
  // does.
  /// The hot lines in these slots, from `first` to before `end`: what the worker has added to them
  /// since it last did this is added to the model, as `access` says, and its slice is what is there
  /// then.
  void reconcile(int worker, std::size_t first, std::size_t end, SharedAccess access);
  /// copy += what workers have added to their slices and not yet to the model. Called while all
  /// ranks stand still. REQUIRES: copy has the model's size.
  void add_unsent(std::span<float> copy) const;

  /// add() and write_step() for a model that has a format, by load and store.
  void add_rounded(float scale, std::span<const float> change, std::span<float> copy,
                   XorShift& rounding);
  void write_step_rounded(const Model::SparseUpdate& update, Batch batch,
                          std::span<const float> residuals, float step_size, XorShift& rounding);

 private:
  SharedModel(std::size_t size, const SharedForm& form, AlignedBuffer<std::byte> own);

  /// The place of one slot of a worker's slice.
  struct Slot {
    std::size_t model = 0, count = 0;  // parameters that it is a copy of
    std::size_t now = 0, then = 0;     // in values_ and in then_
  };
  Slot slot_of(int worker, std::size_t slot) const;
  void lay_out_slices(std::span<const float> initial);
  void fetch(std::size_t slot) const;
  void reconcile_slot(int worker, std::size_t slot, SharedAccess access);
  FixedPointMemory as_numbers() const { return {*form_.format, memory_.data()}; }

  std::size_t size_;
  SharedForm form_;
  AlignedBuffer<std::byte> own_;          // empty where processes share the memory
  std::optional<MemoryCharge> charge_{};  // for memory that they share
  std::span<std::byte> memory_;           // what follows, in this order
  std::span<float> values_;               // of a model of floats; else there are its numbers
  std::span<float> then_;                 // the slices as they were when they were reconciled
  SharedMutex* mutex_;                    // of SharedAccess::locked
};

/// The shared models of one run: one for all workers, or a replica for each group of them. Groups
/// are of neighbouring workers, as equal as may be.
class SharedModels {
 public:
  /// `memory`, where workers are processes: of each group what its model lies in; empty where this
  /// process is on another host. REQUIRES: 1 ≤ groups ≤ workers.
  SharedModels(int workers, int groups, std::vector<std::span<std::byte>> memory = {});

  int groups() const { return static_cast<int>(models_.size()); }
  int group_of(int worker) const;
  /// The worker that speaks for the group.
  int first_worker_of(int group) const;

  /// Called by each worker while ranks are set up. The first one of each group lays the replica
  /// out, so that it lies in its NUMA node's memory; a process finds those of the others.
  void enter(int worker, std::span<const float> initial, const SharedForm& form);
  /// models[g] ← the replica of group g, with all that workers have added to it. REQUIRES: no rank
  /// runs.
  void put_down(std::vector<VectorBuffer>& models) const;
  /// The replica of a group, in memory of its own.
  void lay_out(int group, std::span<const float> initial, const SharedForm& form = {});
  /// REQUIRES: it was laid out.
  SharedModel& of(int group) { return *models_[static_cast<std::size_t>(group)]; }
  const SharedModel& of(int group) const { return *models_[static_cast<std::size_t>(group)]; }

  /// Draws every replica to the mean of all: each grows by (mean − its value), both as they were
  /// read a moment before, so that what others add meanwhile is kept and the sum of the replicas
  /// stays. REQUIRES: `scratch` has average_scratch() floats.
  void average(std::span<float> scratch, SharedAccess access);
  std::size_t average_scratch() const;

 private:
  int workers_;
  std::vector<std::span<std::byte>> memory_;  // none: each has its own
  std::vector<std::unique_ptr<SharedModel>> models_;
};

}  // namespace trainyard
