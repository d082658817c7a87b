// Rank::compute_serving() of a rank that is one thread, the same in `wall` and among processes.
#pragma once

#include <algorithm>

#include "trainyard/base/units.hpp"
#include "trainyard/runtime/rank.hpp"

namespace trainyard {

/// Computes, and serves what has arrived when the work is done, and until a straggler goes on: it
/// `sleeps_until(moment)`, for `longest_unserved` at a time, unless the run `is_interrupted()`.
template <typename SleepsUntil, typename IsInterrupted>
bool compute_then_serve(Rank& rank, const ComputeCost& cost, FunctionRef<void()> work,
                        FunctionRef<bool(Message&)> serve, Duration longest_unserved,
                        const SleepsUntil& sleeps_until, const IsInterrupted& is_interrupted) {
  const Time began = rank.now();
  rank.compute({}, work);
  const Time ends =
      checked_sum(checked_sum(began, scaled(rank.now() - began, cost.slowdown)), cost.pause);
  while (true) {
    while (auto message = rank.poll_any()) {
      if (!serve(*message)) return false;
    }
    const Time present = rank.now();
    if (present >= ends || is_interrupted()) return true;
    sleeps_until(std::min(ends, checked_sum(present, longest_unserved)));
  }
}

}  // namespace trainyard
