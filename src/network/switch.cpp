// The switch as a small discrete-event system.
//
// The problem: whenever a port frees, find among all queue heads with two idle ports the one posted
// first. Looking at every queue costs O(ranks) an event. The way out: a sender has only one head,
// and that head is addressed to one receiver, so heads compete only with heads for the same
// receiver. Each receiver keeps its own heap of those; a start touches one sender and one receiver
// and costs O(log ranks).
//
// All events of one moment are taken together before anything starts in it, because a port that
// frees at 12.5 and a head that is waiting for it since 6 must not lose to one posted at 12.5.
#include "trainyard/network/switch.hpp"

#include <algorithm>
#include <tuple>

#include "trainyard/base/error.hpp"

namespace trainyard {

namespace {

constexpr auto frees_later = [](const auto& a, const auto& b) {
  return a.at != b.at ? a.at > b.at : a.order > b.order;
};

}  // namespace

Switch::Switch(const Network& network, int ranks)
    : network_(network),
      senders_(static_cast<std::size_t>(ranks)),
      receivers_(static_cast<std::size_t>(ranks)) {}

bool Switch::goes_after(std::int32_t a, std::int32_t b) const {
  const Queued& x = slots_[static_cast<std::size_t>(a)];
  const Queued& y = slots_[static_cast<std::size_t>(b)];
  return std::tie(x.transfer.posted, x.burst, x.transfer.from) >
         std::tie(y.transfer.posted, y.burst, y.transfer.from);
}

/// How long the message in `slot` keeps its ports from others.
Duration Switch::occupancy(std::int32_t slot) const {
  const Duration transfer =
      network_.transfer_time(slots_[static_cast<std::size_t>(slot)].transfer.bytes);
  return network_.ports == PortMode::circuit ? network_.latency + transfer : transfer;
}

std::int32_t Switch::first_waiting(std::int32_t receiver) const {
  return receivers_[static_cast<std::size_t>(receiver)].waiting.front();
}

std::int32_t Switch::take_slot() {
  if (free_slot_ == none) {
    slots_.emplace_back();
    return static_cast<std::int32_t>(slots_.size()) - 1;
  }
  const std::int32_t slot = free_slot_;
  free_slot_ = slots_[static_cast<std::size_t>(slot)].next;
  return slot;
}

std::uint64_t Switch::post(int from, int to, std::uint64_t bytes, Time now, void* cookie) {
  const auto ranks = static_cast<int>(senders_.size());
  require(from >= 0 && from < ranks && to >= 0 && to < ranks && from != to,
          "a message goes from one rank to another");
  require(next_event() >= now, "the switch is advanced to the present before a message is posted");
  const std::int32_t slot = take_slot();
  Queued& queued = slots_[static_cast<std::size_t>(slot)];
  queued.transfer = Transfer{
      .id = posted_++, .from = from, .to = to, .bytes = bytes, .posted = now, .cookie = cookie};
  queued.next = none;
  Sender& sender = senders_[static_cast<std::size_t>(from)];
  sender.burst = sender.burst_at == now ? sender.burst + 1 : 0;
  sender.burst_at = now;
  queued.burst = sender.burst;
  served_at_ = now;

  if (sender.head == none) {
    sender.head = sender.tail = slot;
    if (!sender.busy) offer_head(from);
  } else {
    slots_[static_cast<std::size_t>(sender.tail)].next = slot;
    sender.tail = slot;
  }
  return queued.transfer.id;
}

Time Switch::next_event() const {
  if (!to_serve_.empty()) return served_at_;
  return events_.empty() ? Time::max() : events_.front().at;
}

void Switch::advance(Time now, FunctionRef<void(const Transfer&)> started) {
  while (next_event() <= now) {
    const Time at = next_event();
    release_ports(at);
    start_waiting(at, started);
  }
}

/// The head of an idle sender's queue joins those that wait for its receiver.
void Switch::offer_head(int sender) {
  const std::int32_t slot = senders_[static_cast<std::size_t>(sender)].head;
  const int to = slots_[static_cast<std::size_t>(slot)].transfer.to;
  Receiver& receiver = receivers_[static_cast<std::size_t>(to)];
  receiver.waiting.push_back(slot);
  std::ranges::push_heap(receiver.waiting, [this](auto a, auto b) { return goes_after(a, b); });
  if (!receiver.busy) serve_later(to);
}

void Switch::serve_later(int receiver) {
  Receiver& port = receivers_[static_cast<std::size_t>(receiver)];
  if (port.listed) return;
  port.listed = true;
  to_serve_.push_back(receiver);
}

void Switch::release_ports(Time at) {
  served_at_ = at;
  while (!events_.empty() && events_.front().at == at) {
    std::pop_heap(events_.begin(), events_.end(), frees_later);
    const PortsFree event = events_.back();
    events_.pop_back();
    Sender& sender = senders_[static_cast<std::size_t>(event.sender)];
    sender.busy = false;
    if (sender.head != none) offer_head(event.sender);
    Receiver& receiver = receivers_[static_cast<std::size_t>(event.receiver)];
    receiver.busy = false;
    if (!receiver.waiting.empty()) serve_later(event.receiver);
  }
}

void Switch::start_waiting(Time at, FunctionRef<void(const Transfer&)> started) {
  // A message that holds its ports for no time frees its sender within this very moment, and the
  // sender's next head may come before one that waits for another receiver. Then the order in which
  // receivers are served matters. Otherwise it does not.
  const bool some_take_no_time = std::ranges::any_of(
      to_serve_, [this](int r) { return occupancy(first_waiting(r)).count() == 0; });
  if (some_take_no_time) {
    std::ranges::sort(
        to_serve_, [this](int a, int b) { return goes_after(first_waiting(b), first_waiting(a)); });
  }
  // start() makes ports busy but frees none, so the list does not grow while it is walked.
  std::size_t served = 0;
  for (bool sender_goes_on = false; served < to_serve_.size() && !sender_goes_on; ++served) {
    Receiver& receiver = receivers_[static_cast<std::size_t>(to_serve_[served])];
    receiver.listed = false;
    std::ranges::pop_heap(receiver.waiting, [this](auto a, auto b) { return goes_after(a, b); });
    const std::int32_t slot = receiver.waiting.back();
    receiver.waiting.pop_back();
    const bool takes_no_time = occupancy(slot).count() == 0;
    const int from = slots_[static_cast<std::size_t>(slot)].transfer.from;
    start(slot, at, started);
    sender_goes_on = takes_no_time && senders_[static_cast<std::size_t>(from)].head != none;
  }
  to_serve_.erase(to_serve_.begin(), to_serve_.begin() + static_cast<std::ptrdiff_t>(served));
}

void Switch::start(std::int32_t slot, Time at, FunctionRef<void(const Transfer&)> started) {
  Queued& queued = slots_[static_cast<std::size_t>(slot)];
  Transfer& transfer = queued.transfer;
  Sender& sender = senders_[static_cast<std::size_t>(transfer.from)];
  sender.head = queued.next;
  if (sender.head == none) sender.tail = none;
  sender.busy = true;
  receivers_[static_cast<std::size_t>(transfer.to)].busy = true;

  transfer.start = at;
  transfer.first_bit = at + network_.latency;
  transfer.end = transfer.first_bit + network_.transfer_time(transfer.bytes);
  events_.push_back({at + occupancy(slot), started_++, transfer.from, transfer.to});
  std::push_heap(events_.begin(), events_.end(), frees_later);

  const Transfer result = transfer;
  queued.next = free_slot_;
  free_slot_ = slot;
  started(result);
}

}  // namespace trainyard
