// The verbs of a rank on a thread, but for receiving (receiving.cpp).
#include <algorithm>

#include "trainyard/base/error.hpp"
#include "trainyard/network/barrier.hpp"
#include "trainyard/runtime/trace.hpp"

#include "runtime/accounting.hpp"
#include "runtime/serving.hpp"
#include "runtime/wall/world.hpp"

namespace trainyard {

namespace {

/// Smaller messages are copied: what two cores both write to and read moves back and forth between
/// their caches, line by line, and while a vector fits beside its copies that takes longer than to
/// copy it where it is private. Measured with 1 MiB of second-level cache: with 64 KiB a copy wins
/// by a fifth, with 256 KiB a loan by a factor of two.
constexpr std::size_t least_loan = std::size_t{128} << 10U;

/// How long a straggler that stands still lets a message lie.
constexpr Duration longest_unserved = std::chrono::microseconds(100);

}  // namespace

WallRank::WallRank(WallWorld& world, int rank, const RuntimeSetup& setup)
    : Rank(rank, setup.workers, setup.servers, setup.network),
      world_(world),
      arrivals_(setup.workers + setup.servers) {
  lent_.reserve(64);
}

void WallRank::post(int to, std::span<const std::byte> bytes, Payload payload, std::uint64_t tag) {
  Channel& channel = channel_to(to);
  Envelope& envelope = *channel.take_envelope();
  address(envelope, to, bytes.size(), tag);
  envelope.payload = payload;
  envelope.fill(bytes);  // while it is already on its way: nobody takes it before it is pushed
  channel.push();
  world_.ranks_[static_cast<std::size_t>(to)]->ring();
}

/// On an emulated network a loan would wait for its reader, whom the network does not know.
void WallRank::lend(int to, ConstVector payload) {
  const std::span<const std::byte> bytes = payload.bytes();
  if (!world_.perfect_ || bytes.size() < least_loan) {
    send(to, payload);
    return;
  }
  Channel& channel = channel_to(to);
  Envelope& envelope = *channel.take_envelope();
  address(envelope, to, bytes.size(), 0);
  envelope.payload = payload_of(payload.scalar());
  envelope.data = bytes.data();
  envelope.size = bytes.size();
  lent_.push_back({&envelope, envelope.uses, to});
  channel.push();
  world_.ranks_[static_cast<std::size_t>(to)]->ring();
}

/// Nobody reads it any more.
bool WallRank::is_back(const Loan& loan) const {
  const WallRank& reader = *world_.ranks_[static_cast<std::size_t>(loan.to)];
  // acquire: all its reading happened before.
  return loan.envelope->uses != loan.use ||
         !loan.envelope->delivered.load(std::memory_order_acquire) ||
         reader.gave_up_.load(std::memory_order_acquire) ||
         reader.finished_.load(std::memory_order_acquire);
}

/// Ends the run.
void WallRank::give_up() noexcept {
  const std::lock_guard lock(world_.mutex_);
  gave_up_.store(true, std::memory_order_release);  // release: it has read all it will read
  world_.abort();
}

void WallRank::reclaim(bool in_distress) noexcept {
  if (in_distress) give_up();
  for (const Loan& loan : lent_) {
    if (is_back(loan)) continue;
    const Time since = blocked_from_now();
    await_reader([&] { return is_back(loan); }, "another rank to read what it lent", loan.to);
    charge(since, Time::max(), Time::max());
  }
  lent_.clear();
}

/// The channel to that rank, which has an envelope to take.
Channel& WallRank::channel_to(int to) {
  require(to >= 0 && to < size() && to != rank(), "a message goes to another rank");
  Channel& channel = world_.channel(rank(), to);
  if (channel.take_envelope() == nullptr) {
    wait_for_room(channel, to);
  } else if (!world_.perfect_ && channel.has_grown()) {
    const Time since = blocked_from_now();
    wait_for_arrival(channel.in_the_way());
    charge(since, Time::max(), Time::max());
  }
  return channel;
}

/// Until fewer messages are under way than may be, and then as long as the receiver computes. It
/// ends: computing does; and who waits or has ended is in nobody's way.
void WallRank::wait_for_room(Channel& channel, int to) {
  const Time since = blocked_from_now();
  const WallRank& receiver = *world_.ranks_[static_cast<std::size_t>(to)];
  if (!world_.perfect_) wait_for_arrival(channel.in_the_way());
  world_.wait_for_room_.fetch_add(1, std::memory_order_seq_cst);  // seq_cst: see wait_until()
  const auto stop_waiting = [this] {
    world_.wait_for_room_.fetch_sub(1, std::memory_order_relaxed);  // relaxed: a ring too many
  };
  try {
    wait_until([&] { return channel.take_envelope() != nullptr || receiver.waits_or_has_ended(); },
               "room in its channel to another rank");
  } catch (...) {
    stop_waiting();
    throw;
  }
  stop_waiting();
  if (channel.take_envelope() == nullptr) channel.add_envelope();
  charge(since, Time::max(), Time::max());
}

/// Writes all but the payload, and posts it.
void WallRank::address(Envelope& envelope, int to, std::size_t bytes, std::uint64_t tag) {
  envelope.from = rank();
  envelope.to = to;
  envelope.tag = tag;
  ++envelope.uses;
  count_sent(account_, world_.setup_.network, world_.network_.links(), rank(), to, bytes);
  envelope.start = envelope.end = Time::max();
  if (!world_.perfect_) {
    const Time network = world_.network_time();
    const Time present = now();
    envelope.bytes_to_send = bytes;
    // relaxed: the receiver has given it back, and post() publishes it.
    envelope.arrives.store(Envelope::not_started, std::memory_order_relaxed);
    world_.network_.post(envelope, present);
    // release: whoever counts it finds it on the switch's list, or beyond (anything_queued()).
    world_.ranks_[static_cast<std::size_t>(to)]->addressed_.fetch_add(1, std::memory_order_release);
    world_.network_.work(present, network);
  } else if (world_.setup_.recorder != nullptr) {
    record_at_once(to, bytes);
  }
}

/// A message of a perfect network, which takes no time.
void WallRank::record_at_once(int to, std::size_t bytes) {
  const Time present = now();
  world_.setup_.recorder->message({.id = account_.messages_sent,
                                   .from = rank(),
                                   .to = to,
                                   .bytes = bytes,
                                   .posted = present,
                                   .start = present,
                                   .first_bit = present,
                                   .end = present});
}

void WallRank::barrier() {
  const Time since = blocked_from_now();
  const bool charged = world_.setup_.network.charge_control;
  world_.barrier_arrivals_[static_cast<std::size_t>(rank())] = since;
  // acq_rel: what each worker did before is seen by all after.
  const std::uint64_t passed = world_.barriers_passed_.load(std::memory_order_acquire);
  if (world_.at_barrier_.fetch_add(1, std::memory_order_acq_rel) + 1 == workers()) {
    if (charged) {
      world_.barrier_leaves_ =
          dissemination_barrier(world_.network_.links(), world_.barrier_arrivals_);
    }
    world_.at_barrier_.store(0, std::memory_order_relaxed);  // relaxed: published by the next line
    world_.barriers_passed_.fetch_add(1, std::memory_order_acq_rel);
    world_.ring_all();
  } else {
    wait_until([&] { return world_.barriers_passed_.load(std::memory_order_acquire) != passed; },
               "the others at a barrier");
  }
  if (charged) sleep_until(world_.barrier_leaves_[static_cast<std::size_t>(rank())]);
  charge(since, Time::max(), Time::max());
}

void WallRank::begin() {
  world_.begin();
  stretch_.computes(world_.setup_.begun.at);  // not zero where a leg follows another
}

Time WallRank::now() {
  return world_.clock();
}

void WallRank::compute(const ComputeCost& cost, FunctionRef<void()> work) {
  if (checkpoint()) stretch_.computes(world_.stood_at_);
  gets_on();
  if (cost.slowdown <= 1.0 && cost.pause.count() == 0) {
    // Reading the clock would be a sixth of a step on one sparse row.
    if (!stretch_.open()) stretch_.computes(now());
    work();
    return;
  }
  const Time began = now();
  stretch_.computes(began);
  work();
  sleep_until(checked_sum(checked_sum(began, scaled(now() - began, cost.slowdown)), cost.pause));
}

bool WallRank::compute_serving(const ComputeCost& cost, FunctionRef<void()> work,
                               FunctionRef<bool(Message&)> serve) {
  return compute_then_serve(
      *this, cost, work, serve, longest_unserved, [this](Time moment) { sleep_until(moment); },
      [this] { return world_.interrupted(); });
}

void WallRank::stand_still(FunctionRef<void()> inspect) {
  blocks();
  world_.stand_still(inspect);
  stretch_.computes(world_.stood_at_);
}

/// The main thread holds the mutex.
void WallRank::end_at(Time when) {
  world_.ends_at_ = when;
}

RankAccount WallRank::traffic_of_all() const {
  return total_traffic(world_.accounts());
}

}  // namespace trainyard
