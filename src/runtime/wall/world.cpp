// Ranks as pinned threads, and how to make all of them stand still.
//
// A run is evaluated while it goes on, and evaluation must neither cost the run time nor see a
// model half written. So a rank that wants to look asks for attention; every other rank notices at
// its next verb or while it waits, and stops there; when the last one has stopped the clock is
// stopped too, the main thread does the looking with all cores, and then everything goes on with a
// clock that has not moved. What it costs the run is that ranks which stop early wait for the last:
// at most the time of one minibatch an evaluation, accounted as wait.
//
// The alternative not taken is to evaluate copies in the background: it steals cores from the
// ranks, which is what a comparison of speeds must not do.
#include "runtime/wall/world.hpp"

#include <algorithm>
#include <chrono>
#include <system_error>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <sys/prctl.h>

#include "trainyard/base/error.hpp"
#include "trainyard/hardware/machine.hpp"
#include "trainyard/hardware/thread_limits.hpp"
#include "trainyard/runtime/trace.hpp"

#include "runtime/accounting.hpp"

namespace trainyard {

namespace {

/// How often the main thread looks whether the run was interrupted; it has no core of its own.
constexpr auto look_for_interrupt_every = std::chrono::milliseconds(100);

std::int64_t steady_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

}  // namespace

WallWorld::WallWorld(const RuntimeSetup& setup, const std::function<void(Rank&)>& program)
    : setup_(setup),
      perfect_(setup.network.perfect()),
      program_(program),
      channels_(static_cast<std::size_t>(setup.workers + setup.servers) *
                static_cast<std::size_t>(setup.workers + setup.servers)),
      network_(
          setup.network, setup.workers, setup.servers,
          [this](const Transfer& transfer) { announce(transfer); }, setup.hosts),
      live_workers_(setup.workers),
      live_(setup.workers + setup.servers),
      barrier_arrivals_(static_cast<std::size_t>(setup.workers)) {
  if (setup.recorder != nullptr) {
    setup.recorder->begin(setup.workers, setup.servers, setup.network.ports);
  }
  for (int r = 0; r < live_; ++r) {
    ranks_.push_back(std::make_unique<WallRank>(*this, r, setup_));
    if (!setup.begun.accounts.empty()) {
      ranks_.back()->account_ = setup.begun.accounts[static_cast<std::size_t>(r)];
    }
  }
}

WallWorld::~WallWorld() {
  // relaxed: every other thread has been joined.
  for (const auto& channel : channels_) delete channel.load(std::memory_order_relaxed);
}

RuntimeReport WallWorld::run() {
  std::size_t started = 0;
  {
    std::vector<std::jthread> threads;
    started = start(threads);
    serve_inspections();
  }
  if (started < ranks_.size()) throw_not_started(started);
  if (failure_) std::rethrow_exception(failure_);

  std::vector<Time> ended;
  for (const auto& rank : ranks_) ended.push_back(rank->ended_);
  if (setup_.recorder != nullptr) finish_recording(*setup_.recorder, network_.at_end(), ended);
  RuntimeReport report = closed_report(accounts(), ended);
  report.compute_stretch = compute_stretch();
  report.given_up = given_up_;
  report.tries_lost = network_.links().tries_lost();
  return report;
}

/// If the system gives no thread for a rank, the run fails: those that have started wait in begin()
/// for the others, so they are told. Returns how many have started.
std::size_t WallWorld::start(std::vector<std::jthread>& threads) {
  try {
    threads.reserve(ranks_.size());
    for (const auto& rank : ranks_) threads.emplace_back([this, &rank] { run_rank(*rank); });
  } catch (...) {
    fail(std::current_exception());  // nothing is allocated here: memory may be what is short
    const std::lock_guard lock(mutex_);
    live_ -= static_cast<int>(ranks_.size() - threads.size());
  }
  return threads.size();
}

/// Rethrows why the last rank of so many was not followed by another.
void WallWorld::throw_not_started(std::size_t started) const {
  try {
    std::rethrow_exception(failure_);
  } catch (const std::system_error& error) {
    throw RunError(fmt::format(
        "cannot start {} threads: after {} of them: {}{}; --time virtual takes no thread a rank",
        ranks_.size(), started, error.code().message(), thread_limits_text()));
  }
}

/// The stretch of all workers' computing together.
std::optional<double> WallWorld::compute_stretch() const {
  Duration clock{0}, processor{0};
  for (int w = 0; w < setup_.workers; ++w) {
    const StretchMeter& meter = ranks_[static_cast<std::size_t>(w)]->stretch_;
    clock += meter.clock_time();
    processor += meter.processor_time_used();
  }
  if (processor.count() <= 0) return std::nullopt;
  return std::max(1.0, to_seconds(clock) / to_seconds(processor));
}

std::vector<RankAccount> WallWorld::accounts() const {
  std::vector<RankAccount> all;
  for (const auto& rank : ranks_) all.push_back(rank->account_);
  return all;
}

void WallWorld::run_rank(WallRank& rank) {
  const auto index = static_cast<std::size_t>(rank.rank());
  try {
    if (!setup_.pinned_to.empty()) pin_this_thread(setup_.pinned_to[index]);
    prctl(PR_SET_TIMERSLACK, 1);  // else every sleep is up to 50 µs late
    program_(rank);
  } catch (const RunAborted&) {
    // Another rank failed, and its failure is the one to report.
  } catch (...) {
    fail(std::current_exception());
  }
  rank.blocks();
  const Time ended = clock();
  const std::lock_guard lock(mutex_);
  rank.ended_ = std::min(ended, ends_at_);
  if (rank.blocked_since_) {
    // The clock may have ended the run before this rank came to its wait.
    const Time since = std::min(*rank.blocked_since_, rank.ended_);
    rank.account_.wait += rank.ended_ - since;
    if (setup_.recorder != nullptr) {
      setup_.recorder->blocked(rank.rank(), since, rank.ended_, Time::max(), Time::max());
    }
  }
  // release: whoever sees that no worker is left also sees all that they sent.
  rank.finished_.store(true, std::memory_order_release);
  if (rank.rank() < setup_.workers) live_workers_.fetch_sub(1, std::memory_order_release);
  --live_;
  changed_.notify_all();
  ring_all();
}

/// The main thread's part: it is not pinned, so oneTBB's threads started from here use every core.
void WallWorld::serve_inspections() {
  std::unique_lock lock(mutex_);
  while (true) {
    await_inspection(lock);
    if (inspection_ == nullptr) return;
    try {
      (*inspection_)();
    } catch (...) {
      inspection_failure_ = std::current_exception();
    }
    inspection_ = nullptr;
    if (clock() >= ends_at_) abort();
    changed_.notify_all();
    give_up_in_time();  // one look may follow the other
  }
}

/// A run that was interrupted mostly ends by itself at once, as nothing is waited for any more. It
/// cannot where ranks wait for each other for ever, or where a slow one is many steps behind those
/// that the others have begun. Who computes is let be: nothing ends before that does, and most runs
/// end with it. REQUIRES: mutex_ is held.
void WallWorld::give_up_in_time() {
  if (!interrupted() || aborted_) return;
  if (acts_then_.empty()) {
    for (const auto& rank : ranks_) {
      // relaxed: a count that its rank goes on writing.
      acts_then_.push_back(rank->acts_.load(std::memory_order_relaxed));
    }
  }
  bool one_computes = false;
  for (std::size_t r = 0; r < ranks_.size(); ++r)
    one_computes = one_computes || is_at_what_it_did(r);
  const std::int64_t present = steady_ns();
  if (one_computes || !patient_since_ns_) patient_since_ns_ = present;
  if (std::chrono::nanoseconds(present - *patient_since_ns_) < setup_.interrupt_patience) return;
  given_up_ = true;
  abort();
}

/// It computes, as it did at the interrupt or for the first time since.
bool WallWorld::is_at_what_it_did(std::size_t rank) const {
  const WallRank& its = *ranks_[rank];
  // relaxed: see above.
  return !its.waits_or_has_ended() &&
         its.acts_.load(std::memory_order_relaxed) <= acts_then_[rank] + 1;
}

/// Or until all have ended, which those are told to whose time is over, or who do not end by
/// themselves after an interrupt.
void WallWorld::await_inspection(std::unique_lock<std::mutex>& lock) {
  const auto called = [this] { return inspection_ != nullptr || live_ == 0; };
  while (!called()) {
    auto nap = std::chrono::nanoseconds::max();
    if (setup_.interrupted != nullptr) nap = look_for_interrupt_every;
    if (ends_at_ != Time::max()) {
      const auto left = std::chrono::duration_cast<std::chrono::nanoseconds>(ends_at_ - clock());
      if (left.count() <= 0) abort();
      nap = std::min(nap, left);
    }
    if (aborted_ || nap == std::chrono::nanoseconds::max()) return changed_.wait(lock, called);
    if (changed_.wait_for(lock, nap, called)) return;
    give_up_in_time();
  }
}

void WallWorld::begin() {
  std::unique_lock lock(mutex_);
  if (++begun_ == static_cast<int>(ranks_.size())) {
    const auto before = std::chrono::duration_cast<std::chrono::nanoseconds>(setup_.begun.at);
    // relaxed: mutex_ orders it.
    began_ns_.store(steady_ns() - before.count(), std::memory_order_relaxed);
    changed_.notify_all();
  }
  changed_.wait(lock, [this] { return begun_ == static_cast<int>(ranks_.size()) || aborted_; });
  if (aborted_) throw RunAborted{};
}

Time WallWorld::clock() const {
  // relaxed: both change only while every rank stands still, and mutex_ orders that.
  const std::int64_t stopped = stopped_ns_.load(std::memory_order_relaxed);
  const std::int64_t present = stopped != 0 ? stopped : steady_ns();
  const std::int64_t ns = present - began_ns_.load(std::memory_order_relaxed) -
                          stood_still_ns_.load(std::memory_order_relaxed);
  return std::chrono::nanoseconds(ns);
}

/// Stands until the one who asked has looked. Throws when the run is over.
void WallWorld::attend(std::unique_lock<std::mutex>& lock) {
  ++standing_;
  changed_.notify_all();
  changed_.wait(lock, [this] { return !pausing_ || aborted_; });
  --standing_;
  if (aborted_) throw RunAborted{};
}

void WallWorld::stand_still(FunctionRef<void()> inspect) {
  std::unique_lock lock(mutex_);
  while (pausing_) attend(lock);  // someone else's turn first
  pausing_ = true;
  attention_.store(true, std::memory_order_relaxed);  // relaxed: a hint; mutex_ decides
  ring_all();
  ++standing_;
  changed_.wait(lock, [this] { return standing_ == live_ || aborted_; });
  if (aborted_) throw RunAborted{};

  const std::int64_t stopped = steady_ns();
  stopped_ns_.store(stopped, std::memory_order_relaxed);
  stood_at_ = clock();
  inspection_ = &inspect;
  changed_.notify_all();
  changed_.wait(lock, [this] { return inspection_ == nullptr; });
  stood_still_ns_.fetch_add(steady_ns() - stopped, std::memory_order_relaxed);
  stopped_ns_.store(0, std::memory_order_relaxed);

  --standing_;
  pausing_ = false;
  attention_.store(aborted_, std::memory_order_relaxed);  // relaxed: as above
  changed_.notify_all();
  if (inspection_failure_) std::rethrow_exception(std::exchange(inspection_failure_, nullptr));
  if (aborted_) throw RunAborted{};
}

void WallWorld::fail(std::exception_ptr failure) {
  const std::lock_guard lock(mutex_);
  if (!failure_) failure_ = std::move(failure);
  abort();
}

void WallWorld::abort() {
  aborted_ = true;
  attention_.store(true, std::memory_order_relaxed);  // relaxed: as in stand_still()
  changed_.notify_all();
  ring_all();
}

void WallWorld::ring_all() {
  for (const auto& rank : ranks_) rank->ring();
}

Channel& WallWorld::channel(int from, int to) {
  std::atomic<Channel*>& slot =
      channels_[static_cast<std::size_t>(from) * ranks_.size() + static_cast<std::size_t>(to)];
  // acquire: the receiver must see the channel whole. Only the sender ever stores.
  Channel* found = slot.load(std::memory_order_acquire);
  if (found == nullptr) {
    found = new Channel(setup_.channel_capacity);
    slot.store(found, std::memory_order_release);  // release: see above
  }
  return *found;
}

/// Called by whichever rank works the switch.
void WallWorld::announce(const Transfer& started) {
  if (setup_.recorder != nullptr) setup_.recorder->message(started);
  auto* envelope = static_cast<Envelope*>(started.cookie);
  envelope->start = started.start;
  envelope->end = started.end;
  envelope->lost = started.lost;
  // release: with the three above. From here on it may be received and sent again.
  envelope->arrives.store(started.end, std::memory_order_release);
  ranks_[static_cast<std::size_t>(started.to)]->arrivals_.announce(started.from, started.end);
}

void WallWorld::give_back(Delivery* delivery) {
  auto* envelope = static_cast<Envelope*>(delivery);
  const int sender = envelope->from;  // once it is back, the sender may use it at any moment
  envelope->delivered.store(false, std::memory_order_release);  // release: it has been read
  ranks_[static_cast<std::size_t>(sender)]->ring();             // it may be waiting for room
}

std::uint64_t WallWorld::all_verbs() const {
  std::uint64_t sum = 0;
  // relaxed: a changing sum says that something goes on, that is all.
  for (const auto& rank : ranks_) sum += rank->verbs_.load(std::memory_order_relaxed);
  return sum;
}

bool WallWorld::all_wait() const {
  // relaxed: what is seen late is seen at the next look, and a hang takes many.
  return std::all_of(ranks_.begin(), ranks_.end(), [](const auto& rank) {
    return rank->finished_.load(std::memory_order_relaxed) ||
           rank->waits_on_.load(std::memory_order_relaxed) != nullptr;
  });
}

std::string WallWorld::who_waits_for_whom() const {
  std::string text;
  for (const auto& rank : ranks_) {
    const char* on = rank->waits_on_.load(std::memory_order_relaxed);  // relaxed: for a report
    if (on == nullptr || rank->finished_.load(std::memory_order_relaxed)) continue;
    const int from = rank->waits_for_.load(std::memory_order_relaxed);
    text += fmt::format("{}rank {} waits for {}", text.empty() ? "" : "; ", rank->rank(), on);
    if (from >= 0) text += fmt::format(" from rank {}", from);
  }
  return text;
}

RuntimeReport run_wall(const RuntimeSetup& setup, const std::function<void(Rank&)>& program) {
  WallWorld world(setup, program);
  return world.run();
}

}  // namespace trainyard
