// A run whose members change (membership.hpp): from one formation to the next.
//
// A run of a formation is a leg. When a worker crashes its leg is cut in that moment, in which
// ranks are in the midst of a step. What the others hold then is the model of no step; what they
// fall back to is that of the last step which all had done. So the leg is done again, up to there:
// it repeats bit by bit, and nobody had to keep copies at every step. Times and messages are those
// of the leg that was cut.
#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "trainyard/base/counted.hpp"
#include "trainyard/base/error.hpp"
#include "trainyard/base/units.hpp"
#include "trainyard/network/links.hpp"

#include "run/experiment.hpp"
#include "run/setting_out.hpp"

namespace trainyard {

namespace {

/// So many of 16 workers take a while of simulated time, in which now and then few are up, whose
/// steps are short of a crash more often than those of all.
constexpr std::size_t most_without_a_step = 1000;

}  // namespace

bool Experiment::members_change(Time ends) {
  if (!membership_) return false;
  const std::optional<MemberChange> next = membership_->next();
  return next && next->at <= ends && next->at < plan_.limits.time;
}

/// The leg again, as long as it lasts, or until `ends`.
RuntimeReport Experiment::replay(RuntimeSetup& setup, std::optional<RunState>& state,
                                 const StepRule& whole, std::uint64_t steps, Time ends) {
  restore(state);
  StepRule rule = whole;
  rule.limits.steps = std::min(steps, whole.limits.steps);
  setup.ends_at = ends;
  return run_leg(setup, *state, rule);
}

/// False where the run has ended meanwhile, or by this; then `report` is its report.
bool Experiment::reform(RuntimeReport& report, RuntimeSetup& setup, std::optional<RunState>& state,
                        StepRule& whole) {
  const bool is_over = ends_at_look_ || diverged_ || pacer_->steps_of_all() >= whole.limits.steps ||
                       interrupted_.load(std::memory_order_relaxed);  // relaxed: a flag
  if (is_over) return false;
  MemberChange change = *membership_->next();
  if (change.joins) {
    // It waits until the step under way is done, in which somebody else may crash.
    const std::optional<MemberChange> crash = membership_->next_crash();
    const Time ends = crash ? std::max(crash->at, setup.begun.at) : Time::max();
    const std::uint64_t steps = pacer_->steps_of_any();
    report = replay(setup, state, whole, steps, ends);
    tries_lost_ = tries_before_;
    count_tries(report);
    if (crash && crash->at <= report.elapsed) {
      change = *crash;
    } else if (ends_at_look_ || diverged_ || steps >= whole.limits.steps ||
               report.elapsed >= whole.limits.time) {
      return false;
    }
  }
  if (change.joins) {
    setup.begun = later(report, report.elapsed);
    return form_anew(change, setup, state, whole);
  }
  return lose_member(change, report, setup, state, whole);
}

/// All fall back to the last step that is whole.
bool Experiment::lose_member(const MemberChange& change, const RuntimeReport& report,
                             RuntimeSetup& setup, std::optional<RunState>& state, StepRule& whole) {
  const std::uint64_t computed = pacer_->worker_steps_done();
  count_lost_messages(report);
  const Spent spent = spent_in(*state);
  const RuntimeReport until = replay(setup, state, whole, pacer_->steps_of_all(), Time::max());
  put_back(spent, *state);
  lost_.crashes += 1;
  lost_.steps += computed - pacer_->worker_steps_done();
  lost_.time += report.elapsed - until.elapsed;
  in_a_row_ = pacer_->worker_steps_done() == steps_formed_with_ ? in_a_row_ + 1 : 1;
  steps_formed_with_ = pacer_->worker_steps_done();
  if (in_a_row_ >= most_without_a_step) {
    ended_by_ =
        fmt::format("warning: {}, the last of {} crashes in a row between which no step was done",
                    failure_text({change.rank, change.at}, config_.workers), most_without_a_step);
    return false;
  }
  const Time goes_on =
      std::max(report.elapsed, checked_sum(change.at, config_.network.faults.detection));
  if (goes_on >= whole.limits.time) {
    ended_by_ =
        fmt::format("warning: {}, and the others had not noticed when the run's {} were over",
                    failure_text({change.rank, change.at}, config_.workers),
                    human_duration(to_seconds(whole.limits.time)));
    return false;
  }
  setup.begun = later(report, goes_on);
  if (!form_anew(change, setup, state, whole)) return false;
  lost_.time += goes_on - report.elapsed;
  return true;
}

/// Empty: it can go on with these ranks.
std::string Experiment::form(const std::vector<int>& ranks, const MemberChange& change) {
  if (change.rank >= cast_.workers + cast_.servers) return "whose rows nobody else has";
  if (change.rank >= cast_.workers) return "whose part of the model nobody else has";
  const auto workers = static_cast<std::size_t>(
      std::ranges::count_if(ranks, [&](int rank) { return rank < cast_.workers; }));
  if (workers == 0) return "and no worker is left";
  try {
    formation_ = formation_of(plan_, ranks, formations_ + 1, pacer_->steps_of_all(),
                              pacer_->worker_steps_done());
  } catch (const UsageError& error) {
    return fmt::format(
        "and {} cannot go on: {}",
        workers == 1 ? "the one that is left" : counted(workers, "worker", "workers"),
        error.what());
  }
  fewest_ = formations_ == 0 ? workers : std::min(fewest_, workers);
  ++formations_;
  return "";
}

/// The present members have ended between two steps.
bool Experiment::form_anew(const MemberChange& change, RuntimeSetup& setup,
                           std::optional<RunState>& state, StepRule& whole) {
  pacer_->put_down();
  state->end_leg();
  hear();
  const std::vector<int> before = membership_->ranks();
  membership_->take(change);
  const std::vector<int> ranks = membership_->ranks();
  if (const std::string why = form(ranks, change); !why.empty()) {
    ended_by_ = fmt::format("warning: {}, {}",
                            failure_text({change.rank, change.at}, config_.workers), why);
    return false;
  }
  if (state->layout().workers > 1) alike_ = state->held_alike();
  RunState former = std::move(*state);
  begin_state(state);
  std::vector<int> was;
  for (const int rank : ranks) {
    if (rank >= cast_.workers + cast_.servers) break;  // a data server keeps nothing
    const auto found = std::ranges::find(before, rank);
    was.push_back(found == before.end() ? RunState::joins
                                        : static_cast<int>(found - before.begin()));
  }
  const std::size_t fetched = state->inherit(former, was, 0, alike_);
  if (change.joins) {
    const Duration takes = take_in(change.rank, before.front(), fetched, setup);
    lost_.time += takes;
    for (RankAccount& account : setup.begun.accounts) account.wait += takes;
    setup.begun.at += takes;
    ++returns_;
  }
  ++leg_;
  setup.absent = cast_.workers - present().cast.workers;
  whole = step_rule(present());
  keep_for_restart(*state, setup.begun);
  return true;
}

/// How long the others wait for the one that fetches the model.
Duration Experiment::take_in(int joining, int donor, std::size_t bytes, RuntimeSetup& setup) const {
  auto account_of = [&](int rank) -> RankAccount& {
    return setup.begun.accounts[static_cast<std::size_t>(rank)];
  };
  account_of(donor).messages_sent += 1;
  account_of(donor).bytes_sent += bytes;
  account_of(joining).messages_received += 1;
  account_of(joining).bytes_received += bytes;
  // Over a connection, whatever becomes of datagrams: what is lost of it is sent again.
  Network network = setup.network;
  network.faults.retransmission.never = false;
  Links links(network, setup.workers, setup.servers, setup.hosts);
  const Time begins = setup.begun.at;
  const Passage passage = links.passage_of_next(donor, joining, bytes, begins);
  return checked_sum(checked_sum(passage.latency, passage.transfer),
                     links.cut_wait(donor, joining, bytes, begins));
}

void Experiment::remark_members() const {
  if (formations_ == 0 || !ended_by_.empty()) return;
  std::string returns = "nobody came back";
  if (returns_ > 0) returns = counted(returns_, "return", "returns");
  hooks_.remark(fmt::format(
      "note: {} and {}, with {} of {} workers at the fewest: {} of the time lost, in steps that "
      "were thrown away, until the others had noticed (--detection), and while the model was "
      "fetched; rows were dealt anew each time",
      counted(lost_.crashes, "crash", "crashes"), returns, fewest_, config_.workers,
      human_duration(to_seconds(lost_.time))));
}

}  // namespace trainyard
