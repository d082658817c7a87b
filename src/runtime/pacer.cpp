#include "trainyard/runtime/pacer.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "trainyard/base/error.hpp"

#include "runtime/leg_counts.hpp"

namespace trainyard {

namespace {

// Beside the steps, of a worker and of a server.
constexpr std::string_view instant_name = "instant", first_of_instant_name = "first of the instant";

}  // namespace

/// Simulated time passes only while something takes time, and without it a run that ends by the
/// clock goes on for ever.
void refuse_standing_clock(std::uint64_t steps_of_instant, Time now) {
  throw OptionError(
      "seconds",
      fmt::format("the clock stands still: a worker has taken {} steps at {}, because computing "
                  "takes no time and nothing that does is sent; give --epochs or --steps, or a "
                  "--compute-time above 0",
                  steps_of_instant, human_duration(to_seconds(now))));
}

Pacer::Pacer(const StepRule& rule, RunState& state, Look look, const std::atomic<bool>& interrupted)
    : rule_(rule),
      state_(state),
      look_(std::move(look)),
      interrupted_(interrupted),
      others_(state.minibatches_of_others()),
      progress_(static_cast<std::size_t>(rule.workers)),
      closed_(static_cast<std::size_t>(state.layout().servers)),
      last_step_(rule.limits.steps),
      deposits_(state.layout()),
      gatherer_(state) {
  require(rule.limits.evaluate_every > 0 && rule.lot > 0,
          "a run is looked at and counted in whole steps");
  require(rule.team > 0 && rule.workers % rule.team == 0,
          "a team is some of the workers, and so are all the others");
  require(rule.team == 1 || rule.pace == Pace::free, "only free workers need teams");
  require(rule.workers == state.layout().workers, "who has the model takes the steps");
  go_on_from_state();
}

/// From what other legs of the run have done.
void Pacer::go_on_from_state() {
  std::uint64_t minibatches = 0;
  // relaxed, here and in put_down(): no rank runs.
  for (int worker = 0; worker < rule_.workers; ++worker) {
    Progress& own = progress_of(worker);
    const std::uint64_t done = state_.count(worker, steps_name);
    const std::uint64_t sat_out = state_.count(worker, sat_out_name);
    own.done.store(done, std::memory_order_relaxed);
    own.begun.store(done, std::memory_order_relaxed);
    own.sat_out.store(sat_out, std::memory_order_relaxed);
    own.instant = Time(static_cast<std::int64_t>(state_.count(worker, instant_name)));
    own.first_of_instant = state_.count(worker, first_of_instant_name);
    minibatches += done - sat_out;
  }
  if (rule_.pace == Pace::free) {
    claimed_before_ = minibatches;
    claimed_.store(minibatches, std::memory_order_relaxed);
    completed_.store(minibatches, std::memory_order_relaxed);
  } else {
    looked_before_ = progress_.front().done.load(std::memory_order_relaxed);
  }
  for (std::size_t server = 0; server < closed_.size(); ++server) {
    const int rank = rule_.workers + static_cast<int>(server);
    closed_[server].steps.store(state_.count(rank, closed_name), std::memory_order_relaxed);
    closed_[server].minibatches.store(state_.count(rank, learnt_name), std::memory_order_relaxed);
  }
  if (rule_.pace == Pace::server) looked_at_ = rule_.last_look(steps_closed());
}

void Pacer::put_down() {
  for (int worker = 0; worker < rule_.workers; ++worker) {
    const Progress& own = progress_of(worker);
    state_.count(worker, steps_name) = own.done.load(std::memory_order_relaxed);
    state_.count(worker, sat_out_name) = steps_sat_out(own);
    // Legs do not make a clock that stands still go.
    state_.count(worker, instant_name) = static_cast<std::uint64_t>(own.instant.count());
    state_.count(worker, first_of_instant_name) = own.first_of_instant;
  }
  for (std::size_t server = 0; server < closed_.size(); ++server) {
    const int rank = rule_.workers + static_cast<int>(server);
    state_.count(rank, closed_name) = closed_[server].steps.load(std::memory_order_relaxed);
    state_.count(rank, learnt_name) = closed_[server].minibatches.load(std::memory_order_relaxed);
  }
}

// Nearly every step begins without asking: the rule and what it wants to know take 8 ns, and a
// whole Hogwild step 100.
bool Pacer::next_step(Rank& rank, std::uint64_t done) {
  Progress& own = progress_of(rank.rank());
  // relaxed: counts and flags only; what they count is published by messages or while all stand
  // still.
  own.done.store(done, std::memory_order_relaxed);
  if (const std::uint64_t sat_out = own.sat_out.load(std::memory_order_relaxed);
      (sat_out & sits_out) != 0) {
    own.sat_out.store((sat_out & ~sits_out) + 1, std::memory_order_relaxed);
  }
  if (own.steps_left > 1 && !rule_.watches_clock() &&
      !interrupted_.load(std::memory_order_relaxed) && !ending_.load(std::memory_order_relaxed)) {
    --own.steps_left;
  } else if (!ask(rank, own, done)) {
    if (rule_.goes_by_clock() && rule_.pace != Pace::free) stopped(rank);
    return false;
  }
  own.begun.store(done + 1, std::memory_order_relaxed);
  return true;
}

void Pacer::follow(int worker, std::uint64_t done, bool goes_on) {
  Progress& own = progress_of(worker);
  // relaxed: counts only, as in next_step().
  own.done.store(done, std::memory_order_relaxed);
  if (goes_on) own.begun.store(done + 1, std::memory_order_relaxed);
}

/// Does what the rule says until it says whether the worker goes on.
bool Pacer::ask(Rank& rank, Progress& own, std::uint64_t done) {
  StepCounts counts{.done = done};
  // What the leg began with was looked at when another ended.
  counts.looked = done > 0 && rule_.pace == Pace::lockstep && done == looked_before_;
  const bool free = rule_.pace == Pace::free;
  // A free worker may be held up in a step for as long as a server's queue is. Said before the
  // first one: it need not come to another. relaxed: a flag, for which all ranks then stand still.
  if (free && rule_.goes_by_clock() &&
      !waits_are_limited_.exchange(true, std::memory_order_relaxed)) {
    limit_waits(rank);
  }
  if (free && own.steps_left > 0 && --own.steps_left == 0) count_lot(own, counts);
  while (true) {
    switch (verdict_on(counts, rank, own)) {
      case Verdict::go_on:
        if (!free) own.steps_left = rule_.steps_unasked(counts);
        return true;
      case Verdict::stop:
        return false;
      case Verdict::claim:
        return claim_lot(own);
      case Verdict::look:
        look_after(rank, counts);
        counts.looked = true;
        break;
      case Verdict::wind_up:
        wind_up(rank);
        break;
      case Verdict::meet:
        meet(rank);
        break;
      case Verdict::refuse:
        refuse_standing_clock(rule_.limits.steps_of_instant, rank.now());
    }
  }
}

Verdict Pacer::verdict_on(StepCounts& counts, Rank& rank, Progress& own) const {
  // relaxed: flags and counts, with which nothing is published.
  counts.interrupted = interrupted_.load(std::memory_order_relaxed);
  counts.ending = ending_.load(std::memory_order_relaxed);
  counts.meeting = meeting_.load(std::memory_order_relaxed);
  counts.any_begun =
      rule_.pace != Pace::free || claimed_.load(std::memory_order_relaxed) > claimed_before_;
  counts.lot_left = own.steps_left;
  counts.last_step = last_step();
  if (rule_.pace == Pace::server) counts.closed = steps_closed();
  if (!rule_.watches_clock()) return rule_.next(counts, Time{0});
  const Time now = rank.now();
  if (now != own.instant) {
    own.instant = now;
    own.first_of_instant = counts.done;
  }
  counts.of_instant = counts.done - own.first_of_instant;
  return rule_.next(counts, now);
}

/// A worker has done the minibatches that it had claimed.
void Pacer::count_lot(Progress& own, StepCounts& counts) {
  // relaxed: a count; whoever looks has all ranks stand still first.
  counts.completed_before = completed_.fetch_add(own.lot, std::memory_order_relaxed);
  counts.completed = counts.completed_before + own.lot;
}

/// False when there are none left.
bool Pacer::claim_lot(Progress& own) {
  // relaxed: a count; each number is given out once, whoever asks first.
  const std::uint64_t first = claimed_.fetch_add(rule_.lot, std::memory_order_relaxed);
  own.lot = rule_.lot_from(first);
  own.steps_left = rule_.steps_of(own.lot);
  own.lot_end = first + static_cast<std::uint64_t>(rule_.team) * own.steps_left;
  return own.lot > 0;
}

void Pacer::close_step(Rank& rank, std::uint64_t minibatches) {
  Closed& own = closed_[static_cast<std::size_t>(rank.rank() - rule_.workers)];
  // relaxed: only this rank writes them; the mutex or a message publishes them.
  own.minibatches.fetch_add(minibatches, std::memory_order_relaxed);
  const std::uint64_t steps = own.steps.fetch_add(1, std::memory_order_relaxed) + 1;
  if (rule_.last_look(steps) != steps) return;
  {
    const std::lock_guard lock(looked_at_mutex_);
    // The last server to close a step that is due has it looked at.
    const std::uint64_t due = rule_.last_look(steps_closed());
    if (due <= looked_at_) return;
    looked_at_ = due;
  }
  rank.stand_still([&] {
    Snapshot snapshot{.time = rank.now()};
    count_done(snapshot);
    look(rank, snapshot, gatherer_.gather());
  });
}

/// lockstep, free.
void Pacer::look_after(Rank& rank, const StepCounts& counts) {
  if (rule_.pace == Pace::free) {
    rank.stand_still([&] {
      look(rank,
           {.minibatches = counts.completed,
            .steps = static_cast<double>(counts.completed) / rule_.workers,
            .time = rank.now()},
           gatherer_.gather());
    });
    return;
  }
  const int worker = rank.rank();
  const bool has_replica = state_.layout().home == ModelHome::replicas;
  const std::uint64_t sat_out = steps_sat_out(progress_of(worker));
  Deposit* deposit = deposits_.lay_down(worker, counts.done, counts.done - sat_out,
                                        has_replica ? state_.replica(worker) : ConstVector());
  if (deposit == nullptr) return;
  rank.stand_still([&] {
    look(rank,
         {.minibatches = deposit->minibatches + others_,
          .steps = static_cast<double>(counts.done),
          .time = rank.now()},
         has_replica ? gatherer_.of_replicas(deposit->replicas.view()) : gatherer_.gather());
    Deposits::free(*deposit);
  });
}

/// REQUIRES: all ranks stand still.
void Pacer::look(Rank& rank, Snapshot snapshot, const GatheredModel& model) {
  snapshot.model = model.values;
  snapshot.consensus_distance = model.consensus_distance;
  const RankAccount traffic = rank.traffic_of_all();
  snapshot.messages = traffic.messages_sent;
  snapshot.bytes = traffic.bytes_sent;
  if (look_(snapshot)) rank.end_at(rank.now());
}

void Pacer::wind_up(Rank& rank) {
  if (rule_.pace == Pace::free) {
    // relaxed: a flag; free workers need not end at the same step, so nobody is stopped for it.
    ending_.store(true, std::memory_order_relaxed);
    return;
  }
  rank.stand_still([this] { end_after_steps_begun(); });
}

/// The steps that have begun are the last ones of the leg, or those with which a cycle ends.
void Pacer::meet(Rank& rank) {
  if (rule_.pace == Pace::free) {
    // relaxed: a flag, as in wind_up().
    meeting_.store(true, std::memory_order_relaxed);
    return;
  }
  rank.stand_still([this] {
    // relaxed: nobody reads while all stand still. On threads the clock may be past before anybody
    // has begun a step, and each leg is to have one.
    const std::uint64_t begun = std::max(steps_of_any(), looked_before_ + 1);
    last_step_.store(rule_.meeting(begun, steps_closed_by_any(), last_step()),
                     std::memory_order_relaxed);
    meeting_.store(true, std::memory_order_relaxed);
  });
}

/// REQUIRES: all ranks stand still.
void Pacer::end_after_steps_begun() {
  // relaxed: nobody reads while all stand still.
  last_step_.store(rule_.end(steps_of_any(), steps_closed_by_any(), last_step()),
                   std::memory_order_relaxed);
  ending_.store(true, std::memory_order_relaxed);
}

/// Messages under way are waited for a little: pushes for which a server's port has no time may be
/// queued for longer than the run has lasted.
void Pacer::limit_waits(Rank& rank) {
  rank.stand_still([&] {
    const Time ends = std::max(rank.now(), rule_.limits.time);
    rank.end_at(ends + std::min<Duration>(rule_.time_to_arrive(), Time::max() - ends));
  });
}

/// A worker, and those of its team. In lockstep what one has begun others wait for, so that all are
/// to end it first.
void Pacer::stopped(Rank& rank) {
  // relaxed: a count; whoever comes last has all ranks stand still.
  const int before = stopped_.fetch_add(rule_.team, std::memory_order_relaxed);
  if (before + rule_.team == rule_.workers) limit_waits(rank);
}

Snapshot Pacer::final_snapshot(const RuntimeReport& report) {
  Snapshot snapshot{.time = report.elapsed};
  count_done(snapshot);
  const GatheredModel model = gatherer_.gather();
  snapshot.model = model.values;
  snapshot.consensus_distance = model.consensus_distance;
  for (const RankAccount& account : report.accounts) {
    snapshot.messages += account.messages_sent;
    snapshot.bytes += account.bytes_sent;
  }
  return snapshot;
}

}  // namespace trainyard
