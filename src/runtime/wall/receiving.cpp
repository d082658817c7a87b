// How a rank on a thread receives.
#include <algorithm>

#include "trainyard/base/error.hpp"
#include "trainyard/model/kernels.hpp"
#include "trainyard/runtime/trace.hpp"

#include "runtime/accounting.hpp"
#include "runtime/wall/world.hpp"

namespace trainyard {

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
  if (is_counted(world_.setup_.network, envelope->size)) ++account_.messages_received;
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

}  // namespace trainyard
