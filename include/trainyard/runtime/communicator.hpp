// How a rank talks to the others.
//
// Ranks 0 .. workers-1 are workers, workers .. size-1 are servers. A message carries a vector,
// bytes of the scheme's own making, or nothing; the network charges exactly its bytes. A tag rides
// for free, as all control traffic does: 64 bits at most, for what a header has (a step number, a
// version, which keys are meant), never for a part of a model.
//
//   worker.comm().send(next, chunk);                          // returns at once
//   const Message message = worker.comm().receive(previous);  // waits for the oldest from there
//   kernels::add(message.vector(), chunk);                    // read in place
//
// Messages of one pair of ranks never overtake each other. A send copies its payload once, a
// loan does not. It does not wait for the receiver, except in `wall`: there until fewer than 256
// messages of that pair are under way, and as long as the receiver computes, until it has taken in
// enough of those that have arrived. One that waits itself, on another rank, holds nobody up. In
// what order a rank sends matters: its port serves one message at a time.
//
// Threads: each rank has its own, called by its thread or fiber alone; ranks talk at the same
// time. A call that waits is unwound by an exception when another rank fails. If nobody can go
// on, the run ends with an InternalError that says who waits for whom: at once in `virtual`,
// after ten seconds in which nothing happens in `wall`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <span>

#include "trainyard/base/function_ref.hpp"
#include "trainyard/runtime/message.hpp"

namespace trainyard {

struct Network;  // network/network.hpp

/// How many numbers of a vector that is shown a worker reads.
using NumbersFor = FunctionRef<std::size_t(int worker)>;

class Communicator {
 public:
  virtual ~Communicator() = default;

  int rank() const { return rank_; }
  int workers() const { return workers_; }
  int servers() const { return servers_; }
  int size() const { return workers_ + servers_; }
  /// The rank of server `index`, from 0.
  int server(int index) const { return workers_ + index; }
  /// The network between the ranks, the same for all, for callers that choose by it what to send.
  const Network& network() const { return network_; }

  /// REQUIRES: 0 ≤ to < size(), to ≠ rank().
  void send(int to, ConstVector payload, std::uint64_t tag = 0) {
    post(to, payload.bytes(), payload_of(payload.scalar()), tag);
  }
  /// Bytes that the scheme has written: the network charges as many.
  void send_encoded(int to, std::span<const std::byte> payload, std::uint64_t tag = 0) {
    post(to, payload, Payload::encoded, tag);
  }
  /// A message without bytes: its tag says it all.
  void send_control(int to, std::uint64_t tag) { post(to, {}, Payload::control, tag); }

  /// Waits for the next message from that rank.
  virtual Message receive(int from) = 0;
  /// As receive(), but puts the payload into `into`, as a network card would do it. Returns its
  /// tag. REQUIRES: the message carries a vector of that size and precision.
  virtual std::uint64_t receive_into(int from, Vector into);
  /// As receive_into(), but adds the payload to `sum`, as a receiver does that adds up each packet
  /// as it comes.
  virtual void receive_add(int from, Vector sum);

  /// Waits until some message has arrived. False when none can come any more: every worker has
  /// ended and nothing is on its way. A server's loop ends with it.
  virtual bool await_message() = 0;

  /// Waits for the next message from anyone, in the order of arrival. Empty when none can come.
  virtual std::optional<Message> receive_any() = 0;

  /// The next message from that rank if it has arrived already.
  virtual std::optional<Message> poll(int from) = 0;
  /// The next message from anyone, in the order of arrival, if one has arrived already.
  virtual std::optional<Message> poll_any() = 0;

  /// REQUIRES: called through Loans.
  virtual void lend(int to, ConstVector payload) { send(to, payload); }
  /// Waits until all that was lent is back. With `in_distress` it ends the run first, so that
  /// nobody waits for this rank any more.
  virtual void reclaim(bool in_distress) noexcept { (void)in_distress; }

  /// Whether workers can show one another vectors, which are read where they lie: they share their
  /// memory, and the network takes no time. All ranks of a run say the same.
  virtual bool shows() const { return false; }
  // REQUIRES, all three: called through Shown (shown.hpp), whose verbs say what they do.
  virtual void show(ConstVector vector, bool copied, NumbersFor numbers_for);
  virtual ConstVector shown_by(int worker, std::size_t first, std::size_t count);
  virtual void hide(bool in_distress) noexcept { (void)in_distress; }

  Message send_receive(int to, ConstVector payload, int from) {
    send(to, payload);
    return receive(from);
  }

  /// Waits until every worker has called it. Control traffic: free, unless the network
  /// charges it. REQUIRES: called by workers.
  virtual void barrier() = 0;

 protected:
  /// `network` outlives it.
  Communicator(int rank, int workers, int servers, const Network& network)
      : rank_(rank), workers_(workers), servers_(servers), network_(network) {}

  virtual void post(int to, std::span<const std::byte> bytes, Payload payload,
                    std::uint64_t tag) = 0;

 private:
  friend class RankWrapper;  // these post on behalf of another
  friend class GroupCommunicator;
  int rank_, workers_, servers_;
  const Network& network_;
};

/// Messages that may be read where they lie, in the sender's memory: what is lent must not change
/// until the receiver has let go of it, and is back when this is destroyed.
///
///   Loans loans(comm);
///   loans.send(next, part);
///   comm.receive_into(previous, part);  // safe only where what comes was made of what was lent
///
/// Where the network takes time, and for small messages, it is a plain send, so loans change
/// neither times nor bits.
class Loans {
 public:
  explicit Loans(Communicator& comm) : comm_(comm), exceptions_(std::uncaught_exceptions()) {}
  Loans(const Loans&) = delete;
  Loans& operator=(const Loans&) = delete;
  ~Loans();

  void send(int to, ConstVector payload) { comm_.lend(to, payload); }

 private:
  Communicator& comm_;
  int exceptions_;  // under way when it was made
};

}  // namespace trainyard
