// How a rank waits: spinning while it owns a core, parked when it does not, and to the microsecond
// where a moment is known.
//
// Measured on a 2-core virtual machine: a sleep overshoots by 20 to 80 µs; a spin with the pause
// instruction loses whole 4 ms scheduling quanta as soon as ranks outnumber cores. Sleeping until a
// margin before the moment (nap_margin.hpp) and giving the rest to sched_yield lands within 1 µs
// (median; 99 % within 3 to 6 µs) where ranks own their cores, and within 4 to 11 µs where four of
// eight ranks on two cores are due at one moment, most of which is the queue for the cores. It
// takes less than 1 % of a core for waits of 20 ms. Parking after 20 or after 50 yields makes no
// difference; after 200, eight ranks on two cores take up to twice as long for an all-reduce.
#include <algorithm>
#include <chrono>
#include <thread>

#include <sched.h>

#include "trainyard/base/error.hpp"

#include "runtime/accounting.hpp"
#include "runtime/wall/world.hpp"

namespace trainyard {

using namespace std::chrono_literals;

namespace {

constexpr Duration longest_sleep = 5ms;    // a pause or an abort is noticed within this
constexpr int rounds_of_spinning = 4000;   // about 100 µs of x86's pauses
constexpr int rounds_before_parking = 50;  // when cores are shared: yields only
constexpr Duration look_for_hang_every = 100ms;
constexpr auto longest_park = 100ms;

void pause_briefly() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("isb" ::: "memory");  // `yield` takes no time on servers' cores, this tens of cycles
#endif
}

}  // namespace

/// It is not computing from here on.
void WallRank::blocks() {
  if (stretch_.open()) stretch_.blocks(now());
}

bool WallRank::heed() {
  blocks();
  std::unique_lock lock(world_.mutex_);
  if (world_.aborted_) throw RunAborted{};
  if (!world_.pausing_) return false;
  world_.attend(lock);
  return true;
}

void WallRank::sleep_until(Time moment) {
  blocks();
  while (true) {
    checkpoint();
    const Duration left = moment - now();
    if (left <= Duration::zero()) return;
    if (world_.interrupted()) {
      sched_yield();  // whoever it waits for may need this core
      return;
    }
    if (left > nap_margin_.margin()) {
      const Duration nap = std::min(left - nap_margin_.margin(), longest_sleep);
      const Time lay_down = now();
      std::this_thread::sleep_for(std::chrono::duration_cast<std::chrono::nanoseconds>(nap));
      nap_margin_.learn(now() - lay_down - nap);
    } else {
      sched_yield();
    }
  }
}

bool WallRank::waits_or_has_ended() const {
  // seq_cst: see wait_until(). acquire: nothing is received any more.
  return waits_on_.load(std::memory_order_seq_cst) != nullptr ||
         finished_.load(std::memory_order_acquire);
}

void WallRank::wait_until(FunctionRef<bool()> ready, const char* on, int from) {
  if (ready()) return;
  blocks();
  waits_for_.store(from, std::memory_order_relaxed);  // relaxed: read for reports only
  // seq_cst, both: either who waits for room here sees that this rank waits, or it is rung for.
  waits_on_.store(on, std::memory_order_seq_cst);
  if (world_.wait_for_room_.load(std::memory_order_seq_cst) != 0) world_.ring_all();
  HangWatch watch;
  for (int round = 1; !ready(); ++round) {
    checkpoint();
    relax(round, ready);
    if (world_.setup_.cores_are_shared || round % rounds_of_spinning == 0) look_for_hang(watch);
  }
  waits_on_.store(nullptr, std::memory_order_relaxed);
  verbs_.fetch_add(1, std::memory_order_relaxed);
}

/// Like wait_until(), but a run that is over ends the wait only when the reader has noticed too:
/// the memory is gone as soon as this rank unwinds.
void WallRank::await_reader(FunctionRef<bool()> has_read, const char* on, int reader) noexcept {
  try {
    wait_until(has_read, on, reader);
  } catch (const RunAborted&) {  // whatever verb comes next says so
    while (!has_read()) sched_yield();
  } catch (...) {
    world_.fail(std::current_exception());
    while (!has_read()) sched_yield();
  }
}

/// A hang is when for `hang_patience` every rank waits for another and none gets on.
void WallRank::look_for_hang(HangWatch& watch) const {
  const Time present = world_.clock();
  if (present < watch.next_look) return;
  watch.next_look = present + look_for_hang_every;
  const std::uint64_t verbs = world_.all_verbs();
  if (verbs != watch.verbs || !world_.all_wait()) {
    watch.verbs = verbs;
    watch.last_change = present;
  } else if (present - watch.last_change > world_.setup_.hang_patience) {
    throw InternalError("the run hangs: " + world_.who_waits_for_whom());
  }
}

void WallRank::relax(int round, FunctionRef<bool()> ready) {
  if (world_.setup_.cores_are_shared) {
    if (round < rounds_before_parking) {
      sched_yield();
    } else {
      park(ready);
    }
  } else if (round < rounds_of_spinning) {
    pause_briefly();
  } else {
    sched_yield();
  }
}

void WallRank::park(FunctionRef<bool()> ready) {
  // seq_cst, here and in ring(): either the ringer sees parked_, or we see what it rang for. That
  // takes exchanges on both sides: the later one reads what the earlier one wrote, and with it sees
  // what was stored before, be it relaxed.
  parked_.exchange(true, std::memory_order_seq_cst);
  if (!ready() && !world_.attention_.load(std::memory_order_seq_cst)) {
    std::unique_lock lock(park_mutex_);
    // The time-out is for the look for hangs. It is long: every rank that looks up takes 5 µs, and
    // of 256 that did so every 32 ms a run used a tenth of its processor time.
    unparked_.wait_for(lock, longest_park,
                       [this] { return !parked_.load(std::memory_order_seq_cst); });
  }
  // An exchange, so that what a ringer did that found it false is seen when it is next set.
  parked_.exchange(false, std::memory_order_seq_cst);
}

void WallRank::ring() {
  if (!world_.setup_.cores_are_shared) return;  // then nobody parks
  if (!parked_.exchange(false, std::memory_order_seq_cst)) return;
  const std::lock_guard lock(park_mutex_);
  unparked_.notify_one();
}

}  // namespace trainyard
