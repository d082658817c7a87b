// The `wall` runtime: ranks are pinned threads under the machine's clock.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "trainyard/base/aligned_buffer.hpp"
#include "trainyard/runtime/rank.hpp"

#include "runtime/wall/arrivals.hpp"
#include "runtime/wall/board.hpp"
#include "runtime/wall/channel.hpp"
#include "runtime/wall/nap_margin.hpp"
#include "runtime/wall/shared_switch.hpp"
#include "runtime/wall/stretch_meter.hpp"

namespace trainyard {

class WallWorld;

/// A rank on a thread of its own. Only that thread calls it, except where said.
class alignas(128) WallRank final : public Rank {
 public:
  /// `setup` outlives it.
  WallRank(WallWorld& world, int rank, const RuntimeSetup& setup);

  void post(int to, std::span<const std::byte> bytes, Payload payload, std::uint64_t tag) override;
  void lend(int to, ConstVector payload) override;
  void reclaim(bool in_distress) noexcept override;
  Message receive(int from) override;
  std::uint64_t receive_into(int from, Vector into) override;
  void receive_add(int from, Vector sum) override;
  bool await_message() override;
  std::optional<Message> receive_any() override;
  std::optional<Message> poll(int from) override;
  std::optional<Message> poll_any() override;
  void barrier() override;
  bool shows() const override;
  void show(ConstVector vector, bool copied, NumbersFor numbers_for) override;
  ConstVector shown_by(int worker, std::size_t first, std::size_t count) override;
  void hide(bool in_distress) noexcept override;

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
  friend class WallWorld;

  /// The result of await_message()'s look for messages addressed to this rank.
  struct Found {
    Channel* arrived = nullptr;  // its head is the oldest message that has arrived
    Time next{0};                // else: not before this moment will one have
    bool any = false;            // something is on its way here
    bool copying = false;        // something has arrived whose sender has not copied it yet
  };

  /// The state of the other ranks as a long wait has seen it.
  struct HangWatch {
    std::uint64_t verbs = ~std::uint64_t{0};
    Time last_change{0};
    Time next_look{0};
  };

  /// Memory of this rank that another may be reading.
  struct Loan {
    const Envelope* envelope;
    std::uint64_t use;  // of the envelope; it may be used again since
    int to;
  };

  Channel& channel_to(int to);
  void wait_for_room(Channel& channel, int to);
  bool waits_or_has_ended() const;
  void address(Envelope& envelope, int to, std::size_t bytes, std::uint64_t tag);
  Channel* incoming(int from) const;
  Channel* ready_from(int from) const;
  Channel& await_from(int from);
  Channel* await_any(Time since);
  Message take(Channel& channel);
  Message charged(Message message, Time since);
  bool is_back(const Loan& loan) const;
  void await_reader(FunctionRef<bool()> has_read, const char* on, int reader) noexcept;
  void give_up() noexcept;
  bool has_come_to(int worker, std::uint64_t stage) const;
  void come_to(std::uint64_t stage);
  void wait_for_arrival(const Envelope& envelope);
  Time blocked_from_now();
  void charge(Time since, Time start, Time end);
  void record_at_once(int to, std::size_t bytes);
  bool has_arrived(const Envelope& envelope);
  bool anything_queued() const;
  Found look_for_arrivals();
  Found look_at_channels();
  Found look_at_arrivals();
  bool look_among(std::span<const Arrivals::Arrival> arrivals, Time present, Found& found);
  void sleep_until(Time moment);
  void wait_until(FunctionRef<bool()> ready, const char* on, int from = -1);
  void relax(int round, FunctionRef<bool()> ready);
  void look_for_hang(HangWatch& watch) const;
  void park(FunctionRef<bool()> ready);
  void ring();  // called by other threads: wakes it if it is parked
  /// Stands still while someone looks, and is then true.
  bool checkpoint();
  bool heed();
  void blocks();
  void gets_on() {
    // relaxed: a count that only this rank writes.
    acts_.store(acts_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }

  WallWorld& world_;
  RankAccount account_;
  StretchMeter stretch_;
  NapMargin nap_margin_;
  std::vector<Loan> lent_;
  std::optional<Time> blocked_since_;  // by others, in one of its verbs
  Time ended_{0};
  int served_last_ = -1;  // receive_any() takes turns
  Arrivals arrivals_;     // of an emulated network
  std::uint64_t taken_ = 0;
  AlignedBuffer<std::byte> copies_;  // two, of what it shows
  bool shows_in_place_ = false;

  // Read by other threads.
  Board board_;
  alignas(64) std::atomic<std::uint64_t> verbs_{
      0};                                       // waits completed, to tell a hang from a long wait
  std::atomic<const char*> waits_on_{nullptr};  // nullptr while it runs
  std::atomic<int> waits_for_{-1};
  std::atomic<std::uint64_t> acts_{0};  // computations begun and messages taken
  std::atomic<bool> finished_{false};
  std::atomic<bool> gave_up_{false};  // it only unwinds its stack now, and reads nothing
  alignas(64) std::atomic<std::uint64_t> addressed_{0};  // messages of an emulated network, so far
  alignas(64) std::atomic<bool> parked_{false};
  std::mutex park_mutex_;
  std::condition_variable unparked_;
};

/// The state that the ranks share.
class WallWorld final : private DeliveryReturn {
 public:
  WallWorld(const RuntimeSetup& setup, const std::function<void(Rank&)>& program);
  ~WallWorld();
  RuntimeReport run();

 private:
  friend class WallRank;

  std::size_t start(std::vector<std::jthread>& threads);
  [[noreturn]] void throw_not_started(std::size_t started) const;
  void run_rank(WallRank& rank);
  void await_inspection(std::unique_lock<std::mutex>& lock);
  void serve_inspections();
  void give_up_in_time();
  bool is_at_what_it_did(std::size_t rank) const;
  void give_back(Delivery* delivery) override;
  Channel& channel(int from, int to);
  void announce(const Transfer& started);
  std::vector<RankAccount> accounts() const;
  std::optional<double> compute_stretch() const;
  Time clock() const;
  bool interrupted() const {
    // relaxed: a flag that a signal sets; nothing is published with it.
    return setup_.interrupted != nullptr && setup_.interrupted->load(std::memory_order_relaxed);
  }
  /// The time that the switch is told: the present, or, after an interrupt, a time when all has
  /// arrived.
  Time network_time() const { return interrupted() ? SharedSwitch::hurried : clock(); }
  void attend(std::unique_lock<std::mutex>& lock);
  void stand_still(FunctionRef<void()> inspect);
  void begin();
  void fail(std::exception_ptr failure);
  void abort();  // REQUIRES: mutex_ is held
  void ring_all();
  std::uint64_t all_verbs() const;
  bool all_wait() const;
  std::string who_waits_for_whom() const;

  RuntimeSetup setup_;
  const bool perfect_;  // the network; asked for at every message
  const std::function<void(Rank&)>& program_;
  std::vector<std::unique_ptr<WallRank>> ranks_;
  std::vector<std::atomic<Channel*>>
      channels_;  // [from × size + to], made at first use by the sender

  SharedSwitch network_;  // not asked where that is perfect

  // The clock: steady time since began_, less what the world stood still. While it does,
  // stopped_ns_ is when it stopped; else 0.
  alignas(64) std::atomic<std::int64_t> began_ns_{0}, stood_still_ns_{0}, stopped_ns_{0};

  std::atomic<bool> attention_{false};  // someone asks the ranks to stand still, or to give up

  // Under mutex_, except that attention_ and live_workers_ are also read without it.
  alignas(64) std::mutex mutex_;
  std::condition_variable changed_;
  Time stood_at_{0};  // what the clock said when all stood still last, and when they went on
  Time ends_at_ = Time::max();  // asked for while all stood still
  std::atomic<int> live_workers_{0};
  int live_ = 0, standing_ = 0, begun_ = 0;
  bool pausing_ = false, aborted_ = false;
  bool given_up_ = false;  // for the interrupt, that is
  // By the main thread: what each rank's acts were when it saw the interrupt first, and since when
  // it has waited for the run to end.
  std::vector<std::uint64_t> acts_then_;
  std::optional<std::int64_t> patient_since_ns_;
  const FunctionRef<void()>* inspection_ = nullptr;
  std::exception_ptr inspection_failure_, failure_;

  std::atomic<int> wait_for_room_{0};  // so many ranks
  alignas(64) std::atomic<int> at_barrier_{0};
  alignas(64) std::atomic<std::uint64_t> barriers_passed_{0};
  // If control traffic is charged: each worker's own entry, and what the last of them worked out.
  // All have read the leaves before any comes to the next barrier.
  std::vector<Time> barrier_arrivals_, barrier_leaves_;
};

// Inline, as a Hogwild worker comes by every 100 ns.
inline bool WallRank::checkpoint() {
  // relaxed: a hint that is looked at often; what it hints at is read under the mutex.
  return world_.attention_.load(std::memory_order_relaxed) && heed();
}

}  // namespace trainyard
