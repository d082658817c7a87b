// What becomes of a run that crashes: it ends, or goes back to its last checkpoint (failures.hpp).
//
// A crash ends the leg in which it comes, in that moment, whatever ranks are at; what they spent
// stays in their accounts. All goes back to what was kept when the leg before ended, in memory,
// since the state of a rank lies in ours: that a real one would read a file is in the time that a
// rank is away.
#include <fmt/format.h>

#include "trainyard/base/counted.hpp"
#include "trainyard/base/units.hpp"
#include "trainyard/data/archive.hpp"

#include "run/experiment.hpp"
#include "run/lines.hpp"

namespace trainyard {

namespace {

constexpr std::size_t most_in_a_row = 100;

}  // namespace

void Experiment::keep_for_restart(RunState& state, Begun& begun) {
  if (!failures_ || config_.network.faults.on_failure != OnFailure::restart) return;
  Archive archive;
  exchange(archive, state, begun);
  kept_ = archive.read_back();
}

/// Where the user wants the end, it ends there.
bool Experiment::is_thrown_back(Time ends) const {
  return failures_ && failures_->next() && failures_->next()->at <= ends &&
         !interrupted_.load(std::memory_order_relaxed);  // relaxed: a flag
}

/// False where the run has ended by it.
bool Experiment::go_back(const RuntimeReport& report, RuntimeSetup& setup,
                         std::optional<RunState>& state) {
  const Failure failure = *failures_->next();
  const std::string what = failure_text(failure, config_.workers);
  lost_.crashes += failure.crashes;
  if (!kept_) {
    ended_by_ = fmt::format("warning: {}, and the run with it", what);
    return false;
  }
  if (++in_a_row_ > most_in_a_row) {
    ended_by_ = fmt::format(
        "warning: {}, the last of {} crashes in a row in which the run did not get from one "
        "checkpoint to the next",
        what, most_in_a_row);
    return false;
  }
  lost_.time += failure.over - setup.begun.at;
  lost_.steps += pacer_->worker_steps_done() - begun_with_;
  const RankAccount all = total_traffic(report.accounts);
  lost_.messages = all.messages_sent - all.messages_received - dropped_;

  const Lost lost = lost_;
  const std::optional<std::uint64_t> tries = tries_lost_;
  Archive archive = kept_->read_back();
  Begun begun;
  begin_state(state);
  exchange(archive, *state, begun);
  state->begin_leg();
  lost_ = lost;
  tries_lost_ = tries;
  lines_ = shared_lines(plan_);
  ends_at_look_ = diverged_ = false;
  setup.begun = later(report, failure.over);
  failures_->go_past();
  return true;
}

void Experiment::remark_crashes() {
  if (lost_.crashes == 0 || !ended_by_.empty()) return;
  hooks_.remark(
      fmt::format("note: {}: {} of the time lost, in what was done since the last checkpoint and "
                  "until who had crashed was back; messages and gradients of then are counted",
                  lost_.crashes == 1 ? "a crash" : counted(lost_.crashes, "crash", "crashes"),
                  human_duration(to_seconds(lost_.time))));
}

}  // namespace trainyard
