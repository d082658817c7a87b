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

#include "trainyard/base/error.hpp"

namespace trainyard {

namespace {

/// Heap order: true when `a` is posted after `b`, so that the first posted comes out on top. Ids
/// grow with the posting time.
struct PostedLater {
  template <typename Slots>
  static auto in(const Slots& slots) {
    return [&slots](std::int32_t a, std::int32_t b) {
      return slots[static_cast<std::size_t>(a)].transfer.id >
             slots[static_cast<std::size_t>(b)].transfer.id;
    };
  }
};

constexpr auto frees_later = [](const auto& a, const auto& b) {
  return a.at != b.at ? a.at > b.at : a.order > b.order;
};

}  // namespace

Switch::Switch(const Network& network, int ranks)
    : network_(network),
      senders_(static_cast<std::size_t>(ranks)),
      receivers_(static_cast<std::size_t>(ranks)) {}

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
  queued.transfer = Transfer{.id = posted_++, .from = from, .to = to, .bytes = bytes,
                             .posted = now, .cookie = cookie};
  queued.next = none;
  served_at_ = now;

  Sender& sender = senders_[static_cast<std::size_t>(from)];
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
  std::push_heap(receiver.waiting.begin(), receiver.waiting.end(), PostedLater::in(slots_));
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
  // start() makes ports busy but frees none, so the list does not grow while it is walked.
  for (const std::int32_t index : to_serve_) {
    Receiver& receiver = receivers_[static_cast<std::size_t>(index)];
    receiver.listed = false;
    std::pop_heap(receiver.waiting.begin(), receiver.waiting.end(), PostedLater::in(slots_));
    const std::int32_t slot = receiver.waiting.back();
    receiver.waiting.pop_back();
    start(slot, at, started);
  }
  to_serve_.clear();
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
  const Time free_at =
      network_.ports == PortMode::circuit ? transfer.end : transfer.end - network_.latency;
  events_.push_back({free_at, started_++, transfer.from, transfer.to});
  std::push_heap(events_.begin(), events_.end(), frees_later);

  const Transfer result = transfer;
  queued.next = free_slot_;
  free_slot_ = slot;
  started(result);
}

}  // namespace trainyard
