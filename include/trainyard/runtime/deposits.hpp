// Replicas as they were after the same step. A worker may be steps ahead of another, as in gossip;
// so each lays a copy of its replica down when it comes to a step after which the run is looked at,
// and the mean is over replicas of that step.
//
// Threads: workers lay down at the same time. What is complete is read, and its memory freed for
// the next, while all stand still.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>

#include "trainyard/base/vector.hpp"
#include "trainyard/runtime/run_state.hpp"

namespace trainyard {

/// The vectors that all workers have laid down after one step.
struct Deposit {
  VectorBuffer replicas;                    // one behind the other
  std::uint64_t step = 0, minibatches = 0;  // of all workers until that step
  int present = 0;                          // workers
  bool free = true;
};

class Deposits {
 public:
  /// `layout` outlives it.
  explicit Deposits(const ModelLayout& layout)
      : layout_(layout), size_(layout.place_of(layout.workers)) {}

  /// Worker `worker` has taken `minibatches` in its first `step` steps, and `replica` is what it
  /// has become; empty where it has none. Returns what all have laid down to the last of them, and
  /// nullptr to the others.
  Deposit* lay_down(int worker, std::uint64_t step, std::uint64_t minibatches, ConstVector replica);
  /// REQUIRES: all ranks stand still.
  static void free(Deposit& deposit) { deposit.free = true; }

 private:
  Deposit& of_step(std::uint64_t step);

  const ModelLayout& layout_;
  const std::size_t size_;  // of all replicas
  std::mutex mutex_;
  // One for each evaluation that has been under way at the same time; they are reused. A deque, as
  // others are in use while one is added.
  std::deque<Deposit> deposits_;
};

}  // namespace trainyard
