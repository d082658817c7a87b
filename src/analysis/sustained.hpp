// Measures how long a step of a long run takes: between two moments of one run at which everything
// stands alike, or, where chance sees to it that nothing ever does, over so many steps that the
// mean is known, and how well.
//
// The difference of two runs' ends would not do: a run of mpca-sgd ends with a round of averaging
// that is under way or is not, and of steps at 1 ms it made 0.84 ms or 2 ms.
//
// Threads: the calling one.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "analysis/step_log.hpp"

namespace trainyard {

/// A run that was played.
struct PlayedRun {
  std::vector<StepMark> marks;
  std::uint64_t stride = 1;  // steps from one to the next
  double end_s = 0.0;        // when the last rank had ended
  double numbers = 1.0;      // of the model, for each number that was sent
  double floats = 0.0;       // that all workers together held
};

/// How long it is, and which of all that chance may bring.
struct RunLength {
  std::uint64_t steps = 0;        // of each worker
  std::uint64_t minibatches = 0;  // of all workers: free pace
  std::uint64_t draw = 0;
};

struct SteadyQuestion {
  std::function<PlayedRun(const RunLength&)> play;
  Pace pace = Pace::lockstep;
  int workers = 1;
  std::uint64_t cycle = 1;  // steps in which everything happens that happens in cycles
  bool by_chance = false;   // something is drawn that a step's time depends on
};

/// How many steps are played at first.
std::uint64_t steps_played(std::uint64_t cycle, bool by_chance);

/// A step is a minibatch of each worker.
struct Sustained {
  double step_s = 0.0;
  /// 0 where it was found between two moments alike. Else it is off by this at most, in 998 of 1000
  /// cases.
  double error_s = 0.0;
  double minibatches = 0.0;               // a step, of all workers, that the model learns from
  double messages = 0.0, bytes = 0.0;     // a step, of all ranks
  std::uint64_t before = 0, counted = 0;  // steps after which it is so, and of which it is the mean
};

Sustained find_sustained(const SteadyQuestion& question);

}  // namespace trainyard
