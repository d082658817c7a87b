// When a worker takes another step, when the run is looked at and when it ends: a rule that is
// given what has been counted, and says what to do. It counts nothing itself, knows no rank and no
// thread, and reads no clock, so that ranks which do not share memory can go by it as well; those
// that do are counted in pacer.hpp.
//
// Threads: any may ask a rule at any time; it never changes.
#pragma once

#include <cstdint>
#include <optional>

#include "trainyard/base/units.hpp"

namespace trainyard {

/// lockstep: all workers take the same number of steps, none runs ahead of what it needs from
/// others. free: each worker takes the next step when it is ready; the steps of all are counted
/// together. server: a step is what the servers close, when they have what it takes; a worker that
/// comes too late for it takes part in a later one, so workers' own steps say little.
enum class Pace { lockstep, free, server };

/// The limits are whichever comes first.
struct RunLimits {
  // A worker; if free, on average over the workers; if the servers close them, so many of those.
  std::uint64_t steps = 0;
  std::optional<std::uint64_t> minibatches{};  // free: of all workers together, instead of steps
  std::uint64_t evaluate_every = 1;            // steps a worker, > 0
  Duration time = Duration::max();
  /// A worker that takes so many steps in one instant would never come to `time`: the run is
  /// refused with UsageError. 0: it ends by its steps.
  std::uint64_t steps_of_instant = 0;
  /// From then on workers meet: they finish what they have begun, and the leg is over. In lockstep
  /// that is a multiple of `cycle` steps, > 0.
  Time meet_at = Time::max();
  std::uint64_t cycle = 1;
};

/// The counts that are known when a worker asks for its next step. Counts of another pace stay 0.
struct StepCounts {
  std::uint64_t done = 0;        // steps, by this worker
  std::uint64_t of_instant = 0;  // of these, those since the clock moved last
  bool looked = false;           // a look that was due after them has been had
  bool interrupted = false;      // the user wants the run to end
  bool ending = false;           // the run has been wound up
  bool meeting = false;          // the leg has
  bool any_begun = false;        // some worker has begun a step in this leg, or all are sure to
  std::uint64_t last_step = 0;   // lockstep, server: none with this number or a later one begins
  std::uint64_t closed = 0;      // server: steps that all servers have closed
  // free: above 0 while some of the lot that this worker has claimed is not begun. When it has come
  // to an end, how many minibatches all workers had done before that lot, and with it.
  std::uint64_t lot_left = 0, completed_before = 0, completed = 0;
};

/// The answer to a worker that asks for its next step. After `look`, `wind_up` and `claim` it asks
/// again.
enum class Verdict : std::uint8_t {
  go_on,    // take the step
  look,     // the model as it is now is to be looked at
  wind_up,  // the run ends: steps that have begun are finished, as StepRule::end() has it
  meet,     // the leg ends, in the same way; after the lots that have been claimed
  claim,    // free: a lot of minibatches is to be taken off the common count
  refuse,   // the clock stands still, and the run would never end
  stop,     // no more steps
};

/// The rule of one run, three of them, one for each pace.
struct StepRule {
  Pace pace = Pace::lockstep;
  RunLimits limits{};
  int workers = 1;
  /// free: so many neighbouring workers compute a minibatch of all of them together. The first of
  /// them asks this rule, for all; their lots are a multiple of it.
  int team = 1;
  /// A free worker takes minibatches off the common count in lots of so many, > 0: with 1 the count
  /// is exact at every moment, but fought over.
  std::uint64_t lot = 1;

  /// The answer to a worker that asks.
  Verdict next(const StepCounts& counts, Time now) const;
  /// lockstep, server: a worker that may go on need not ask again before it has done so many steps,
  /// > 0, as long as the run has not been wound up meanwhile: by the clock, by the user, or after a
  /// look that others had. Who counts down watches for these. (A free worker's steps are those of
  /// its lot.)
  std::uint64_t steps_unasked(const StepCounts& counts) const;
  /// The clock ends the run. Then next() wants to know StepCounts::of_instant.
  bool goes_by_clock() const { return limits.time != Duration::max(); }
  /// Whether next() wants to know the time.
  bool watches_clock() const { return goes_by_clock() || limits.meet_at != Time::max(); }

  /// How long messages that are under way when the clock has ended the run, and all steps, may take
  /// to arrive.
  Duration time_to_arrive() const { return limits.time / 20; }

  /// The last step up to `steps` after which the run is looked at; 0: none.
  std::uint64_t last_look(std::uint64_t steps) const {
    return steps - steps % limits.evaluate_every;
  }
  /// The value of StepCounts::last_step when the run is wound up, if some worker has begun `begun`
  /// steps and some server has closed `closed`: others may wait for what one has begun. Servers:
  /// for the step after the one closed last a gradient may have come already.
  std::uint64_t end(std::uint64_t begun, std::uint64_t closed, std::uint64_t last_step) const;
  /// The same when a leg is, which ends with a cycle.
  std::uint64_t meeting(std::uint64_t begun, std::uint64_t closed, std::uint64_t last_step) const;

  /// free: minibatches of all workers together.
  std::uint64_t minibatches() const {
    return limits.minibatches.value_or(limits.steps * static_cast<std::uint64_t>(workers));
  }
  /// free: how many steps of a team it takes to do so many minibatches.
  std::uint64_t steps_of(std::uint64_t minibatches) const {
    const auto at_once = static_cast<std::uint64_t>(team);
    return (minibatches + at_once - 1) / at_once;
  }
  /// free: how many there are in the lot that begins with minibatch `first` of the common count,
  /// from 0: a whole one, what is left, or none.
  std::uint64_t lot_from(std::uint64_t first) const;

 private:
  Verdict next_in_lockstep(const StepCounts& counts, Time now) const;
  Verdict next_free(const StepCounts& counts, Time now) const;
  Verdict next_served(const StepCounts& counts, Time now) const;
  Verdict by_clock(const StepCounts& counts, Time now) const;
};

}  // namespace trainyard
