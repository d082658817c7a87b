// A run goes from leg to leg (run/checkpoint.hpp). One without checkpoints is a single leg.
#include <string_view>
#include <utility>

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

/// The rule of leg `leg`, from 0, where each has so many steps.
StepRule rule_of_leg(const StepRule& whole, std::optional<std::uint64_t> steps, std::uint64_t leg) {
  StepRule rule = whole;
  if (!steps || leg >= whole.limits.steps / *steps) return rule;  // also without overflow
  rule.limits.steps = std::min((leg + 1) * *steps, whole.limits.steps);
  if (rule.limits.steps < whole.limits.steps) rule.limits.minibatches.reset();
  return rule;
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
  remark_lost_ranks(report, *state);
  if (!ended_by_.empty()) return result_at_last_look(ended_by_, report, *state);
  if (process_) network_note_ = process_->note();
  if (!network_note_.empty()) hooks_.remark(network_note_);
  remark_dropped();

  const Snapshot end = ends_at_look_ ? last_look_ : pacing().final_snapshot(report);
  if (hooks_.finished) hooks_.finished(*state);
  // What was under way at the last look has arrived since, and steps were taken. What this look
  // finds has ended nothing.
  if (!is_as_seen(end)) (void)look(end);
  return result(end, report, *state, pacing().worker_steps_done());
}

void Experiment::begin_state(std::optional<RunState>& state) const {
  state.emplace(plan_.layout(), hooks_.processes == nullptr
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
    heard_ = metrics_.size();
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

RuntimeReport Experiment::run_legs(RuntimeSetup& setup, std::optional<RunState>& state,
                                   const StepRule& whole) {
  keep_for_restart(*state, setup.begun);
  while (true) {
    // Each leg has the network's randomness of its own; that of all else is kept in the state.
    setup.network.seed = config_.seed + leg_ * 0x9E3779B97F4A7C15U;
    setup.ends_at = failures_ && failures_->next() ? failures_->next()->at : Time::max();
    const StepRule rule = rule_of_leg(whole, plan_.leg, leg_);
    RuntimeReport report = run_leg(setup, *state, rule);
    if (report.tries_lost) tries_lost_ = tries_lost_.value_or(0) + *report.tries_lost;
    report.tries_lost = tries_lost_;
    const bool goes_on = rule.limits.steps < whole.limits.steps && !ends_at_look_ && !diverged_ &&
                         !report.given_up && report.stuck.empty() &&
                         report.elapsed < whole.limits.time &&
                         !interrupted_.load(std::memory_order_relaxed);  // relaxed: a flag
    const Duration saving = goes_on ? checkpoint_time() : Duration{0};
    if (is_thrown_back(report.elapsed + saving)) {
      if (go_back(report, setup, state, whole.limits.time)) continue;
      return report;
    }
    hear();
    in_a_row_ = 0;
    if (!goes_on) return report;
    setup.begun = later(report, report.elapsed + saving);
    end_leg(*state, setup);
  }
}

/// Of a run without checkpoints none is made.
Duration Experiment::checkpoint_time() const {
  return plan_.leg ? config_.checkpoint_time.value_or(Duration{0}) : Duration{0};
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
  pacer_->put_down();
  state.end_leg();
  ++leg_;
  const RankAccount all = total_traffic(setup.begun.accounts);
  dropped_ = all.messages_sent - all.messages_received - lost_.messages;
  if (folder_) save(state, setup.begun);
  keep_for_restart(state, setup.begun);
  if (hooks_.leg_ended) hooks_.leg_ended(state);
  state.begin_leg();
  lines_ = shared_lines(plan_);
}

/// A disk that is full is no reason to lose the run.
void Experiment::save(RunState& state, Begun& begun) {
  Archive archive;
  identify(archive);
  exchange(archive, state, begun);
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
