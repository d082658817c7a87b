// A run goes from leg to leg (run/checkpoint.hpp). One without checkpoints is a single leg.
#include <functional>
#include <string_view>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "trainyard/base/error.hpp"
#include "trainyard/data/archive.hpp"
#include "trainyard/model/kernels.hpp"
#include "trainyard/run/processes.hpp"

#include "run/experiment.hpp"
#include "run/lines.hpp"
#include "run/remarks.hpp"
#include "run/setting_out.hpp"
#include "run/summary.hpp"

namespace trainyard {

namespace {

constexpr std::string_view not_in_order =
    "warning: after the interrupt some ranks were steps behind others, or waited for ever; losses, "
    "steps and the model are those of the last evaluation, while times go to the end";

/// The moment at which ranks are to meet for a checkpoint; the end of time where they meet by
/// steps.
Time meeting_after(Time begins, const Configuration& c) {
  const Duration* const interval =
      c.checkpoint_every ? std::get_if<Duration>(&*c.checkpoint_every) : nullptr;
  if (interval == nullptr || begins > Time::max() - *interval) return Time::max();
  return begins + *interval;
}

/// Of a run with checkpoints by the clock that has made none: it ended before the first was due, or
/// never came to the end of a round.
std::string no_checkpoint_note(const Plan& plan, Time ended) {
  const Time due = meeting_after(Time{0}, plan.configuration);
  if (due == Time::max()) return "";
  if (due >= ended) {
    return fmt::format(
        "note: no checkpoint was made: the run ended after {}, before the first one "
        "was due (--checkpoint-every)",
        long_duration(to_seconds(ended)));
  }
  if (plan.limits.cycle == 1) return "";
  return fmt::format(
      "note: no checkpoint was made (--checkpoint-every): they are between rounds, and one of {} "
      "takes {} steps",
      plan.scheme->name, plan.limits.cycle);
}

/// The rule of leg `leg`, from 0, where each has so many steps.
StepRule rule_of_leg(const StepRule& whole, std::optional<std::uint64_t> steps, std::uint64_t leg) {
  StepRule rule = whole;
  if (!steps || leg >= whole.limits.steps / *steps) return rule;  // also without overflow
  rule.limits.steps = std::min((leg + 1) * *steps, whole.limits.steps);
  if (rule.limits.steps < whole.limits.steps) rule.limits.minibatches.reset();
  return rule;
}

/// The names of what a rank has in the archive of a state.
std::function<bool(std::string_view)> is_of_rank(int rank) {
  return [place = fmt::format("rank {}/", rank)](std::string_view name) {
    return name.starts_with(place);
  };
}

}  // namespace

Pacing& Experiment::pacing() {
  if (wrapped_pacing_) return *wrapped_pacing_;
  if (process_) return process_->pacing();
  return *pacer_;
}

RunResult Experiment::run() {
  RuntimeSetup setup = runtime_setup();
  std::optional<RunState> state;
  begin_state(state);
  StepRule rule = step_rule(plan_);
  if (hooks_.processes != nullptr) {
    hooks_.processes->divide(setup.workers, setup.workers + setup.servers);
  }
  begin(*state, setup, rule);
  RuntimeReport report;
  try {
    report = run_legs(setup, state, rule);
  } catch (const RankLost& error) {
    report.elapsed = last_look_.time;
    report.accounts.resize(static_cast<std::size_t>(cast_.ranks()));
    return result_so_far(fmt::format("warning: {}", error.what()), report, *state);
  }
  if (report.given_up) return result_so_far(std::string(not_in_order), report, *state);
  if (!leads()) return {};
  remark_crashes();
  remark_members();
  remark_lost_ranks(report, *state);
  if (!ended_by_.empty()) return result_at_last_look(ended_by_, report, *state);
  if (process_) network_note_ = process_->note();
  if (!network_note_.empty() && hooks_.resumed != nullptr) {
    network_note_ += "; counted since the run was resumed";
  }
  if (!network_note_.empty()) hooks_.remark(network_note_);
  remark_dropped();
  if (const std::string none = no_checkpoint_note(plan_, report.elapsed);
      leg_ == 0 && !none.empty()) {
    hooks_.remark(none);
  }

  const Snapshot end = ends_at_look_ ? last_look_ : pacing().final_snapshot(report);
  if (hooks_.finished) hooks_.finished(*state);
  // What was under way at the last look has arrived since, and steps were taken. What this look
  // finds has ended nothing.
  if (!is_as_seen(end)) (void)look(end);
  return result(end, report, *state, pacing().worker_steps_done());
}

void Experiment::begin_state(std::optional<RunState>& state) const {
  state.emplace(present().layout(), hooks_.processes == nullptr
                                        ? std::vector<std::span<std::byte>>{}
                                        : share_models(plan_, *hooks_.processes));
  if (config_.time == TimeMode::simulated) state->share_staleness();
}

/// With its first look, or where another process has left it.
void Experiment::begin(RunState& state, RuntimeSetup& setup, StepRule& rule) {
  if (hooks_.resumed != nullptr) {
    identify(*hooks_.resumed);
    exchange(*hooks_.resumed, state, setup.begun);
    state.begin_leg();
    for (; heard_ < metrics_.size(); ++heard_) {
      if (hooks_.recalled) hooks_.recalled(metrics_[heard_]);
    }
    if (failures_) failures_->go_to(setup.begun.at);
    hooks_.remark(fmt::format("resumed from checkpoint {}; the last evaluation was at epoch {:.4g}",
                              leg_, metrics_.back().epoch));
    return;
  }
  ends_at_look_ = leads() && look(start_of(plan_, initial_.view()));
  if (!ends_at_look_) return;
  rule.limits.steps = 0;
  if (target_ && is_reached(*target_, metrics_.back())) {
    hooks_.remark(
        fmt::format("note: the target, {}, is met before the first step, so nothing is trained",
                    target_text(*target_)));
  }
}

namespace {

/// Some worker is not gone for good. Else each leg would end in the moment in which it begins.
bool has_workers(const RunState& state, int workers) {
  for (int worker = 0; worker < workers; ++worker) {
    if (!state.is_lost(worker)) return true;
  }
  return false;
}

}  // namespace

RuntimeReport Experiment::run_legs(RuntimeSetup& setup, std::optional<RunState>& state,
                                   StepRule whole) {
  keep_for_restart(*state, setup.begun);
  while (true) {
    // Each leg has the network's randomness of its own; that of all else is kept in the state.
    setup.network.seed = seed_of_part(config_.seed, leg_);
    setup.ends_at = next_interruption(setup.begun.at);
    StepRule rule = rule_of_leg(whole, plan_.leg, leg_);
    rule.limits.meet_at = meeting_after(setup.begun.at, config_);
    tries_before_ = tries_lost_;
    RuntimeReport report = run_leg(setup, *state, rule);
    // What is recorded are the first steps of a run; each leg would begin anew.
    setup.recorder = nullptr;
    count_tries(report);
    count_stretch(setup.begun.accounts, report);
    if (members_change(report.elapsed)) {
      if (reform(report, setup, state, whole)) continue;
      return report;
    }
    const bool wanted = has_workers(*state, setup.workers) && goes_on_after(report, rule, whole);
    const bool goes_on = process_ ? process_->goes_on(wanted) : wanted;
    const Duration saving = goes_on ? checkpoint_time() : Duration{0};
    if (is_thrown_back(report.elapsed + saving)) {
      if (go_back(report, setup, state, whole.limits.time)) continue;
      return report;
    }
    hear();
    in_a_row_ = 0;
    if (!goes_on) return report;
    setup.begun = later(report, agreed_end(report) + saving);
    end_leg(*state, setup);
  }
}

/// What this process alone knows.
bool Experiment::goes_on_after(const RuntimeReport& report, const StepRule& rule,
                               const StepRule& whole) const {
  const bool more_by_clock = process_ ? process_->has_more_legs() : pacer_->has_more_legs();
  return (rule.limits.steps < whole.limits.steps || more_by_clock) && !ends_at_look_ &&
         !diverged_ && !report.given_up && report.stuck.empty() &&
         report.elapsed < whole.limits.time &&
         !interrupted_.load(std::memory_order_relaxed);  // relaxed: a flag
}

/// The clock of all ranks, when they have ended.
Time Experiment::agreed_end(const RuntimeReport& report) const {
  if (hooks_.processes == nullptr) return report.elapsed;
  const auto ticks = static_cast<std::uint64_t>(report.elapsed.count());
  return Time(static_cast<std::int64_t>(hooks_.processes->from_leading_one(ticks)));
}

/// Of all legs together, in the report too.
void Experiment::count_tries(RuntimeReport& report) {
  if (report.tries_lost) tries_lost_ = tries_lost_.value_or(0) + *report.tries_lost;
  report.tries_lost = tries_lost_;
}

/// Each leg has its own stretch; together they are as long as their computing took, over what it
/// would have taken alone.
void Experiment::count_stretch(const std::vector<RankAccount>& before, RuntimeReport& report) {
  if (!report.compute_stretch) return;
  Duration computing{0};
  for (const RankAccount& account : report.accounts) computing += account.compute;
  for (const RankAccount& account : before) computing -= account.compute;
  if (computing.count() <= 0) return;
  computing_ += computing;
  computing_alone_ += to_seconds(computing) / *report.compute_stretch;
  report.compute_stretch = to_seconds(computing_) / computing_alone_;
}

/// The next crash that ends a leg, or the next change of the members; not before the leg begins.
Time Experiment::next_interruption(Time begins) {
  if (failures_ && failures_->next()) return failures_->next()->at;
  if (!membership_) return Time::max();
  const std::optional<MemberChange> next = membership_->next();
  const bool comes = next && next->at < plan_.limits.time;
  return comes ? std::max(next->at, begins) : Time::max();
}

/// Of a run without checkpoints none is made.
Duration Experiment::checkpoint_time() const {
  return config_.checkpoint_every ? config_.checkpoint_time.value_or(Duration{0}) : Duration{0};
}

/// What ranks have done up to then, where they have waited since the report.
Begun Experiment::later(const RuntimeReport& report, Time moment) {
  Begun begun{moment, report.accounts};
  for (RankAccount& account : begun.accounts) account.wait += moment - report.elapsed;
  return begun;
}

RuntimeReport Experiment::run_leg(const RuntimeSetup& setup, RunState& state,
                                  const StepRule& rule) {
  const Look looks = [this](const Snapshot& snapshot) {
    ends_at_look_ = look(snapshot);
    return ends_at_look_;
  };
  if (hooks_.processes != nullptr) {
    process_ = hooks_.processes->join(setup, rule, state, looks, {interrupted_, hooks_.interrupt});
  } else {
    pacer_.emplace(rule, state, looks, interrupted_);
  }
  begun_with_ = pacing().worker_steps_done();
  wrapped_pacing_ = nullptr;
  if (hooks_.wrap_pacing) wrapped_pacing_ = hooks_.wrap_pacing(pacing());
  return run_until_not_finite(setup, context(state), process_.get());
}

/// All that the next leg goes by is in `state` and `setup.begun`, and in a file.
void Experiment::end_leg(RunState& state, RuntimeSetup& setup) {
  if (process_) {
    process_->put_down();
  } else {
    pacer_->put_down();
  }
  state.end_leg();
  ++leg_;
  const RankAccount all = total_traffic(setup.begun.accounts);
  dropped_ = all.messages_sent - all.messages_received - lost_.messages;
  if (!config_.checkpoint.empty()) save(state, setup.begun);
  keep_for_restart(state, setup.begun);
  if (hooks_.leg_ended) hooks_.leg_ended(state);
  state.begin_leg();
  lines_ = shared_lines(present());
}

void Experiment::save(RunState& state, Begun& begun) {
  Archive archive;
  if (!leads()) {
    state.exchange(archive);
    (void)process_->gather(archive.packed(is_of_rank(hooks_.processes->rank())));
    return;
  }
  identify(archive);
  exchange(archive, state, begun);
  std::vector<std::vector<std::byte>> of_others;  // is to outlive what is written
  if (process_) of_others = process_->gather({});
  for (std::size_t rank = 1; rank < of_others.size(); ++rank) {
    archive.drop(is_of_rank(static_cast<int>(rank)));
    archive.take_over(of_others[rank]);
  }
  write(archive);
}

/// A disk that is full is no reason to lose the run.
void Experiment::write(Archive& archive) {
  try {
    folder_->write(archive, leg_);
  } catch (const RunError& error) {
    hooks_.remark(
        fmt::format("warning: {}; the run goes on without this checkpoint", error.what()));
  }
}

void Experiment::identify(Archive& archive) {
  if (!rows_print_) rows_print_ = fingerprint_of_rows(data_);
  exchange_identity(archive, config_, *rows_print_);
}

void Experiment::exchange(Archive& archive, RunState& state, Begun& begun) {
  state.exchange(archive);
  exchange_begun(archive, begun);
  exchange_metrics(archive, metrics_);
  archive.exchange("legs", leg_);
  archive.exchange("messages dropped", dropped_);
  std::uint64_t lost = tries_lost_.value_or(0);
  archive.exchange("tries lost", lost);
  if (lost > 0) tries_lost_ = lost;
  archive.exchange("crashes/time lost", lost_.time);
  archive.exchange("crashes/number", lost_.crashes);
  archive.exchange("crashes/steps lost", lost_.steps);
  archive.exchange("crashes/messages lost", lost_.messages);
  archive.exchange("last look/model", last_model_);
  archive.exchange("last look/minibatches", last_look_.minibatches);
  archive.exchange("last look/steps", last_look_.steps);
  archive.exchange("last look/time", last_look_.time);
  archive.exchange("last look/consensus distance", last_look_.consensus_distance);
  archive.exchange("last look/messages", last_look_.messages);
  archive.exchange("last look/bytes", last_look_.bytes);
  last_look_.model = std::as_const(last_model_).view();
  if (best_) best_->exchange(archive);
}

/// Of schemes that send in one step what they take in another.
void Experiment::remark_dropped() {
  if (dropped_ == 0) return;
  hooks_.remark(fmt::format(
      "note: {} under way when ranks met for checkpoints (--checkpoint-every), and dropped: {} "
      "sends in one step what it takes in a later one",
      dropped_ == 1 ? "a message was" : fmt::format("{} messages were", dropped_), scheme_.name));
}

}  // namespace trainyard
