// In hop h of a ring, from 0, worker w receives part w − 2 − h (mod n) and sends it on in the next
// hop; in hop 0 it sends part w − 1. Up to hop n − 2 what comes is added, and the part that is then
// complete is the worker's own; from there on what comes is complete.
#include "trainyard/collective/concurrent_rings.hpp"

#include <utility>

#include "trainyard/base/even_split.hpp"
#include "trainyard/model/kernels.hpp"

namespace trainyard {

ConcurrentRings::ConcurrentRings(Communicator& comm)
    : comm_(comm),
      next_((comm.rank() + 1) % comm.workers()),
      previous_((comm.rank() + comm.workers() - 1) % comm.workers()),
      hops_(2 * (comm.workers() - 1)) {}

ConcurrentRings::Ring& ConcurrentRings::ring(std::size_t number) {
  if (rings_.size() <= number) rings_.resize(number + 1);
  return rings_[number];
}

void ConcurrentRings::start(std::size_t number, Vector vector) {
  if (under_way_ == most_under_way) finish();
  Ring& started = ring(number);
  require(started.done, "a ring is started when the one of its number before it is done");
  if (hops_ == 0) return;
  started.vector = vector;
  started.received = 0;
  started.done = false;
  ++under_way_;
  send(started, number);
  for (const Message& chunk : started.early) advance(started, number, chunk);
  started.early.clear();
}

void ConcurrentRings::take(Message& chunk) {
  const std::size_t number = chunk.tag();
  Ring& taker = ring(number);
  if (taker.done) {
    taker.early.push_back(std::move(chunk));
  } else {
    advance(taker, number, chunk);
  }
}

void ConcurrentRings::finish() {
  while (under_way_ > 0) {
    Message chunk = comm_.receive(previous_);
    take(chunk);
  }
}

/// Sends the part that has come last, or its own first one.
void ConcurrentRings::send(const Ring& ring, std::size_t number) {
  const int n = comm_.workers();
  const int part = ((comm_.rank() - 1 - ring.received) % n + n) % n;
  comm_.send(next_, even_split(ring.vector, part, n), number);
}

void ConcurrentRings::advance(Ring& ring, std::size_t number, const Message& chunk) {
  const int n = comm_.workers();
  const int index = ((comm_.rank() - 2 - ring.received) % n + n) % n;
  const Vector part = even_split(ring.vector, index, n);
  if (ring.received < n - 1) {
    kernels::add(chunk.vector(), part);
  } else {
    chunk.copy_to(part);
  }
  if (++ring.received < hops_) {
    send(ring, number);
  } else {
    ring.done = true;
    --under_way_;
  }
}

}  // namespace trainyard
