// The logical switch: which message may start when, and when it has arrived.
//
// A pure object: it knows no thread and no clock, it is told the time. The `virtual` runtime tells
// it simulated time, the `wall` runtime the machine's, so both emulate the same network.
//
// The rule (catalogue §1.1; Liu & Zhang 2020, §1.3):
//  1. A message i→j starts at the first moment, not before it was posted, when i's send port and
//     j's receive port are both idle, and holds both for as long as the port mode says.
//  2. Every rank has one send port and one receive port, independent of each other (full duplex);
//     the switch itself is never the bottleneck.
//  3. Every sender is a FIFO: a message that waits holds up those behind it.
//  4. When a port frees, the message that starts is, among the queue heads whose two ports are
//     idle, the one posted first. Of those posted at the same moment, the one that is earlier in
//     its own sender's burst goes first, and then the one of the lower port: so ranks that each
//     post a schedule of rounds at one moment are served round by round, not rank by rank. Nothing
//     is reserved for a message that cannot start yet.
//
// Ranks that share a machine (links.hpp) share its two ports, so rule 3 is about all that they send
// together. What one of them sends to another starts and ends when it is posted, and neither waits
// for the machine's ports nor holds them.
//
// With cut-through ports rule 1 reads: a message i→j may start at s when i's send port is idle and
// its first bit, at s + α_ij, comes no earlier than the last bit of the reception that j has taken
// on last. On equal links that is βb after that message started; where α differs, a message from
// far away may start while j is still receiving, and one from nearby waits a little longer. Nothing
// is squeezed in before a reception that has been taken on.
//
// So receptions at one port never overlap and never change places, in either mode, however the
// latencies differ from link to link and from message to message (jitter): the messages of a pair
// arrive in the order of their posts without a rule of its own.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "trainyard/base/event_queue.hpp"
#include "trainyard/base/function_ref.hpp"
#include "trainyard/base/units.hpp"
#include "trainyard/network/links.hpp"
#include "trainyard/network/transfer.hpp"

namespace trainyard {

/// Threads: none; the caller sees to it that calls do not overlap.
class Switch {
 public:
  Switch(const Network& network, int workers, int servers = 0, std::span<const int> hosts = {});

  /// Names a message until it starts; then another may have it.
  using Ticket = std::int32_t;

  /// Puts a message into `from`'s queue. It starts at the next advance(), at the earliest.
  /// REQUIRES: from ≠ to, both in 0 .. ranks-1; advance() has been called up to just before `now`.
  Ticket post(int from, int to, std::uint64_t bytes, Time now, void* cookie = nullptr);

  /// Before that moment a message that has not started will not have arrived: what is before it in
  /// its sender's queue has to be sent, and what its receiver has taken on has to be received. It
  /// may come later, where others are posted to the same receiver.
  Time earliest_end(Ticket waiting) const;

  /// Lets everything happen that happens up to and including `now`. `started` is called once for
  /// every message that starts, in the order of the starts; it posts nothing itself.
  void advance(Time now, FunctionRef<void(const Transfer&)> started);

  /// No message that is still queued starts before that; Time::max() when none is.
  Time next_event() const {
    return to_serve_.empty() ? events_.next() : std::min(served_at_, events_.next());
  }

  const Links& links() const { return links_; }

 private:
  static constexpr std::int32_t none = -1;

  struct Queued {
    Transfer transfer;
    Passage passage;
    PortPair ports;
    Duration ahead{0};  // what the sender's messages before it hold its port for, since it was idle
    std::uint32_t burst = 0;   // its number among those its sender posted at that moment
    std::int32_t next = none;  // behind it in the sender's queue, or in the list of free slots
  };
  struct Sender {
    std::int32_t head = none, tail = none;
    Time frees{0};                   // the last message that has started leaves the send port then
    Duration posted{0}, started{0};  // what its messages hold that port for, since it was idle
    Time burst_at{-1};               // when it last posted,
    std::uint32_t burst = 0;         // and how many messages it has posted at that moment
  };
  struct Receiver {
    Time free_at{0};               // the last bit of the reception taken on last
    Time looked_at = Time::max();  // there is an event for it then, or earlier
    Duration longest_lead{0};      // no waiting head has a longer one
    bool listed = false;           // in to_serve_
    // Queue heads addressed here whose send port is idle: the one posted first, and a heap of the
    // others. Mostly there is one; then no memory elsewhere is looked at.
    std::int32_t first_waiting = none;
    std::vector<std::int32_t> others_waiting;
  };
  /// A send port frees whose queue is not empty, or a receiver's waiting heads are to be looked at.
  struct Event {
    std::int32_t sender = none, receiver = none;
  };

  Queued& queued(std::int32_t slot) { return slots_[static_cast<std::size_t>(slot)]; }
  const Queued& queued(std::int32_t slot) const { return slots_[static_cast<std::size_t>(slot)]; }
  Sender& sender(std::int32_t port) { return senders_[static_cast<std::size_t>(port)]; }
  Receiver& receiver(std::int32_t port) { return receivers_[static_cast<std::size_t>(port)]; }

  bool goes_after(std::int32_t a, std::int32_t b) const;
  Duration lead(const Queued& message) const;
  Duration send_hold(const Queued& message) const;
  std::int32_t take_slot();
  void offer_head_when_idle(std::int32_t from, Time at);
  void offer_head(std::int32_t from, Time at);
  void start_to_wait(Receiver& port, std::int32_t slot);
  Duration longest_lead(const Receiver& port) const;
  void serve(std::int32_t to);
  void look_at(std::int32_t to, Time moment);
  void look_later(std::int32_t to, Time at);
  void release_ports(Time at);
  std::int32_t first_startable(const Receiver& port, Time at) const;
  void find_startable(Time at);
  void start_waiting(Time at, FunctionRef<void(const Transfer&)> started);
  void start(std::int32_t slot, Time at, FunctionRef<void(const Transfer&)> started);
  void stop_waiting(Receiver& port, std::int32_t slot);

  Links links_;
  const bool circuit_;
  std::vector<Sender> senders_;
  std::vector<Receiver> receivers_;
  std::vector<Queued> slots_;
  std::int32_t free_slot_ = none;
  EventQueue<Event> events_;
  std::vector<std::int32_t> to_serve_;   // receivers that may start a message now
  std::vector<std::int32_t> startable_;  // scratch of start_waiting()
  Time served_at_{0};                    // the moment to_serve_ speaks of
  std::uint64_t posted_ = 0;
  std::uint64_t timeless_ = 0;  // queued messages that hold their send port for no time
};

}  // namespace trainyard
