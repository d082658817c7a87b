// The verbs of a rank on a thread.
#include <algorithm>

#include "trainyard/base/error.hpp"
#include "trainyard/model/kernels.hpp"
#include "trainyard/network/barrier.hpp"
#include "trainyard/runtime/trace.hpp"

#include "runtime/accounting.hpp"
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

WallRank::WallRank(WallWorld& world, int rank, int workers, int servers)
    : Rank(rank, workers, servers), world_(world) {
  lent_.reserve(64);
}

void WallRank::post(int to, std::span<const std::byte> payload, Scalar scalar, std::uint64_t tag) {
  Channel& channel = channel_to(to);
  Envelope& envelope = *channel.take_envelope();
  address(envelope, to, payload.size(), tag);
  envelope.scalar = scalar;
  envelope.fill(payload);  // while it is already on its way: nobody takes it before it is pushed
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
  envelope.scalar = payload.scalar();
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

void WallRank::reclaim(bool in_distress) noexcept {
  if (in_distress) {
    const std::lock_guard lock(world_.mutex_);
    gave_up_.store(true, std::memory_order_release);  // release: it has read all it will read
    world_.abort();
  }
  for (const Loan& loan : lent_) {
    if (is_back(loan)) continue;
    const Time since = now();
    await_return(loan);
    charge(since, Time::max(), Time::max());
  }
  lent_.clear();
}

/// The channel to that rank, which has an envelope to take.
Channel& WallRank::channel_to(int to) {
  require(to >= 0 && to < size() && to != rank(), "a message goes to another rank");
  Channel& channel = world_.channel(rank(), to);
  if (channel.take_envelope() == nullptr) {
    wait_until([&] { return channel.take_envelope() != nullptr; },
               "room in its channel to another rank");
  }
  return channel;
}

/// Writes all but the payload, and posts it.
void WallRank::address(Envelope& envelope, int to, std::size_t bytes, std::uint64_t tag) {
  envelope.from = rank();
  envelope.to = to;
  envelope.tag = tag;
  ++envelope.uses;
  ++account_.messages_sent;
  account_.bytes_sent += bytes;
  envelope.start = envelope.end = Time::max();
  if (!world_.perfect_) {
    const std::lock_guard lock(world_.network_mutex_);
    const Time present = world_.network_time();
    world_.advance_network(present);
    world_.switch_.post(rank(), to, bytes, std::min(present, now()), &envelope);
  } else if (world_.setup_.recorder != nullptr) {
    record_at_once(to, bytes);
  }
}

Channel* WallRank::incoming(int from) const {
  // acquire: pairs with the sender's release when it made the channel.
  return world_
      .channels_[static_cast<std::size_t>(from) * static_cast<std::size_t>(size()) +
                 static_cast<std::size_t>(rank())]
      .load(std::memory_order_acquire);
}

/// The channel from that rank, once a message of it is under way.
Channel& WallRank::await_from(int from) {
  Channel* channel = nullptr;
  wait_until(
      [&] {
        channel = incoming(from);
        return channel != nullptr && channel->front() != nullptr;
      },
      "a message", from);
  return *channel;
}

/// Where the message that is next from that rank has come already, so that it is not waited for and
/// the clock, which takes 25 ns, need not be asked. Else nullptr.
Channel* WallRank::ready_from(int from) const {
  require(from >= 0 && from < size() && from != rank(), "a message comes from another rank");
  Channel* channel = world_.perfect_ ? incoming(from) : nullptr;
  return channel != nullptr && channel->front() != nullptr ? channel : nullptr;
}

Message WallRank::receive(int from) {
  if (Channel* ready = ready_from(from)) return take(*ready);
  const Time since = now();
  Channel& channel = await_from(from);
  if (!world_.perfect_) wait_for_arrival(*channel.front());
  return charged(take(channel), since);
}

/// The payload is copied while the message is still under way, as a card would: of the two copies
/// of an emulated message neither delays it, unless it is shorter than they take. Nobody looks at
/// `into` before this returns.
std::uint64_t WallRank::receive_into(int from, Vector into) {
  if (Channel* ready = ready_from(from)) {
    const Message message = take(*ready);
    message.copy_to(into);
    return message.tag();
  }
  const Time since = now();
  Channel& channel = await_from(from);
  if (world_.perfect_) {
    const Message message = charged(take(channel), since);
    message.copy_to(into);
    return message.tag();
  }
  channel.front()->copy_to(into);
  wait_for_arrival(*channel.front());
  return charged(take(channel), since).tag();
}

/// Added up while the message is still under way, packet by packet as it were.
void WallRank::receive_add(int from, Vector sum) {
  if (world_.perfect_) {
    Communicator::receive_add(from, sum);
    return;
  }
  const Time since = now();
  Channel& channel = await_from(from);
  kernels::add(channel.front()->vector(), sum);
  wait_for_arrival(*channel.front());
  charged(take(channel), since);
}

/// REQUIRES: the head of the channel has arrived.
Message WallRank::take(Channel& channel) {
  Envelope* envelope = channel.front();
  channel.pop();
  ++account_.messages_received;
  account_.bytes_received += envelope->size;
  return {envelope, &world_};
}

/// The same message, for which the rank was blocked until now.
Message WallRank::charged(Message message, Time since) {
  charge(since, message.start(), message.end());
  return message;
}

/// It was blocked until now, for a message that held the ports over [start, end].
void WallRank::charge(Time since, Time start, Time end) {
  const Time until = now();
  charge_blocked(account_, since, until, start, end);
  if (TraceRecorder* recorder = world_.setup_.recorder) {
    recorder->blocked(rank(), since, until, start, end);
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

void WallRank::wait_for_arrival(const Envelope& envelope) {
  while (true) {
    Time next;
    {
      const std::lock_guard lock(world_.network_mutex_);
      const Time present = world_.network_time();
      world_.advance_network(present);
      if (envelope.end <= present) return;
      // A message that has not started waits for a port, and a port frees at an event.
      next = std::min(envelope.end, world_.switch_.next_event());
    }
    sleep_until(next);
  }
}

/// Whether anyone has sent something that is still to be received, arrived or not.
bool WallRank::anything_queued() const {
  for (int from = 0; from < size(); ++from) {
    const Channel* channel = from == rank() ? nullptr : incoming(from);
    if (channel != nullptr && channel->front() != nullptr) return true;
  }
  return false;
}

WallRank::Arrivals WallRank::look_for_arrivals() {
  Arrivals found;
  const bool perfect = world_.perfect_;
  std::unique_lock lock(world_.network_mutex_, std::defer_lock);
  Time present{0};
  if (!perfect) {
    lock.lock();
    present = world_.network_time();
    world_.advance_network(present);
    found.next = world_.switch_.next_event();
  }
  Time oldest = Time::max();
  for (int step = 1; step <= size(); ++step) {
    const int from = (served_last_ + step) % size();
    if (from == rank()) continue;
    Channel* channel = incoming(from);
    if (channel == nullptr || channel->front() == nullptr) continue;
    found.any = true;
    const Time end = perfect ? Time{0} : channel->front()->end;
    found.next = std::min(found.next, end);
    if (end <= present && end < oldest) {
      oldest = end;
      found.arrived = channel;
    }
  }
  return found;
}

/// The channel whose head is the oldest message that has arrived; nullptr when none can come.
Channel* WallRank::await_any(Time since) {
  while (true) {
    // acquire: before looking at the queues for the last time, so that nothing sent is missed.
    const bool over = world_.live_workers_.load(std::memory_order_acquire) == 0;
    const Arrivals found = look_for_arrivals();
    if (found.arrived != nullptr) return found.arrived;
    if (found.any) {
      sleep_until(found.next);
    } else if (over) {
      charge(since, Time::max(), Time::max());
      return nullptr;
    } else {
      wait_until(
          [&] {
            return anything_queued() || world_.live_workers_.load(std::memory_order_acquire) == 0;
          },
          "a message from anyone");
    }
  }
}

bool WallRank::await_message() {
  const Time since = now();
  Channel* channel = await_any(since);
  if (channel == nullptr) return false;
  const Envelope& head = *channel->front();
  charge(since, head.start, head.end);
  return true;
}

std::optional<Message> WallRank::receive_any() {
  const Time since = now();
  Channel* channel = await_any(since);
  if (channel == nullptr) return std::nullopt;
  served_last_ = channel->front()->from;
  return charged(take(*channel), since);
}

std::optional<Message> WallRank::poll(int from) {
  checkpoint();
  Channel* channel = incoming(from);
  if (channel == nullptr || channel->front() == nullptr) return std::nullopt;
  const Time present = now();
  if (!world_.perfect_) {
    const std::lock_guard lock(world_.network_mutex_);
    world_.advance_network(present);
    if (channel->front()->end > present) return std::nullopt;
  }
  return take(*channel);
}

std::optional<Message> WallRank::poll_any() {
  checkpoint();
  Channel* channel = look_for_arrivals().arrived;
  if (channel == nullptr) return std::nullopt;
  served_last_ = channel->front()->from;
  return take(*channel);
}

void WallRank::barrier() {
  const Time since = now();
  const bool charged = world_.setup_.network.charge_control;
  world_.barrier_arrivals_[static_cast<std::size_t>(rank())] = since;
  // acq_rel: what each worker did before is seen by all after.
  const std::uint64_t passed = world_.barriers_passed_.load(std::memory_order_acquire);
  if (world_.at_barrier_.fetch_add(1, std::memory_order_acq_rel) + 1 == workers()) {
    if (charged) {
      world_.barrier_leaves_ =
          dissemination_barrier(world_.switch_.links(), world_.barrier_arrivals_);
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
  stretch_.computes(Time{0});
}

Time WallRank::now() {
  return world_.clock();
}

void WallRank::compute(const ComputeCost& cost, FunctionRef<void()> work) {
  if (checkpoint()) stretch_.computes(world_.stood_at_);
  if (cost.slowdown <= 1.0 && cost.pause.count() == 0) {
    // Reading the clock would be a sixth of a step on one sparse row.
    if (!stretch_.open()) stretch_.computes(now());
    work();
    return;
  }
  const Time began = now();
  stretch_.computes(began);
  work();
  sleep_until(later(later(began, scaled(now() - began, cost.slowdown)), cost.pause));
}

bool WallRank::compute_serving(const ComputeCost& cost, FunctionRef<void()> work,
                               FunctionRef<bool(const Message&)> serve) {
  const Time began = now();
  compute({}, work);
  const Time ends = later(later(began, scaled(now() - began, cost.slowdown)), cost.pause);
  while (true) {
    while (const auto message = poll_any()) {
      if (!serve(*message)) return false;
    }
    const Time present = now();
    if (present >= ends) return true;
    sleep_until(std::min(ends, later(present, longest_unserved)));
  }
}

void WallRank::stand_still(FunctionRef<void()> inspect) {
  blocks();
  world_.stand_still(inspect);
  stretch_.computes(world_.stood_at_);
}

RankAccount WallRank::traffic_of_all() const {
  return total_traffic(world_.accounts());
}

}  // namespace trainyard
