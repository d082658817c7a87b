// One ordered pair of ranks: messages forward, empty envelopes back.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include <boost/lockfree/spsc_queue.hpp>

#include "trainyard/runtime/message.hpp"

namespace trainyard {

/// Messages of one pair that may be under way at once; a sender that is further ahead waits.
inline constexpr std::size_t channel_capacity = 256;

/// Threads: the sender pushes `messages` and pops `returned`, the receiver the other way round.
/// Both are wait-free single-producer single-consumer queues (Boost.Lockfree), each end on its own
/// line.
struct Channel {
  using Queue = boost::lockfree::spsc_queue<Envelope*, boost::lockfree::capacity<channel_capacity>>;

  Queue messages;
  Queue returned;
  std::vector<std::unique_ptr<Envelope>> owned;  // by the sender

  /// An envelope to send in; nullptr when all are under way. Called by the sender.
  Envelope* take_envelope() {
    Envelope* envelope = nullptr;
    if (returned.pop(envelope)) return envelope;
    if (owned.size() == channel_capacity) return nullptr;
    owned.push_back(std::make_unique<Envelope>());
    return owned.back().get();
  }
};

}  // namespace trainyard
