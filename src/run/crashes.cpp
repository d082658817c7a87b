// What becomes of a run that crashes: it ends, or goes back to its last checkpoint (failures.hpp).
//
// A crash ends the leg in which it comes, in that moment, whatever ranks are at; what they spent
// stays in their accounts. All goes back to what was kept when the leg before ended, in memory,
// since the state of a rank lies in ours: that a real one would read a file is in the time that a
// rank is away.
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "trainyard/base/counted.hpp"
#include "trainyard/base/error.hpp"
#include "trainyard/base/units.hpp"
#include "trainyard/data/archive.hpp"

#include "run/experiment.hpp"
#include "run/lines.hpp"

namespace trainyard {

namespace {

constexpr std::size_t most_in_a_row = 100;

/// The first few of what stands between semicolons.
std::string shortened_list(const std::string& list) {
  constexpr int most = 3;
  std::size_t end = 0;
  for (int i = 0; i < most && end != std::string::npos; ++i) end = list.find("; ", end + 1);
  return end == std::string::npos ? list : list.substr(0, end) + "; and others";
}

}  // namespace

void Experiment::keep_for_restart(RunState& state, Begun& begun) {
  const OnFailure rule = config_.network.faults.on_failure;
  const bool goes_back = failures_ && rule == OnFailure::restart;
  if (!goes_back && !membership_) return;
  Archive archive;
  exchange(archive, state, begun);
  kept_ = archive.read_back();
}

bool Experiment::is_thrown_back(Time ends) const {
  return failures_ && failures_->next() && failures_->next()->at <= ends;
}

/// The run cannot go back, or shall not; empty: it can.
std::string Experiment::why_it_ends(const Failure& failure, Duration limit) {
  const std::string what = "warning: " + failure_text(failure, config_.workers);
  if (interrupted_.load(std::memory_order_relaxed)) {  // relaxed: a flag
    return what + ", and the run was interrupted";
  }
  if (!kept_) return what + ", and the run with it";
  if (failure.is_for_good()) {
    return fmt::format("{}, and in {} crashes that follow all are never up at once", what,
                       failure.crashes);
  }
  if (++in_a_row_ > most_in_a_row) {
    return fmt::format(
        "{}, the last of {} crashes in a row in which the run did not get from one "
        "checkpoint to the next",
        what, most_in_a_row);
  }
  if (failure.over >= limit) {
    return fmt::format("{}, and was not back when the run's {} were over", what,
                       human_duration(to_seconds(limit)));
  }
  return "";
}

/// False where the run has ended by it.
bool Experiment::go_back(const RuntimeReport& report, RuntimeSetup& setup,
                         std::optional<RunState>& state, Duration limit) {
  const Failure failure = *failures_->next();
  ended_by_ = why_it_ends(failure, limit);
  if (!ended_by_.empty()) {
    lost_.crashes += 1;
    lost_.time += failure.at - last_look_.time;
    return false;
  }
  lost_.crashes += failure.crashes;
  lost_.time += failure.over - setup.begun.at;
  lost_.steps += pacer_->worker_steps_done() - begun_with_;
  count_lost_messages(report);
  const Spent spent = spent_in(*state);
  restore(state);
  put_back(spent, *state);
  setup.begun = later(report, failure.over);
  failures_->go_past();
  return true;
}

/// Those that were under way in the moment of the crash, and in those before.
void Experiment::count_lost_messages(const RuntimeReport& report) {
  const RankAccount all = total_traffic(report.accounts);
  lost_.messages = all.messages_sent - all.messages_received - dropped_;
}

Spent Experiment::spent_in(const RunState& state) {
  Spent spent;
  const int ranks = state.layout().workers + state.layout().servers;
  spent.reserve(static_cast<std::size_t>(ranks));
  for (int rank = 0; rank < ranks; ++rank) {
    spent.emplace_back(state.coding_of(rank), state.lines_time_of(rank));
  }
  return spent;
}

void Experiment::put_back(const Spent& spent, RunState& state) {
  for (std::size_t rank = 0; rank < spent.size(); ++rank) {
    const int r = static_cast<int>(rank);
    std::tie(state.coding_of(r), state.lines_time_of(r)) = spent[rank];
  }
}

/// As it was kept, but for what has been lost.
void Experiment::restore(std::optional<RunState>& state) {
  const Lost lost = lost_;
  const std::optional<std::uint64_t> tries = tries_lost_;
  Archive archive = kept_->read_back();
  Begun begun;
  begin_state(state);
  exchange(archive, *state, begun);
  state->begin_leg();
  lost_ = lost;
  tries_lost_ = tries;
  lines_ = shared_lines(present());
  ends_at_look_ = diverged_ = accounts_are_lost_ = false;
}

/// Of those that others wait for, or not.
void Experiment::remark_lost_ranks(const RuntimeReport& report, const RunState& state) {
  const Faults& faults = config_.network.faults;
  const std::vector<std::string> lost = loses_ranks(faults, cast_)
                                            ? lost_ranks(faults, cast_, report.elapsed)
                                            : std::vector<std::string>{};
  const std::string who = joined(lost);
  if (!report.stuck.empty()) {
    if (lost.empty()) throw InternalError("deadlock in the simulated run: " + report.stuck);
    ended_by_ = fmt::format("warning: {}, and {} waited for in vain: {}", who,
                            lost.size() > 1 ? "are" : "is", shortened_list(report.stuck));
    return;
  }
  if (who.empty()) return;
  bool any_left = false;
  for (int w = 0; w < cast_.workers; ++w) any_left = any_left || !state.is_lost(w);
  hooks_.remark(any_left ? fmt::format("note: {}; the others went on, without the rows and the "
                                       "minibatch of who is gone",
                                       who)
                         : fmt::format("warning: {}, and no worker is left", who));
}

void Experiment::remark_crashes() {
  if (const std::string note = crash_of_nobody(config_.network.faults, cast_); !note.empty()) {
    hooks_.remark(note);
  }
  if (lost_.crashes == 0 || membership_ || !ended_by_.empty()) return;
  hooks_.remark(fmt::format(
      "note: {}: {} of the time lost, in what was done since the last checkpoint and "
      "until who had crashed was back; messages and gradients of then are counted",
      counted(lost_.crashes, "crash", "crashes"), human_duration(to_seconds(lost_.time))));
}

}  // namespace trainyard
