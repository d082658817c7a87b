#include "analysis/step_log.hpp"

#include <algorithm>

namespace trainyard {

namespace {

constexpr std::uint64_t most_marks_a_cycle = 4096;

/// Marks every so many steps; for a long cycle, a number of steps that divides the cycle.
std::uint64_t stride_of(std::uint64_t cycle) {
  if (cycle <= most_marks_a_cycle) return 1;
  for (std::uint64_t marks = most_marks_a_cycle; marks > 1; --marks) {
    if (cycle % marks == 0) return cycle / marks;
  }
  return cycle;
}

}  // namespace

/// Goes by another, and has each step written down.
class WatchedPacing final : public Pacing {
 public:
  WatchedPacing(Pacing& pacing, StepLog& log) : pacing_(pacing), log_(log) {}

  bool next_step(Rank& rank, std::uint64_t done) override {
    if (!pacing_.next_step(rank, done)) {
      log_.ending_ = true;
      return false;
    }
    log_.begins(rank.rank(), rank.now(), done);
    const bool marks = rank.rank() == log_.marker_ - log_.marker_ % team();
    if (log_.pace_ != Pace::server && marks && done % log_.stride_ == 0) log_.mark(rank);
    return true;
  }
  /// In the moment in which the first of the team has begun.
  void follow(int worker, std::uint64_t done, bool goes_on) override {
    pacing_.follow(worker, done, goes_on);
    if (!goes_on) return;
    const int first = worker - worker % team();
    log_.begins(worker, log_.workers_[static_cast<std::size_t>(first)].began, done);
  }
  int team() const override { return pacing_.team(); }

  void sit_out(int worker) override {
    ++log_.sat_out_;
    pacing_.sit_out(worker);
  }
  void close_step(Rank& rank, std::uint64_t minibatches) override {
    pacing_.close_step(rank, minibatches);
    if (first_to_close_ < 0) first_to_close_ = rank.rank();
    if (rank.rank() != first_to_close_) return;
    ++log_.closed_;
    log_.learnt_ += minibatches;
    if (log_.closed_ % log_.stride_ == 0) log_.mark(rank);
  }
  std::uint64_t last_step() const override { return pacing_.last_step(); }

  std::uint64_t minibatch_number(int worker) const override {
    return pacing_.minibatch_number(worker);
  }
  std::uint64_t worker_steps_done() const override { return pacing_.worker_steps_done(); }
  Snapshot final_snapshot(const RuntimeReport& report) override {
    return pacing_.final_snapshot(report);
  }

 private:
  Pacing& pacing_;
  StepLog& log_;
  int first_to_close_ = -1;
};

StepLog::StepLog(Pace pace, int workers, std::uint64_t cycle, int marker)
    : pace_(pace),
      cycle_(cycle),
      stride_(stride_of(cycle)),
      marker_(marker),
      workers_(static_cast<std::size_t>(workers)) {}

std::unique_ptr<Pacing> StepLog::watch(Pacing& pacing) {
  return std::make_unique<WatchedPacing>(pacing, *this);
}

void StepLog::begins(int worker, Time now, std::uint64_t done) {
  Worker& own = workers_[static_cast<std::size_t>(worker)];
  sum_of_begins_ps_ += static_cast<double>((now - own.began).count());
  own = {now, done + 1};
  ++begun_;
}

std::uint64_t StepLog::phase_at(Time now) const {
  std::uint64_t hash = 0;
  const auto mix = [&](std::uint64_t value) {
    hash = (hash ^ value) * 0x9E3779B97F4A7C15U;
    hash ^= hash >> 29U;
  };
  const std::uint64_t first = workers_.front().steps;
  for (const Worker& worker : workers_) {
    mix(static_cast<std::uint64_t>((now - worker.began).count()));
    mix(worker.steps % cycle_);
    if (pace_ == Pace::lockstep) mix(worker.steps - first);
  }
  return hash;
}

void StepLog::mark(Rank& rank) {
  if (ending_) return;
  RankAccount traffic;
  rank.stand_still([&] { traffic = rank.traffic_of_all(); });
  const Time now = rank.now();
  StepMark mark{.at = now,
                .clock_ps = static_cast<double>(now.count()),
                .minibatches = pace_ == Pace::server ? learnt_ : begun_ - sat_out_,
                .messages = traffic.messages_sent,
                .bytes = traffic.bytes_sent,
                .received = traffic.messages_received,
                .phase = phase_at(now)};
  switch (pace_) {
    case Pace::lockstep:
      mark.steps = static_cast<double>(workers_[static_cast<std::size_t>(marker_)].steps);
      break;
    case Pace::server:
      mark.steps = static_cast<double>(closed_);
      break;
    case Pace::free:
      mark.clock_ps = sum_of_begins_ps_ / static_cast<double>(workers_.size());
      mark.steps = static_cast<double>(begun_) / static_cast<double>(workers_.size());
      break;
  }
  marks_.push_back(mark);
}

}  // namespace trainyard
