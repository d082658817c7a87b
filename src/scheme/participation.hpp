// Which workers take part in a round of a federated scheme: m = max(1, C n) of them, drawn anew, by
// a seeded stream that all workers have, so that nobody has to be told.
//
// Threads: a value like any other; each worker has its own.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "trainyard/base/random.hpp"
#include "trainyard/scheme/scheme.hpp"

namespace trainyard {

inline const HyperparameterInfo participation_info{
    .name = "participation",
    .argument = "C",
    .help = "fraction of the workers that takes part in a round",
    .fallback = 0.5,
    .low = 0.0,
    .high = 1.0};

/// m
inline int drawn_of(int workers, double participation) {
  return std::max(1, static_cast<int>(std::lround(participation * workers)));
}

/// StepCost::learns_from
inline int learns_from_drawn(int workers, const Hyperparameters& hyperparameters) {
  return drawn_of(workers, hyperparameter(hyperparameters, participation_info.name));
}

class Participation {
 public:
  explicit Participation(Worker& worker)
      : worker_(worker),
        random_(worker.common_random()),
        rank_(static_cast<std::uint32_t>(worker.comm().rank())),
        order_(static_cast<std::size_t>(worker.comm().workers())) {
    drawn_ = drawn_of(worker.comm().workers(), worker.hyperparameter(participation_info.name));
    std::iota(order_.begin(), order_.end(), 0U);
  }

  /// A step of a round of `period`: descends, or sits it out. Whether this worker takes part.
  bool step(std::uint64_t period) {
    if (worker_.step() % period == 0) draw();
    if (takes_part_) {
      worker_.descend();
    } else {
      worker_.minibatches().sit_out();
    }
    return takes_part_;
  }

 private:
  /// Is it among the first m of a random order?
  void draw() {
    random_.shuffle(order_);
    const auto end = order_.begin() + drawn_;
    takes_part_ = std::find(order_.begin(), end, rank_) != end;
  }

  Worker& worker_;
  RandomStream random_;
  std::uint32_t rank_;
  std::vector<std::uint32_t> order_;
  std::ptrdiff_t drawn_ = 1;
  bool takes_part_ = false;
};

}  // namespace trainyard
