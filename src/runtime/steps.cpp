#include "trainyard/runtime/steps.hpp"

#include <algorithm>

namespace trainyard {

/// go_on where neither the clock nor the user ends the run, or one of them has already.
Verdict StepRule::by_clock(const StepCounts& counts, Time now) const {
  if (counts.ending) return Verdict::go_on;
  if (counts.interrupted) return Verdict::wind_up;
  if (!watches_clock()) return Verdict::go_on;
  if (goes_by_clock()) {
    if (limits.steps_of_instant != 0 && counts.of_instant >= limits.steps_of_instant) {
      return Verdict::refuse;
    }
    if (now >= limits.time) return Verdict::wind_up;
  }
  const bool meets = !counts.meeting && counts.any_begun && now >= limits.meet_at;
  return meets ? Verdict::meet : Verdict::go_on;
}

Verdict StepRule::next_in_lockstep(const StepCounts& counts, Time now) const {
  if (counts.done > 0 && !counts.looked && last_look(counts.done) == counts.done) {
    return Verdict::look;
  }
  const Verdict verdict = by_clock(counts, now);
  if (verdict != Verdict::go_on) return verdict;
  return counts.done < counts.last_step ? Verdict::go_on : Verdict::stop;
}

Verdict StepRule::next_free(const StepCounts& counts, Time now) const {
  if (counts.lot_left == 0 && !counts.looked) {
    const std::uint64_t every = limits.evaluate_every * static_cast<std::uint64_t>(workers);
    if (counts.completed_before / every != counts.completed / every) return Verdict::look;
  }
  const Verdict verdict = by_clock(counts, now);
  if (verdict != Verdict::go_on) return verdict;
  if (counts.ending || (counts.meeting && counts.lot_left == 0)) return Verdict::stop;
  return counts.lot_left > 0 ? Verdict::go_on : Verdict::claim;
}

/// A worker has read the model of the last step that all servers had closed when they sent it, or a
/// later one; after the last step it has nothing more to do, whatever its own count. When the run
/// is looked at, the servers say.
Verdict StepRule::next_served(const StepCounts& counts, Time now) const {
  const Verdict verdict = by_clock(counts, now);
  if (verdict != Verdict::go_on) return verdict;
  return counts.closed < counts.last_step ? Verdict::go_on : Verdict::stop;
}

Verdict StepRule::next(const StepCounts& counts, Time now) const {
  switch (pace) {
    case Pace::lockstep:
      return next_in_lockstep(counts, now);
    case Pace::free:
      return next_free(counts, now);
    case Pace::server:
      return next_served(counts, now);
  }
  return Verdict::stop;
}

std::uint64_t StepRule::steps_unasked(const StepCounts& counts) const {
  if (pace != Pace::lockstep) return 1;
  const std::uint64_t to_look = limits.evaluate_every - counts.done % limits.evaluate_every;
  return std::min(to_look, counts.last_step - counts.done);
}

std::uint64_t StepRule::end(std::uint64_t begun, std::uint64_t closed,
                            std::uint64_t last_step) const {
  return std::min(pace == Pace::server ? closed + 1 : begun, last_step);
}

std::uint64_t StepRule::meeting(std::uint64_t begun, std::uint64_t closed,
                                std::uint64_t last_step) const {
  if (pace == Pace::server) return end(begun, closed, last_step);
  return std::min((begun + limits.cycle - 1) / limits.cycle * limits.cycle, last_step);
}

std::uint64_t StepRule::lot_from(std::uint64_t first) const {
  const std::uint64_t all = minibatches();
  return std::min(lot, all - std::min(first, all));
}

}  // namespace trainyard
