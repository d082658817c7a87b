// The `virtual` runtime: ranks are fibers under a discrete-event scheduler.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "trainyard/base/event_queue.hpp"
#include "trainyard/network/switch.hpp"
#include "trainyard/runtime/rank.hpp"

#include "runtime/envelope.hpp"
#include "runtime/virtual/background_task.hpp"
#include "runtime/virtual/fiber.hpp"
#include "runtime/virtual/mailbox.hpp"
#include "runtime/virtual/rank_set.hpp"
#include "runtime/virtual/stacks.hpp"

namespace trainyard {

class VirtualWorld;

/// A rank under simulated time. Its verbs block by yielding to the scheduler.
class alignas(64) VirtualRank final : public Rank {
 public:
  VirtualRank(VirtualWorld& world, int rank, const std::function<void(Rank&)>& program);

  void post(int to, std::span<const std::byte> bytes, Payload payload, std::uint64_t tag) override;
  Message receive(int from) override;
  bool await_message() override;
  std::optional<Message> receive_any() override;
  std::optional<Message> poll(int from) override;
  std::optional<Message> poll_any() override;
  void barrier() override;

  void begin() override;
  Time now() override;
  Duration blocked() const override { return account_.transfer + account_.wait; }
  void compute(const ComputeCost& cost, FunctionRef<void()> work) override;
  bool compute_serving(const ComputeCost& cost, FunctionRef<void()> work,
                       FunctionRef<bool(Message&)> serve) override;
  void stand_still(FunctionRef<void()> inspect) override;
  RankAccount traffic_of_all() const override;
  void end_at(Time when) override;

 private:
  friend class VirtualWorld;
  static constexpr int nobody = -1;  // not blocked on a message
  static constexpr int anybody = -2;

  Envelope* counted(Envelope* envelope);
  Envelope* take(int from);
  void begin_work(FunctionRef<void()> work, Time ends);
  /// Has work that ends now, or has ended.
  bool has_work_to_finish() const;
  void finish_work();
  void block(const char* on);
  void work_until_woken(const char* on);
  void charge(Time since, Time start, Time end);

  // The members that every message needs come first, on three cache lines: 1024 ranks fill the
  // second-level cache.
  VirtualWorld& world_;
  Mailbox arrived_;
  Envelope* handed_over_ = nullptr;  // the message that it waited for
  int waits_for_ = nobody;
  const char* blocked_on_ = "its turn";  // for the report of a deadlock
  Time task_due_ = Time::max();          // when its result is needed; never where there is none
  RankAccount account_;
  Fiber fiber_;
  BackgroundTask task_;
  Time ended_{0};
};

/// The scheduler. Of everything that happens at one moment, what arrives goes first, then the ranks
/// in the order of their numbers, and then the switch decides about all that they posted; so the
/// result depends on nothing but the program.
class VirtualWorld final : private DeliveryReturn {
 public:
  VirtualWorld(const RuntimeSetup& setup, const std::function<void(Rank&)>& program);
  RuntimeReport run();

 private:
  friend class VirtualRank;
  static constexpr int batch_of_prefetch = 8;  // ranks
  struct Wake {
    Time at;
    int rank;
  };
  static bool wakes_later(const Wake& a, const Wake& b) {
    return a.at != b.at ? a.at > b.at : a.rank > b.rank;
  }

  void give_back(Delivery* delivery) override;
  VirtualRank& rank_at(int number) const { return *ranks_[static_cast<std::size_t>(number)]; }
  Envelope* take_envelope();
  void post(Envelope* envelope);
  void record_at_once(const Envelope& envelope);
  std::vector<RankAccount> accounts() const;
  void deliver_at(Time at, Envelope* envelope);
  void wake(Time at, int rank);
  void forget_wake(int rank);
  void set_clock(Time at);
  void advance_network(Time at);
  void deliver(Envelope* envelope);
  void leave(VirtualRank& rank);
  void prefetch_ahead();
  void prefetch_rank(int rank) const;
  void prefetch_after(int batch);
  void resume(int rank);
  void go_on_in_time();
  bool release_servers();
  bool is_over() const { return now_ >= ends_at_; }
  void abort();
  std::string who_waits_for_whom() const;
  void meet(std::vector<int>& present, int expected, int rank);
  void meet_at_barrier(int rank);

  RuntimeSetup setup_;
  Switch switch_;
  Fiber home_;  // the scheduler's own stack
  const Stacks stacks_;
  std::vector<std::unique_ptr<VirtualRank>> ranks_;
  VirtualRank* running_ = nullptr;
  RankSet ready_;             // go on in this moment
  int foreseen_ = -1;         // the rank fetched last
  int prefetched_after_ = 0;  // the batch of ranks that go on
  std::vector<Wake> wakes_;   // go on later; a heap, the earliest on top
  // Messages that arrive at one moment arrive in the order in which they started.
  EventQueue<Envelope*> deliveries_;
  std::uint64_t sent_at_once_ = 0;  // messages of a perfect network
  std::vector<std::unique_ptr<Envelope>> envelopes_;
  Envelope* free_ = nullptr;  // a list
  std::vector<int> at_begin_, at_barrier_;
  std::vector<Time> barrier_arrivals_;
  const bool perfect_;                               // the network
  const FunctionRef<void()>* inspection_ = nullptr;  // asked for by the rank that just yielded
  std::exception_ptr failure_;
  Time now_{0};
  Time ends_at_;
  std::string stuck_;  // who waited for whom when all did
  int live_ = 0, live_workers_ = 0;
  bool aborted_ = false;
};

// The functions that every message passes through follow here, to be compiled into the verbs of a
// rank: as calls into another file it cost 5 ns of 75.

inline Envelope* VirtualWorld::take_envelope() {
  if (free_ != nullptr) return std::exchange(free_, free_->next);
  envelopes_.push_back(std::make_unique<Envelope>());
  return envelopes_.back().get();
}

inline void VirtualWorld::post(Envelope* envelope) {
  if (perfect_) {
    envelope->start = now_;
    if (setup_.recorder != nullptr) record_at_once(*envelope);
    deliver_at(now_, envelope);  // nothing for the switch to decide
  } else {
    switch_.post(envelope->from, envelope->to, envelope->size, now_, envelope);
  }
}

inline void VirtualWorld::deliver_at(Time at, Envelope* envelope) {
  envelope->end = at;
  deliveries_.add(at, envelope);
}

inline void VirtualWorld::wake(Time at, int rank) {
  if (at == now_) {
    ready_.add(rank);
    return;
  }
  wakes_.push_back({at, rank});
  std::push_heap(wakes_.begin(), wakes_.end(), wakes_later);
}

inline bool VirtualRank::has_work_to_finish() const {
  return world_.now_ >= task_due_;
}

/// The rank that runs cannot go on. Straight to the next one, if all it takes is to let it run: so
/// in lock-step a message costs one switch of stacks instead of two.
inline void VirtualWorld::leave(VirtualRank& rank) {
  if (!ready_.empty() && !aborted_) {
    VirtualRank& next = rank_at(ready_.lowest());
    if (!next.has_work_to_finish()) {
      (void)ready_.take_lowest();
      prefetch_ahead();
      running_ = &next;
      if (&next != &rank) rank.fiber_.go_to(next.fiber_);
      return;
    }
  }
  rank.fiber_.go_to(home_);
}

/// While one rank runs, what the ranks behind it will read is fetched. Of 1024 ranks, all that they
/// read is more than the second-level cache holds. In lock-step they go on in the order of their
/// numbers, and each is fetched while the second before it runs.
inline void VirtualWorld::prefetch_ahead() {
  if (ready_.empty()) return;
  const int next = ready_.lowest();
  if (next != foreseen_) prefetch_rank(next);
  const int batch = next / batch_of_prefetch;
  if (batch != prefetched_after_) prefetch_after(batch);
  if (!ready_.contains(next + 1)) return;
  foreseen_ = next + 1;
  prefetch_rank(foreseen_);
}

// Always in line, for the reason that Fiber::prefetch_page() is.
[[gnu::always_inline]] inline void VirtualWorld::prefetch_rank(int rank) const {
  const VirtualRank& soon = rank_at(rank);
  __builtin_prefetch(soon.handed_over_);
  soon.fiber_.prefetch_frames();
}

/// The stacks of 4096 ranks are on more pages than the TLB knows. A prefetch waits for its page
/// walk, most of the time that a message took with 16384 ranks, but walks asked for together go on
/// together: so here are all of the next batch, and what tells where those of the next but one are.
inline void VirtualWorld::prefetch_after(int batch) {
  prefetched_after_ = batch;
  constexpr int to_second_level = 2;  // three batches would crowd the first-level cache
  const int first = (batch + 1) * batch_of_prefetch;
  for (auto left = ready_.among(first, batch_of_prefetch); left != 0; left &= left - 1) {
    rank_at(first + std::countr_zero(left)).fiber_.prefetch_page();
  }
  const int after = first + batch_of_prefetch;
  for (auto left = ready_.among(after, batch_of_prefetch); left != 0; left &= left - 1) {
    const VirtualRank& rank = rank_at(after + std::countr_zero(left));
    __builtin_prefetch(&rank.arrived_, 1, to_second_level);  // on the first of its three lines,
    __builtin_prefetch(&rank.waits_for_, 1, to_second_level);
    __builtin_prefetch(&rank.fiber_, 1, to_second_level);  // and the last
  }
}

}  // namespace trainyard
