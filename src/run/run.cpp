#include "trainyard/run/run.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "trainyard/base/error.hpp"
#include "trainyard/base/hash.hpp"
#include "trainyard/hardware/processor_quota.hpp"
#include "trainyard/model/kernels.hpp"
#include "trainyard/model/model.hpp"
#include "trainyard/run/evaluation.hpp"
#include "trainyard/run/optimum.hpp"
#include "trainyard/run/plan.hpp"
#include "trainyard/run/processes.hpp"
#include "trainyard/run/target.hpp"
#include "trainyard/runtime/data_server.hpp"
#include "trainyard/runtime/pacer.hpp"
#include "trainyard/runtime/processes.hpp"
#include "trainyard/runtime/robust_mean.hpp"
#include "trainyard/scheme/scheme.hpp"
#include "trainyard/topology/topology.hpp"

#include "run/experiment.hpp"
#include "run/lines.hpp"
#include "run/member_rank.hpp"
#include "run/remarks.hpp"
#include "run/setting_out.hpp"
#include "run/share_weights.hpp"
#include "run/stalling_rank.hpp"
#include "run/summary.hpp"

namespace trainyard {

Experiment::Experiment(const Plan& plan, const RunHooks& hooks)
    : plan_(plan),
      config_(plan.configuration),
      data_(*plan.data),
      hooks_(hooks),
      is_heard_(hooks.remark != nullptr),
      interrupted_(hooks.interrupted ? *hooks.interrupted : never_),
      grace_(interrupted_),
      scheme_(*plan.scheme),
      cast_(plan.cast),
      model_(*plan.model),
      target_(target_of(config_)),
      optimum_(leads() ? optimum_of(plan, interrupted_) : nullptr),
      observation_(config_, hooks.processes == nullptr ? cast_.ranks() : 0),
      initial_(model_.scalar(), model_.dimension()),
      notes_(plan.notes),
      shares_(shares_of(plan)),
      lines_(shared_lines(plan)),
      folder_(leads() ? checkpoint_folder(plan.configuration) : std::nullopt),
      failures_(failures_of(config_.network.faults, config_.workers, cast_.ranks(), config_.seed)),
      membership_(
          membership_of(config_.network.faults, config_.workers, cast_.ranks(), config_.seed)) {
  hooks_.remark = noting(notes_, hooks.remark);
  if (config_.patience) best_.emplace(config_);
  begin_model();
}

/// As the model begins, or where another run has left it.
void Experiment::begin_model() {
  if (data_.start == nullptr) {
    model_.initialize(initial_.view(), config_.seed);
  } else {
    kernels::copy(data_.start->parameters.view(), initial_.view());
  }
}

RuntimeSetup Experiment::runtime_setup() const {
  RuntimeSetup setup;
  setup.workers = cast_.workers;
  setup.servers = cast_.servers + cast_.data_servers;
  setup.network = config_.network;
  setup.network.seed = config_.seed;
  setup.may_get_stuck = loses_ranks(config_.network.faults, cast_);
  setup.hosts = hosts_of(cast_, config_.network.server_placement);
  setup.recorder = hooks_.recorder;
  setup.interrupted = hooks_.interrupted;
  if (hooks_.set_up) hooks_.set_up(setup);
  if (config_.time == TimeMode::wall && hooks_.processes == nullptr) {
    const Machine machine = this_machine();
    setup.pinned_to = place_ranks(machine, setup.workers + setup.servers, config_.placement);
    setup.cores_are_shared =
        !has_core_for_each(setup.workers + setup.servers, machine.cores, processor_quota());
    hooks_.remark("placement: " + seats_text(machine, setup.pinned_to));
    if (const std::string note = observation_.note(); !note.empty()) hooks_.remark(note);
  }
  return setup;
}

/// True when the run shall end there.
bool Experiment::look(const Snapshot& snapshot) {
  const Observation::Pause pause(observation_);
  auto measured = measure(present(), snapshot, grace_);
  if (!measured && metrics_.empty()) throw Interrupted("interrupted before the first step");
  if (!measured) return false;  // the interrupt winds it up
  if (optimum_) measure_distance(*optimum_, snapshot.model, *measured);
  metrics_.push_back(*measured);
  if (last_model_.empty()) last_model_ = VectorBuffer(model_.scalar(), model_.dimension());
  kernels::copy(snapshot.model, last_model_.view());
  if (best_) best_->look(metrics_.back(), snapshot.model);
  last_look_ = snapshot;
  last_look_.model = std::as_const(last_model_).view();
  if (!failures_ && !membership_) hear();
  const auto how_it_diverged = divergence_note(metrics_, byzantine_of(plan_.ingredients).liars);
  if (how_it_diverged && !diverged_) hooks_.remark(*how_it_diverged);
  diverged_ = diverged_ || how_it_diverged.has_value();
  return diverged_ || (best_ && best_->is_over()) ||
         (hooks_.ends ? hooks_.ends(metrics_) : target_ && is_reached(*target_, metrics_.back()));
}

/// Evaluations are told of when they last: those of a leg that a crash may throw back, when it has
/// ended.
void Experiment::hear() {
  for (; heard_ < metrics_.size(); ++heard_) {
    if (hooks_.evaluated) hooks_.evaluated(metrics_[heard_]);
  }
}

/// Whether a look at this would find what the last one found.
bool Experiment::is_as_seen(const Snapshot& end) const {
  const auto same = [](const std::optional<double>& a, const std::optional<double>& b) {
    return a == b || (a && b && std::isnan(*a) && std::isnan(*b));
  };
  return last_look_.minibatches == end.minibatches &&
         same(last_look_.consensus_distance, end.consensus_distance) &&
         std::ranges::equal(last_look_.model.bytes(), end.model.bytes());
}

/// The program of whoever it is.
void Experiment::run_rank(Rank& rank, const RunContext& context, Observation::Watch& watch) {
  const int workers = rank.workers();
  if (rank.rank() >= workers + cast_.servers) {
    rank.begin();
    watch.begins();
    serve_rows(rank);
  } else if (rank.rank() >= workers) {
    Server server(rank, context);
    rank.begin();
    watch.begins();
    scheme_.server(server);
  } else {
    Worker worker(rank, context, present().cast.shares_of(rank.rank()));
    rank.begin();
    watch.begins();
    scheme_.worker(worker);
  }
}

/// `process`: nullptr where ranks share memory.
RuntimeReport Experiment::run_ranks(const RuntimeSetup& setup, const RunContext& context,
                                    ProcessRun* process) {
  const Observation::Run observed(observation_);
  const auto program = [&](Rank& bare) {
    if (formation_ && std::ranges::count(formation_->ranks, bare.rank()) == 0) return bare.begin();
    const std::unique_ptr<Rank> wrapper = hooks_.wrap ? hooks_.wrap(bare) : nullptr;
    Rank& wrapped = wrapper ? *wrapper : bare;
    const auto stalling = stalling_rank(wrapped, config_.network.faults, config_.seed);
    Rank& whole = stalling ? *stalling : wrapped;
    std::optional<MemberRank> member;
    if (formation_) member.emplace(whole, formation_->ranks, present().cast.workers);
    Rank& known = member ? *member : whole;
    std::optional<WithoutDataServer> as_known;
    if (cast_.data_servers > 0) as_known.emplace(known);
    Rank& rank = as_known ? *as_known : known;
    Observation::Watch watch(observation_, bare.rank());
    try {
      run_rank(rank, context, watch);
    } catch (const RankGone&) {
      if (bare.rank() < setup.workers) context.state.lose(bare.rank());
    }
  };
  if (process != nullptr) return process->run(program);
  return config_.time == TimeMode::wall ? run_wall(setup, program) : run_virtual(setup, program);
}

/// A codec that is given a NaN ends the run, which has diverged: a result like another. Where each
/// rank's time went is lost, what was sent is not.
RuntimeReport Experiment::run_until_not_finite(const RuntimeSetup& setup, const RunContext& context,
                                               ProcessRun* process) {
  try {
    return run_ranks(setup, context, process);
  } catch (const NotFinite& error) {
    diverged_ = true;
    hooks_.remark(fmt::format("warning: {}", error.what()));
    accounts_are_lost_ = true;
    RuntimeReport report;
    report.elapsed = error.when();
    report.accounts.resize(static_cast<std::size_t>(setup.workers) +
                           static_cast<std::size_t>(setup.servers));
    report.accounts.front() = error.traffic();
    return report;
  }
}

RunContext Experiment::context(RunState& state) {
  const Plan& plan = present();
  const Configuration& c = plan.configuration;
  const Shares& shares = formation_ ? formation_->shares : shares_;
  by_speed_ = deal_by_speed(plan, state);
  return {.scheme = scheme_.name,
          .train = data_.train,
          .model = model_,
          .initial_model = initial_.view(),
          .parts = plan.parts,
          .dealt = shares.dealt ? &*shares.dealt : nullptr,
          .by_speed = by_speed_.get(),
          .portions_weigh = scheme_.order.rows_by_speed == RowsBySpeed::mean,
          .workers = c.workers,
          .proxies = plan.cast.proxies,
          .minibatches_of_step = minibatches_of_step(scheme_, c.workers, c.hyperparameters),
          .minibatches_of_others = state.minibatches_of_others(),
          .batch = c.batch,
          .drawing = drawing_of(c),
          .seed = c.seed,
          .optimizer = c.optimizer,
          .minibatch_time = c.compute_time.value_or(Duration{0}),
          .coding_time = {c.encode_time.value_or(Duration{0}), c.decode_time.value_or(Duration{0})},
          .aggregate_time = aggregate_time_of(c, plan.ingredients),
          .codec_need = scheme_.messages.codec_need,
          .slowdown = slowdown_of(c),
          .compute_noise = c.compute_noise,
          .hyperparameters = c.hyperparameters,
          .ingredients = plan.ingredients,
          .pacer = pacing(),
          .state = state,
          .simulated = c.time == TimeMode::simulated,
          .recorder = hooks_.recorder,
          .hot = plan.hot.get(),
          .lines = lines_.get(),
          .loss_weights = shares.loss_weights,
          .share_weights = weights_of(scheme_, c),
          .data_server = plan.cast.data_servers > 0
                             ? std::optional(plan.cast.workers + plan.cast.servers)
                             : std::nullopt,
          .key_width = plan.key_width};
}

/// As of the last look: what has been done since is lost with the process that had a part of it, or
/// is half done.
RunResult Experiment::result_so_far(const std::string& why, const RuntimeReport& report,
                                    const RunState& state) {
  hooks_.remark(why);
  accounts_are_lost_ = true;
  return result(last_look_, report, state, last_look_.minibatches);
}

/// What ended it came between two looks.
RunResult Experiment::result_at_last_look(const std::string& why, const RuntimeReport& report,
                                          const RunState& state) {
  hooks_.remark(
      fmt::format("{}; losses, steps and the model are those of the last evaluation, at {}", why,
                  human_duration(metrics_.back().seconds)));
  return result(last_look_, report, state, pacing().worker_steps_done());
}

RunResult Experiment::result(const Snapshot& end, const RuntimeReport& report,
                             const RunState& state, std::uint64_t worker_steps) {
  RunResult result;
  hear();
  // A large one is not there twice.
  result.preparation = data_.preparation;
  result.model = best_             ? best_->take_model()
                 : is_as_seen(end) ? std::move(last_model_)
                                   : VectorBuffer::copy_of(end.model);
  result.staleness = state.staleness();
  const std::size_t kept = best_ ? best_->best() : metrics_.size() - 1;
  Summary& summary = result.summary =
      summarise(plan_, metrics_, kept, result.staleness, report, state);
  summary.diverged = diverged_;
  summary.crashed = !ended_by_.empty();
  if (hooks_.processes != nullptr) {
    summary.machine = hooks_.processes->description();
    if (!network_note_.empty()) *summary.machine += "; " + network_note_;
  }
  // What the model has learnt from was computed, though who did it may not have come back since.
  summary.samples_computed =
      std::max(samples_computed(plan_, worker_steps + lost_.steps), summary.samples);
  summary.gradients = summary.samples_computed / config_.batch;
  if (optimum_) summarise_optimum(*optimum_, model_.scalar(), metrics_, summary);
  summary.interrupted = interrupted_.load(std::memory_order_relaxed);
  summary.messages = end.messages;
  summary.bytes_sent = end.bytes;
  if (!accounts_are_lost_) summarise_traffic(summary, report);
  summary.tries_lost = report.tries_lost;
  if (failures_ || membership_) {
    summary.crashes = lost_.crashes;
    summary.lost_s = to_seconds(lost_.time);
  }
  if (const std::string lost = lost_note(config_, summary); !lost.empty()) hooks_.remark(lost);
  const std::string dropped = ends_at_look_ ? "" : dropped_note(config_, summary);
  if (!dropped.empty()) hooks_.remark(dropped);
  summary.model_hash = fingerprint_text(std::as_const(result.model).view().bytes());
  if (best_) {
    hooks_.remark(best_->note(metrics_));
    const auto met = [&](const Metrics& at) { return is_reached(*target_, at); };
    if (target_ && !met(metrics_[kept]) && std::ranges::any_of(metrics_, met)) {
      hooks_.remark(fmt::format("note: the target, {}, was met, but not by the model that is kept",
                                target_text(*target_)));
    }
  }
  if (grace_.is_over() && !best_ && !is_as_seen(end)) {
    hooks_.remark(missing_look_note(metrics_.back(), end.steps));
  }
  const int liars = byzantine_of(plan_.ingredients).liars;
  if (const auto risen = risen_note(std::span(metrics_).first(kept + 1), liars))
    hooks_.remark(*risen);
  for (const std::string& text : state.remarks()) hooks_.remark(text);
  result.metrics = std::move(metrics_);
  result.accounts = report.accounts;
  observation_.put_into(result, state, hooks_.remark);
  if (hooks_.recorder) result.trace = std::make_shared<const Trace>(hooks_.recorder->take());
  if (result.trace && !config_.trace.empty()) {
    if (const auto note = trace_end_note(*result.trace)) hooks_.remark(*note);
  }
  result.resolved = config_;
  remark_end(plan_, summary, std::as_const(result.model).view(), is_heard_, hooks_.remark);
  // Said by whoever was interrupted.
  if (summary.interrupted) notes_.push_back({"", std::string(interrupted_note)});
  summary.notes = std::move(notes_);
  return result;
}

RunResult run_experiment(const Plan& plan, const RunHooks& hooks) {
  return Experiment(plan, hooks).run();
}

}  // namespace trainyard
