// In hop h of a ring, from 0, worker w receives part w − 2 − h (mod n) and sends it on in the next
// hop; in hop 0 it sends part w − 1. Up to hop n − 2 what comes is added, and the part that is then
// complete is the worker's own; from there on what comes is complete.
#include "trainyard/collective/concurrent_rings.hpp"

#include <utility>

#include "trainyard/base/even_split.hpp"
#include "trainyard/model/kernels.hpp"

namespace trainyard {

ConcurrentRings::ConcurrentRings(Communicator& comm, const Codec* codec)
    : comm_(comm),
      codec_(codec),
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

/// C(part), on the wire.
std::span<const std::byte> ConcurrentRings::encoded(ConstVector part) {
  if (part.empty()) return {};
  const TensorShape column{part.size(), 1};
  const std::size_t most = codec_->most_bytes(part.scalar(), {&column, 1});
  if (wire_.size() < most) wire_ = AlignedBuffer<std::byte>(most);
  return {wire_.data(), codec_->encode(part, {&column, 1}, no_random_, scratch_, wire_.span())};
}

/// sum ← sum + C(x).
void ConcurrentRings::decode(std::span<const std::byte> wire, Vector sum) const {
  if (sum.empty()) return;
  const TensorShape column{sum.size(), 1};
  codec_->decode_add(1.0, wire, {&column, 1}, sum);
}

/// Adds the chunk to the part; a complete one takes its place.
void ConcurrentRings::take_in(const Message& chunk, bool complete, Vector part) const {
  if (codec_ != nullptr) {
    if (complete) kernels::set_to_zero(part);
    decode(chunk.bytes(), part);
  } else if (complete) {
    chunk.copy_to(part);
  } else {
    kernels::add(chunk.vector(), part);
  }
}

/// Sends the part that has come last, or its own first one.
void ConcurrentRings::send(const Ring& ring, std::size_t number) {
  const int n = comm_.workers();
  const int index = ((comm_.rank() - 1 - ring.received) % n + n) % n;
  const Vector part = even_split(ring.vector, index, n);
  if (codec_ == nullptr) {
    comm_.send(next_, part, number);
    return;
  }
  const std::span<const std::byte> wire = encoded(part);
  comm_.send_encoded(next_, wire, number);
  if (ring.received == n - 1) {  // it is complete, and what the others get
    kernels::set_to_zero(part);
    decode(wire, part);
  }
}

void ConcurrentRings::advance(Ring& ring, std::size_t number, const Message& chunk) {
  const int n = comm_.workers();
  const int index = ((comm_.rank() - 2 - ring.received) % n + n) % n;
  take_in(chunk, ring.received >= n - 1, even_split(ring.vector, index, n));
  if (++ring.received < hops_) {
    send(ring, number);
  } else {
    ring.done = true;
    --under_way_;
  }
}

}  // namespace trainyard
