#include "trainyard/runtime/run_control.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <numeric>
#include <utility>

#include "trainyard/base/error.hpp"
#include "trainyard/base/parallel.hpp"
#include "trainyard/model/kernels.hpp"

namespace trainyard {

namespace {

constexpr std::size_t mean_block = 4096;  // coordinates whose mean one core takes at a time

}  // namespace

RunControl::RunControl(Pace pace, ModelHome home, int workers, int servers, Scalar scalar,
                       std::size_t dimension, const RunLimits& limits, std::uint64_t lot,
                       std::function<bool(const Snapshot&)> look,
                       const std::atomic<bool>& interrupted)
    : pace_(pace),
      home_(home),
      workers_(workers),
      scalar_(scalar),
      dimension_(dimension),
      limits_(limits),
      look_(std::move(look)),
      interrupted_(interrupted),
      lot_(lot),
      replicas_(static_cast<std::size_t>(workers)),
      shards_(static_cast<std::size_t>(servers)),
      staleness_(static_cast<std::size_t>(workers + servers)),
      progress_(static_cast<std::size_t>(workers)),
      closed_(static_cast<std::size_t>(servers)),
      last_step_(limits.steps),
      mean_(scalar, dimension) {
  require(limits.evaluate_every > 0 && lot > 0, "a run is looked at and counted in whole steps");
}

Vector RunControl::keep_replica(int worker, VectorBuffer replica) {
  VectorBuffer& kept = replicas_[static_cast<std::size_t>(worker)];
  kept = std::move(replica);
  return kept.view();
}

Vector RunControl::keep_shard(int server, VectorBuffer shard) {
  VectorBuffer& kept = shards_[static_cast<std::size_t>(server)];
  kept = std::move(shard);
  return kept.view();
}

bool RunControl::next_step(Rank& rank, std::uint64_t done) {
  Progress& progress = progress_[static_cast<std::size_t>(rank.rank())];
  // relaxed: counts only; what they count is published by messages or while all stand still.
  progress.done.store(done, std::memory_order_relaxed);
  const bool goes_on = pace_ == Pace::lockstep ? next_lockstep(rank, done)
                       : pace_ == Pace::free   ? next_free(rank, done)
                                               : next_served(rank);
  if (goes_on) progress.begun.store(done + 1, std::memory_order_relaxed);
  return goes_on;
}

bool RunControl::out_of_time(Rank& rank) const {
  // relaxed: a flag that a signal sets; nothing is published with it.
  if (interrupted_.load(std::memory_order_relaxed)) return true;
  return limits_.time != Duration::max() && rank.now() >= limits_.time;
}

bool RunControl::next_lockstep(Rank& rank, std::uint64_t done) {
  if (done > 0 && done % limits_.evaluate_every == 0) deposit(rank, done);
  if (!ending_.load(std::memory_order_relaxed) && out_of_time(rank)) {
    rank.stand_still([this] { end_after_steps_begun(); });
  }
  return done < last_step();
}

/// A worker has read the model of the last step that all servers had closed when they sent it, or a
/// later one; after the last step it has nothing more to do, whatever its own count.
bool RunControl::next_served(Rank& rank) {
  if (!ending_.load(std::memory_order_relaxed) && out_of_time(rank)) {
    rank.stand_still([this] { end_after_steps_begun(); });
  }
  return steps_closed() < last_step();
}

/// By all servers. Relaxed: a worker that has the last step's model knows from the message.
std::uint64_t RunControl::steps_closed() const {
  std::uint64_t steps = std::numeric_limits<std::uint64_t>::max();
  for (const Closed& closed : closed_) {
    steps = std::min(steps, closed.steps.load(std::memory_order_relaxed));
  }
  return steps;
}

/// By any server.
std::uint64_t RunControl::foremost_closed() const {
  std::uint64_t steps = 0;
  for (const Closed& closed : closed_) {
    steps = std::max(steps, closed.steps.load(std::memory_order_relaxed));
  }
  return steps;
}

void RunControl::close_step(Rank& rank, std::uint64_t minibatches) {
  Closed& own = closed_[static_cast<std::size_t>(rank.rank() - workers_)];
  // relaxed: only this rank writes them; the mutex or a message publishes them.
  own.minibatches.fetch_add(minibatches, std::memory_order_relaxed);
  if ((own.steps.fetch_add(1, std::memory_order_relaxed) + 1) % limits_.evaluate_every != 0) return;
  {
    const std::lock_guard lock(deposits_mutex_);
    // The last server to close a step that is due has it looked at.
    const std::uint64_t steps = steps_closed();
    if (steps < looked_at_ + limits_.evaluate_every) return;
    looked_at_ = steps - steps % limits_.evaluate_every;
  }
  rank.stand_still([&] {
    Snapshot snapshot{.time = rank.now()};
    count_done(snapshot);
    gather_model(snapshot);
    look(rank, snapshot);
  });
}

/// A worker lays its replica down as it is after `done` steps; the last one has it looked at. So
/// the mean is over replicas of the same step even when a worker is steps ahead of another, as in
/// gossip.
void RunControl::deposit(Rank& rank, std::uint64_t done) {
  Deposit* deposit = nullptr;
  {
    const std::lock_guard lock(deposits_mutex_);
    deposit = &deposit_of(done);
  }
  if (home_ == ModelHome::replicas) {
    const auto index = static_cast<std::size_t>(rank.rank());
    kernels::copy(replicas_[index].view(),
                  deposit->replicas.view().subspan(index * dimension_, dimension_));
  }
  const Progress& progress = progress_[static_cast<std::size_t>(rank.rank())];
  {
    const std::lock_guard lock(deposits_mutex_);
    deposit->minibatches += done - progress.sat_out.load(std::memory_order_relaxed);
    if (++deposit->present < workers_) return;
  }
  rank.stand_still([&] {
    Snapshot snapshot{.minibatches = deposit->minibatches,
                      .steps = static_cast<double>(done),
                      .time = rank.now()};
    if (home_ == ModelHome::replicas) {
      mean_of(deposit->replicas.view(), snapshot);
    } else {
      gather_model(snapshot);
    }
    look(rank, snapshot);
    deposit->free = true;  // all stand still
  });
}

/// REQUIRES: deposits_mutex_ is held.
RunControl::Deposit& RunControl::deposit_of(std::uint64_t step) {
  const auto same = std::ranges::find_if(
      deposits_, [step](const Deposit& deposit) { return !deposit.free && deposit.step == step; });
  if (same != deposits_.end()) return *same;
  auto found = std::ranges::find_if(deposits_, &Deposit::free);
  if (found == deposits_.end()) {
    deposits_.emplace_back().replicas =
        VectorBuffer(scalar_, static_cast<std::size_t>(workers_) * dimension_);
    found = std::prev(deposits_.end());
  }
  found->step = step;
  found->minibatches = 0;
  found->present = 0;
  found->free = false;
  return *found;
}

bool RunControl::next_free(Rank& rank, std::uint64_t done) {
  Progress& progress = progress_[static_cast<std::size_t>(rank.rank())];
  if (done > 0 && --progress.lot_left == 0) count_lot(rank, progress);
  if (out_of_time(rank)) ending_.store(true, std::memory_order_relaxed);
  if (ending_.load(std::memory_order_relaxed)) return false;
  if (progress.lot_left == 0) {
    const std::uint64_t total =
        limits_.minibatches.value_or(limits_.steps * static_cast<std::uint64_t>(workers_));
    const std::uint64_t first = claimed_.fetch_add(lot_, std::memory_order_relaxed);
    if (first >= total) return false;
    progress.first = first;
    progress.lot = progress.lot_left = std::min(lot_, total - first);
  }
  return true;
}

/// A lot is done; if that is where the next look is due, looks.
void RunControl::count_lot(Rank& rank, Progress& progress) {
  const std::uint64_t every = limits_.evaluate_every * static_cast<std::uint64_t>(workers_);
  const std::uint64_t before = completed_.fetch_add(progress.lot, std::memory_order_relaxed);
  const std::uint64_t after = before + progress.lot;
  if (before / every == after / every) return;
  rank.stand_still([&] {
    Snapshot snapshot{
        .minibatches = after, .steps = static_cast<double>(after) / workers_, .time = rank.now()};
    gather_model(snapshot);
    look(rank, snapshot);
  });
}

/// REQUIRES: all ranks stand still.
void RunControl::end_after_steps_begun() {
  std::uint64_t last = 0;
  for (const Progress& progress : progress_) {
    last = std::max(last, progress.begun.load(std::memory_order_relaxed));
  }
  if (pace_ == Pace::server) last = foremost_closed() + 1;  // for which somebody may wait already
  last_step_.store(std::min(last, last_step_.load(std::memory_order_relaxed)),
                   std::memory_order_relaxed);
  ending_.store(true, std::memory_order_relaxed);
}

void RunControl::look(const Rank& rank, Snapshot snapshot) {
  const RankAccount traffic = rank.traffic_of_all();
  snapshot.messages = traffic.messages_sent;
  snapshot.bytes = traffic.bytes_sent;
  if (look_(snapshot)) end_after_steps_begun();
}

/// Both sums go by rank and in double, so they do not depend on who came first, and by fixed
/// blocks, so they do not depend on the number of cores.
void RunControl::mean_of(ConstVector replicas, Snapshot& snapshot) {
  const std::size_t count = replicas.size() / dimension_;
  const std::size_t blocks = (dimension_ + mean_block - 1) / mean_block;
  squared_distances_.assign(blocks, 0.0);
  with_scalar(scalar_, [&]<typename T>(T) {
    const std::span<const T> all = replicas.as<T>();
    const std::span<T> means = mean_.view().as<T>();
    parallel_blocks(blocks, [&](std::size_t block) {
      const std::size_t first = block * mean_block;
      const std::size_t size = std::min(mean_block, dimension_ - first);
      squared_distances_[block] =
          mean_of_block(all.subspan(first), count, means.subspan(first, size));
    });
  });
  snapshot.model = mean_.view();
  snapshot.consensus_distance =
      std::accumulate(squared_distances_.begin(), squared_distances_.end(), 0.0) /
      static_cast<double>(count);
}

/// The mean over `count` replicas that lie dimension_ apart, and the sum of their squared distances
/// from it.
template <typename T>
double RunControl::mean_of_block(std::span<const T> replicas, std::size_t count,
                                 std::span<T> means) const {
  const std::size_t size = means.size();
  std::array<double, mean_block> mean{};
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; j < size; ++j) mean[j] += replicas[i * dimension_ + j];
  }
  for (std::size_t j = 0; j < size; ++j) {
    mean[j] /= static_cast<double>(count);
    means[j] = static_cast<T>(mean[j]);
  }
  double squared_distance = 0.0;
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; j < size; ++j) {
      const double off = replicas[i * dimension_ + j] - mean[j];
      squared_distance += off * off;
    }
  }
  return squared_distance;
}

void RunControl::gather_model(Snapshot& snapshot) {
  switch (home_) {
    case ModelHome::shared:
      gather_shared(snapshot);
      break;
    case ModelHome::servers: {
      std::size_t first = 0;
      for (const VectorBuffer& shard : shards_) {
        kernels::copy(shard.view(), mean_.view().subspan(first, shard.size()));
        first += shard.size();
      }
      break;
    }
    case ModelHome::replicas: {
      if (gathered_.empty()) {
        gathered_ = VectorBuffer(scalar_, static_cast<std::size_t>(workers_) * dimension_);
      }
      std::size_t first = 0;
      for (const VectorBuffer& replica : replicas_) {
        kernels::copy(replica.view(), gathered_.view().subspan(first, dimension_));
        first += dimension_;
      }
      mean_of(gathered_.view(), snapshot);
      break;
    }
  }
  snapshot.model = mean_.view();
}

void RunControl::gather_shared(Snapshot& snapshot) {
  if (shared_->groups() == 1) {
    shared_->of(0).read(mean_.view().floats());
    return;
  }
  if (gathered_.empty()) {
    gathered_ = VectorBuffer(scalar_, static_cast<std::size_t>(shared_->groups()) * dimension_);
  }
  const std::span<float> all = gathered_.view().floats();
  for (int group = 0; group < shared_->groups(); ++group) {
    shared_->of(group).read(all.subspan(static_cast<std::size_t>(group) * dimension_, dimension_));
  }
  mean_of(gathered_.view(), snapshot);
}

std::uint64_t RunControl::worker_steps_done() const {
  std::uint64_t sum = 0;
  for (const Progress& progress : progress_) {
    sum += progress.done.load(std::memory_order_relaxed) -
           progress.sat_out.load(std::memory_order_relaxed);
  }
  return sum;
}

/// REQUIRES: all ranks stand still, or have ended.
void RunControl::count_done(Snapshot& snapshot) const {
  if (pace_ != Pace::server) {
    snapshot.minibatches = worker_steps_done();
    std::uint64_t steps = snapshot.minibatches;  // and those that were sat out
    for (const Progress& progress : progress_) {
      steps += progress.sat_out.load(std::memory_order_relaxed);
    }
    snapshot.steps = static_cast<double>(steps) / workers_;
    return;
  }
  snapshot.steps = static_cast<double>(steps_closed());
  snapshot.minibatches = std::numeric_limits<std::uint64_t>::max();
  for (const Closed& closed : closed_) {
    snapshot.minibatches =
        std::min(snapshot.minibatches, closed.minibatches.load(std::memory_order_relaxed));
  }
}

Snapshot RunControl::final_snapshot(const RuntimeReport& report) {
  Snapshot snapshot{.time = report.elapsed};
  count_done(snapshot);
  gather_model(snapshot);
  for (const RankAccount& account : report.accounts) {
    snapshot.messages += account.messages_sent;
    snapshot.bytes += account.bytes_sent;
  }
  return snapshot;
}

Staleness RunControl::staleness() const {
  Staleness all;
  for (const Staleness& one : staleness_) all.merge(one);
  return all;
}

}  // namespace trainyard
