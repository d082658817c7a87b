// How a rank on a thread receives.
#include <algorithm>
#include <chrono>
#include <span>

#include "trainyard/base/error.hpp"
#include "trainyard/model/kernels.hpp"
#include "trainyard/runtime/trace.hpp"

#include "runtime/accounting.hpp"
#include "runtime/wall/world.hpp"

namespace trainyard {

namespace {

/// How long a rank lets be whoever works the switch, or copies a message that has arrived.
constexpr Duration while_another_works = std::chrono::nanoseconds(500);

/// How long a message may have arrived that was posted while the rank waited for one posted before.
constexpr Duration longest_unseen = std::chrono::microseconds(100);

}  // namespace

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

/// The channel if the next message from that rank has come already, so that it is not waited for
/// and the clock, which takes 25 ns, need not be asked. Else nullptr.
Channel* WallRank::ready_from(int from) const {
  require(from >= 0 && from < size() && from != rank(), "a message comes from another rank");
  Channel* channel = world_.perfect_ ? incoming(from) : nullptr;
  return channel != nullptr && channel->front() != nullptr ? channel : nullptr;
}

Message WallRank::receive(int from) {
  if (Channel* ready = ready_from(from)) return take(*ready);
  const Time since = blocked_from_now();
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
  const Time since = blocked_from_now();
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
  const Time since = blocked_from_now();
  Channel& channel = await_from(from);
  kernels::add(channel.front()->vector(), sum);
  wait_for_arrival(*channel.front());
  charged(take(channel), since);
}

/// REQUIRES: the head of the channel has arrived.
Message WallRank::take(Channel& channel) {
  Envelope* envelope = channel.front();
  channel.pop();
  gets_on();
  if (!world_.perfect_) {
    arrivals_.take(envelope->from);
    ++taken_;
  }
  count_received(account_, world_.setup_.network, world_.network_.links(), envelope->from, rank(),
                 envelope->size);
  return {envelope, &world_};
}

/// Returns the message, for which the rank was blocked until now, and charges the time.
Message WallRank::charged(Message message, Time since) {
  charge(since, message.start(), message.end());
  return message;
}

/// Until it is charged for it: a run that ends meanwhile finds it here.
Time WallRank::blocked_from_now() {
  const Time since = now();
  blocked_since_ = since;
  return since;
}

/// It was blocked until now, for a message that held the ports over [start, end].
void WallRank::charge(Time since, Time start, Time end) {
  const Time until = now();
  blocked_since_.reset();
  charge_blocked(account_, since, until, start, end);
  if (TraceRecorder* recorder = world_.setup_.recorder) {
    recorder->blocked(rank(), since, until, start, end);
  }
}

void WallRank::wait_for_arrival(const Envelope& envelope) {
  while (!has_arrived(envelope)) {
    // acquire: with the start and the end that stand beside it.
    const Time arrives = envelope.arrives.load(std::memory_order_acquire);
    if (arrives != Envelope::not_started) return sleep_until(arrives);
    const Time network = world_.network_time();
    const Time present = now();
    const Time again = world_.network_.work_for(envelope, present, network);
    sleep_until(std::max(again, checked_sum(present, while_another_works)));
  }
}

/// On an emulated network; where that has to be worked for it, it is.
bool WallRank::has_arrived(const Envelope& envelope) {
  const Time present = world_.network_time();
  // acquire: with the start and the end that stand beside it.
  if (envelope.arrives.load(std::memory_order_acquire) == Envelope::not_started) {
    world_.network_.work(now(), present);
  }
  return envelope.arrives.load(std::memory_order_acquire) <= present;
}

/// Whether anyone has sent something that is still to be received, arrived or not.
bool WallRank::anything_queued() const {
  // acquire: pairs with the sender's release, so that what is counted is on the switch's list.
  if (!world_.perfect_) return addressed_.load(std::memory_order_acquire) != taken_;
  for (int from = 0; from < size(); ++from) {
    const Channel* channel = from == rank() ? nullptr : incoming(from);
    if (channel != nullptr && channel->front() != nullptr) return true;
  }
  return false;
}

WallRank::Found WallRank::look_for_arrivals() {
  return world_.perfect_ ? look_at_channels() : look_at_arrivals();
}

/// On a perfect network: looks for a rank that has sent something, in turn.
WallRank::Found WallRank::look_at_channels() {
  for (int step = 1; step <= size(); ++step) {
    const int from = (served_last_ + step) % size();
    if (from == rank()) continue;
    Channel* channel = incoming(from);
    if (channel != nullptr && channel->front() != nullptr) return {.arrived = channel, .any = true};
  }
  return {};
}

/// On an emulated network: looks for the oldest message that has arrived. One whose sender is still
/// copying it into its envelope is passed over.
WallRank::Found WallRank::look_at_arrivals() {
  Found found{.any = anything_queued()};
  if (!found.any) return found;
  const Time present = world_.network_time();
  // A message within a machine may be announced after one that arrives later.
  const bool from_within = !world_.setup_.hosts.empty();
  if (look_among(from_within ? arrivals_.all_announced() : arrivals_.all(), present, found)) {
    if (from_within) found.next = std::min(found.next, checked_sum(now(), longest_unseen));
    return found;
  }
  const Time clock = now();
  const Time something_starts = world_.network_.work(clock, present);
  if (look_among(arrivals_.all_announced(), present, found)) return found;
  if (found.copying) return found;
  // Messages that others post meanwhile may come sooner than those known now.
  found.next = std::min(something_starts, checked_sum(clock, longest_unseen));
  return found;
}

/// Whether there is one, or it is known when there will be.
bool WallRank::look_among(std::span<const Arrivals::Arrival> arrivals, Time present, Found& found) {
  found.copying = false;
  for (const auto& [from, end] : arrivals) {
    if (end > present) {
      if (!found.copying) found.next = end;
      return !found.copying;
    }
    Channel* channel = incoming(from);
    const Envelope* head = channel == nullptr ? nullptr : channel->front();
    // The entry may stand for one that was taken while an older one of another was still copied.
    // acquire: with the start and the end that stand beside it.
    const bool there = head != nullptr && head->arrives.load(std::memory_order_acquire) == end;
    if (there) {
      found.arrived = channel;
      return true;
    }
    found.copying = true;
  }
  return false;
}

/// The channel whose head is the oldest message that has arrived; nullptr when none can come.
Channel* WallRank::await_any(Time since) {
  while (true) {
    // acquire: before looking at the queues for the last time, so that nothing sent is missed.
    const bool over = world_.live_workers_.load(std::memory_order_acquire) == 0;
    const Found found = look_for_arrivals();
    if (found.arrived != nullptr) return found.arrived;
    if (found.any) {
      sleep_until(std::max(found.next, checked_sum(now(), while_another_works)));
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
  const Time since = blocked_from_now();
  Channel* channel = await_any(since);
  if (channel == nullptr) return false;
  const Envelope& head = *channel->front();
  charge(since, head.start, head.end);
  return true;
}

std::optional<Message> WallRank::receive_any() {
  const Time since = blocked_from_now();
  Channel* channel = await_any(since);
  if (channel == nullptr) return std::nullopt;
  served_last_ = channel->front()->from;
  return charged(take(*channel), since);
}

std::optional<Message> WallRank::poll(int from) {
  checkpoint();
  Channel* channel = incoming(from);
  if (channel == nullptr || channel->front() == nullptr) return std::nullopt;
  if (!world_.perfect_ && !has_arrived(*channel->front())) return std::nullopt;
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
