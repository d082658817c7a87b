// Which workers take part in a round of a federated scheme: m = max(1, C n) of them, drawn anew, by
// a seeded stream that all workers have, so that nobody has to be told. And how many of the round's
// τ steps each of them takes, the first ones (LocalSteps): fewer than all are the lot of workers
// with little data or a slow machine, who would otherwise hold up a round. For epochs and schedules
// a step is m minibatches, however many of them are taken.
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

/// Of a round's τ steps a worker takes
enum class LocalSteps {
  equal,  // all,
  epoch,  // as many as there are minibatches in a pass over its share, at most all
  speed,  // ⌊τ / s⌋, where --straggler has it s times slower, at least one
  drawn,  // 1 to τ, drawn anew in each round
};

inline const HyperparameterInfo local_steps_info{
    .name = "local-steps",
    .argument = "equal|epoch|speed|drawn",
    .help =
        "how many of a round's steps a worker takes: all; a pass over its share; the fewer the "
        "slower it is; a drawn number",
    .choices = {"equal", "epoch", "speed", "drawn"}};

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
        rank_(static_cast<std::uint64_t>(worker.comm().rank())),
        order_(worker.keep_counts("order of the draw",
                                  static_cast<std::size_t>(worker.comm().workers()))),
        steps_(worker.keep_counts("steps of the round", 1).front()) {
    drawn_ = drawn_of(worker.comm().workers(), worker.hyperparameter(participation_info.name));
    local_steps_ = worker.choice<LocalSteps>(local_steps_info.name);
    if (worker.step() == 0) std::iota(order_.begin(), order_.end(), 0U);
  }

  /// At the beginning of a step of a round of `period`: whether this worker takes it. Where it
  /// does not, the step takes no minibatch.
  bool begin_step(std::uint64_t period) {
    const std::uint64_t place = worker_.step() % period;
    if (place == 0) steps_ = is_drawn() ? own_steps(period) : 0;
    if (place >= steps_) worker_.minibatches().sit_out();
    return place < steps_;
  }
  /// Steps of this worker in the present round; 0 where it takes no part.
  std::uint64_t steps() const { return steps_; }

 private:
  /// Is it among the first m of a random order?
  bool is_drawn() {
    random_.shuffle(order_);
    const auto end = order_.begin() + drawn_;
    return std::find(order_.begin(), end, rank_) != end;
  }
  std::uint64_t own_steps(std::uint64_t period) {
    Minibatches& own = worker_.minibatches();
    switch (local_steps_) {
      case LocalSteps::equal:
        break;
      case LocalSteps::epoch:
        return std::min(period, own.of_epoch());
      case LocalSteps::speed: {
        const double steps = std::floor(static_cast<double>(period) / own.costs().slowdown());
        return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(steps));
      }
      case LocalSteps::drawn:
        return 1 + worker_.random().below(period);
    }
    return period;
  }

  Worker& worker_;
  RandomStream& random_;
  std::uint64_t rank_;
  std::span<std::uint64_t> order_;
  std::ptrdiff_t drawn_ = 1;
  std::uint64_t& steps_;
  LocalSteps local_steps_ = LocalSteps::equal;
};

}  // namespace trainyard
