// The switch as a small discrete-event system.
//
// The problem: whenever a port frees, find among all queue heads with two idle ports the one posted
// first. Looking at every queue costs O(ranks) an event. The way out: a sender has only one head,
// and that head is addressed to one receiver, so heads compete only with heads for the same
// receiver. Each receiver keeps its own heap of those; a start touches one sender and one receiver
// and costs O(log ranks).
//
// With cut-through ports each waiting head has a moment of its own from which on it may start: the
// end of the receiver's last reception, less the head's latency, which we call its lead. Where all
// leads are equal (and with circuit ports, where they are zero) the top of the heap may start as
// soon as any may. Where they differ, a receiver is looked at when the longest lead says so, and
// the heads that may start then are found by looking at all that wait for it.
//
// All events of one moment are taken together before anything starts in it, because a port that
// frees at 12.5 and a head that is waiting for it since 6 must not lose to one posted at 12.5.
#include "trainyard/network/switch.hpp"

#include <tuple>
#include <utility>

#include "trainyard/base/error.hpp"

namespace trainyard {

namespace {

/// Adds up times that may never come: a queue of more than 106 days is refused when it gets that
/// far.
Time sum_up_to_never(Time at, Duration duration) {
  return at > Time::max() - duration ? Time::max() : at + duration;
}

}  // namespace

Switch::Switch(const Network& network, int workers, int servers, std::span<const int> hosts)
    : links_(network, workers, servers, hosts),
      circuit_(network.ports == PortMode::circuit),
      senders_(static_cast<std::size_t>(links_.ports())),
      receivers_(static_cast<std::size_t>(links_.ports())) {}

/// Heap order: true when slot `a` comes after slot `b` by rule 4.
bool Switch::goes_after(std::int32_t a, std::int32_t b) const {
  const Queued& x = queued(a);
  const Queued& y = queued(b);
  return std::tie(x.transfer.posted, x.burst, x.ports.send) >
         std::tie(y.transfer.posted, y.burst, y.ports.send);
}

/// How long before the receive port is idle the message may start.
Duration Switch::lead(const Queued& message) const {
  return circuit_ ? Duration{0} : message.passage.latency;
}

Duration Switch::send_hold(const Queued& message) const {
  return circuit_ ? message.passage.latency + message.passage.transfer : message.passage.transfer;
}

std::int32_t Switch::take_slot() {
  if (free_slot_ == none) {
    slots_.emplace_back();
    return static_cast<std::int32_t>(slots_.size()) - 1;
  }
  return std::exchange(free_slot_, queued(free_slot_).next);
}

// This and start_waiting() are all that a message sees of the switch. With what they call in line
// it takes 20 ns of a processor instead of 28 (AMD Zen 4).
[[gnu::flatten]] Switch::Ticket Switch::post(int from, int to, std::uint64_t bytes, Time now,
                                             void* cookie) {
  const int ranks = links_.ranks();
  require(from >= 0 && from < ranks && to >= 0 && to < ranks && from != to,
          "a message goes from one rank to another");
  require(next_event() >= now, "the switch is advanced to the present before a message is posted");
  const std::int32_t slot = take_slot();
  Queued& message = queued(slot);
  message.transfer = Transfer{
      .id = posted_++, .from = from, .to = to, .bytes = bytes, .posted = now, .cookie = cookie};
  message.passage = links_.passage_of_next(from, to, bytes, now);
  message.ports = links_.ports_of(from, to);
  message.next = none;
  Sender& port = sender(message.ports.send);
  port.burst = port.burst_at == now ? port.burst + 1 : 0;
  port.burst_at = now;
  message.burst = port.burst;
  if (send_hold(message).count() == 0) ++timeless_;
  if (port.head == none) port.posted = port.started = Duration{0};
  message.ahead = port.posted;
  port.posted = sum_up_to_never(port.posted, send_hold(message));

  if (port.head == none) {
    port.head = port.tail = slot;
    offer_head_when_idle(message.ports.send, now);
  } else {
    queued(port.tail).next = slot;
    port.tail = slot;
  }
  return slot;
}

Time Switch::earliest_end(Ticket waiting) const {
  const Queued& message = queued(waiting);
  const Sender& from = senders_[static_cast<std::size_t>(message.ports.send)];
  const Receiver& to = receivers_[static_cast<std::size_t>(message.ports.receive)];
  const Time sent = sum_up_to_never(from.frees, message.ahead - from.started);
  const Time start = std::max({message.transfer.posted, sent, to.free_at - lead(message)});
  return sum_up_to_never(sum_up_to_never(start, message.passage.latency), message.passage.transfer);
}

void Switch::advance(Time now, FunctionRef<void(const Transfer&)> started) {
  for (Time at = next_event(); at <= now; at = next_event()) {
    release_ports(at);
    start_waiting(at, started);
  }
}

/// A sender whose queue is empty when its port frees costs no event.
void Switch::offer_head_when_idle(std::int32_t from, Time at) {
  const Time frees = sender(from).frees;
  if (frees <= at) {
    offer_head(from, at);
  } else {
    events_.add(frees, {.sender = from});
  }
}

/// The head of an idle sender's queue joins those that wait for its receiver.
void Switch::offer_head(std::int32_t from, Time at) {
  const std::int32_t slot = sender(from).head;
  const Queued& head = queued(slot);
  const std::int32_t to = head.ports.receive;
  Receiver& port = receiver(to);
  start_to_wait(port, slot);
  port.longest_lead = std::max(port.longest_lead, lead(head));
  const Time opens = port.free_at - lead(head);
  if (opens <= at) {
    served_at_ = at;
    serve(to);
  } else {
    look_at(to, opens);
  }
}

/// Its waiting heads are looked at in this moment.
void Switch::serve(std::int32_t to) {
  if (std::exchange(receiver(to).listed, true)) return;
  to_serve_.push_back(to);
}

/// Its waiting heads are looked at at that moment at the latest.
void Switch::look_at(std::int32_t to, Time moment) {
  Receiver& port = receiver(to);
  if (port.looked_at <= moment) return;
  port.looked_at = moment;
  events_.add(moment, {.receiver = to});
}

/// Sees to it that the heads that still wait are looked at when the first of them may start, which
/// may be in this very moment.
void Switch::look_later(std::int32_t to, Time at) {
  Receiver& port = receiver(to);
  if (port.first_waiting == none) {
    port.longest_lead = Duration{0};
    return;
  }
  if (port.free_at - port.longest_lead <= at) {  // it may be that of a head that has gone
    port.longest_lead = longest_lead(port);
  }
  const Time opens = port.free_at - port.longest_lead;
  if (opens <= at) {
    serve(to);
  } else {
    look_at(to, opens);
  }
}

void Switch::release_ports(Time at) {
  served_at_ = at;
  events_.take_until(at, [&](const Event& event) {
    if (event.sender != none) {
      offer_head(event.sender, at);
    } else {
      Receiver& port = receiver(event.receiver);
      if (port.looked_at <= at) port.looked_at = Time::max();
      if (port.first_waiting != none) serve(event.receiver);
    }
  });
}

/// The head that is first by rule 4, among those that wait for this receiver and may start now.
std::int32_t Switch::first_startable(const Receiver& port, Time at) const {
  const auto may_start = [&](std::int32_t slot) { return at >= port.free_at - lead(queued(slot)); };
  if (port.first_waiting == none || may_start(port.first_waiting)) return port.first_waiting;
  std::int32_t first = none;
  if (circuit_) return first;  // what holds for one holds for all
  for (const std::int32_t slot : port.others_waiting) {
    if (may_start(slot) && (first == none || goes_after(first, slot))) first = slot;
  }
  return first;
}

[[gnu::flatten]] void Switch::start_waiting(Time at, FunctionRef<void(const Transfer&)> started) {
  find_startable(at);
  // Each of these has a sender and a receiver to itself, so the order in which they start does not
  // matter, unless some message holds its ports for no time: that frees them in this very moment,
  // and what comes next there may go before one that waits for another receiver.
  const bool in_order = timeless_ > 0;
  if (in_order) {
    std::ranges::sort(startable_, [this](auto a, auto b) { return goes_after(b, a); });
  }
  for (std::size_t i = 0; i < startable_.size(); ++i) {
    const std::int32_t from = queued(startable_[i]).ports.send;
    const bool takes_no_time = send_hold(queued(startable_[i])).count() == 0;
    start(startable_[i], at, started);
    const bool sender_goes_on = takes_no_time && sender(from).head != none;
    if (in_order && (sender_goes_on || !to_serve_.empty())) {
      for (++i; i < startable_.size(); ++i) serve(queued(startable_[i]).ports.receive);
    }
  }
}

/// Finds the message that starts now for each receiver to be served.
void Switch::find_startable(Time at) {
  startable_.clear();
  for (const std::int32_t to : to_serve_) {
    receiver(to).listed = false;
    const std::int32_t slot = first_startable(receiver(to), at);
    if (slot == none) {
      look_later(to, at);  // it is not served in this moment: no head may start in it
    } else {
      startable_.push_back(slot);
    }
  }
  to_serve_.clear();
}

void Switch::start(std::int32_t slot, Time at, FunctionRef<void(const Transfer&)> started) {
  Queued& message = queued(slot);
  Transfer& transfer = message.transfer;
  transfer.start = at;
  // What queues behind it was promised its ports by the time that was known when it was posted.
  const Duration known = send_hold(message);
  if (known.count() == 0) --timeless_;
  links_.meet_cut(transfer.from, transfer.to, transfer.bytes, at, message.passage);
  transfer.lost = message.passage.lost;
  transfer.end = checked_sum(at, message.passage.latency + message.passage.transfer);
  transfer.first_bit = at + message.passage.latency;  // not after the end
  const Time sender_frees = at + send_hold(message);

  const PortPair ports = message.ports;
  Sender& from = sender(ports.send);
  from.head = message.next;
  if (from.head == none) from.tail = none;
  from.frees = sender_frees;
  from.started = sum_up_to_never(from.started, known);
  // Even if it frees in this very moment: what else may start in it comes first.
  if (from.head != none) events_.add(sender_frees, {.sender = ports.send});
  Receiver& to = receiver(ports.receive);
  stop_waiting(to, slot);
  to.free_at = transfer.end;
  look_later(ports.receive, at);

  started(transfer);
  message.next = std::exchange(free_slot_, slot);
}

void Switch::start_to_wait(Receiver& port, std::int32_t slot) {
  if (port.first_waiting == none) {
    port.first_waiting = slot;
    return;
  }
  if (goes_after(port.first_waiting, slot)) std::swap(port.first_waiting, slot);
  port.others_waiting.push_back(slot);
  std::ranges::push_heap(port.others_waiting, [this](auto a, auto b) { return goes_after(a, b); });
}

void Switch::stop_waiting(Receiver& port, std::int32_t slot) {
  const auto after = [this](auto a, auto b) { return goes_after(a, b); };
  if (port.first_waiting != slot) {
    std::erase(port.others_waiting, slot);
    std::ranges::make_heap(port.others_waiting, after);
  } else if (port.others_waiting.empty()) {
    port.first_waiting = none;
  } else {
    port.first_waiting = port.others_waiting.front();
    std::ranges::pop_heap(port.others_waiting, after);
    port.others_waiting.pop_back();
  }
}

Duration Switch::longest_lead(const Receiver& port) const {
  Duration longest = lead(queued(port.first_waiting));
  for (const std::int32_t slot : port.others_waiting) {
    longest = std::max(longest, lead(queued(slot)));
  }
  return longest;
}

}  // namespace trainyard
