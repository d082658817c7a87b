// Several ring all-reduces under way at once, for workers that compute meanwhile: ring_sum() taken
// apart into what happens when a chunk arrives. Gradients leave in buckets while backpropagation
// goes on (Li et al., VLDB 2020).
//
//   ConcurrentRings rings(worker.comm());
//   OverlappedGradient gradients(worker);
//   gradients.compute(
//       [&](Vector gradient, ParameterRange part) { rings.start(k++, part of gradient); },
//       [&](Message& message) { rings.take(message); });
//   rings.finish();
//
// Each chunk is sent when the one before it has come, with the number of its ring as its tag; the
// rings share the worker's port, message by message. A sum has the bits of ring_sum() of the same
// vector, whatever arrives first. Unlike there, chunks are copied by each hop: what is being summed
// is not lent, as nobody waits for it to come back.
//
// With a codec, each chunk is encoded when it is sent and decoded where it arrives, so that what is
// summed is rounded in every hop, as it is where vectors are of 16 bits themselves. All workers end
// with the same bits. That takes no simulated time: it is done while the chunk is under way.
//
// Threads: belongs to its rank.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "trainyard/base/aligned_buffer.hpp"
#include "trainyard/base/random.hpp"
#include "trainyard/base/vector.hpp"
#include "trainyard/codec/codec.hpp"
#include "trainyard/runtime/communicator.hpp"

namespace trainyard {

class ConcurrentRings {
 public:
  /// Each ring has n chunks on its way around n workers, and in `wall` a worker's channel to the
  /// next one takes 256: with as many rings all workers could wait for room at once.
  static constexpr std::size_t most_under_way = 128;

  /// `comm` and `codec` outlive it. REQUIRES: the codec draws nothing at random and has messages of
  /// a fixed length, and C(C(x)) = C(x); nothing else is received from the worker before this one
  /// while a ring is under way.
  explicit ConcurrentRings(Communicator& comm, const Codec* codec = nullptr);

  /// Begins to sum `vector` over all workers, in place; it is not to be touched until that is done.
  /// Every worker starts rings of the same numbers, from 0, in the same order and with equal
  /// lengths. A number is free again when its ring is done. Where `most_under_way` are, it waits
  /// for these first.
  void start(std::size_t number, Vector vector);

  /// A chunk that has arrived, of a ring that is started here or is still to be.
  void take(Message& chunk);

  bool is_done(std::size_t number) const { return rings_[number].done; }
  /// How many are started and not done.
  std::size_t under_way() const { return under_way_; }
  /// Waits for all that were started.
  void finish();

 private:
  struct Ring {
    Vector vector;
    int received = 0;  // chunks
    bool done = true;
    std::vector<Message> early;  // that came before it was started
  };

  void advance(Ring& ring, std::size_t number, const Message& chunk);
  void take_in(const Message& chunk, bool complete, Vector part) const;
  std::span<const std::byte> encoded(ConstVector part);
  void decode(std::span<const std::byte> wire, Vector sum) const;
  void send(const Ring& ring, std::size_t number);
  Ring& ring(std::size_t number);

  Communicator& comm_;
  const Codec* const codec_;
  const int next_, previous_;
  const int hops_;  // of a ring: chunks that each worker receives
  std::vector<Ring> rings_;
  std::size_t under_way_ = 0;
  RandomStream no_random_{0, Purpose::codec};
  CodecScratch scratch_;
  AlignedBuffer<std::byte> wire_;
};

}  // namespace trainyard
