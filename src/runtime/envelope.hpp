// A message on its way, as the runtimes keep it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "trainyard/base/aligned_buffer.hpp"
#include "trainyard/base/memory_account.hpp"
#include "trainyard/base/units.hpp"
#include "trainyard/runtime/message.hpp"

namespace trainyard {

/// With its payload, or the place where that lies. Envelopes are used again: in the steady state of
/// a run none is allocated.
struct alignas(64) Envelope : Delivery {
  // With what is inherited, all that the receiver reads is on one cache line.
  int to = 0;
  std::atomic<bool> delivered{false};  // `wall`: it is the receiver's; else the sender's
  // `wall`: where the sender's next message will be. `virtual`: the one that arrived after it, or
  // the next free envelope.
  Envelope* next = nullptr;

  AlignedBuffer<std::byte> storage;
  std::uint64_t uses = 0;  // counted by the sender

  // `wall`, where a network is emulated (wall/shared_switch.hpp): what the sender tells the switch,
  // and what the switch tells the receiver.
  static constexpr Time not_started = Time::max();
  Time posted{0};
  std::size_t bytes_to_send = 0;       // `size` is written while it is on its way
  Envelope* listed_before = nullptr;   // `virtual`: the one that arrived before it
  Envelope* next_of_sender = nullptr;  // `virtual`: that waits at the same rank
  std::int32_t ticket = 0;             // of the switch, until it starts
  std::atomic<Time> arrives{not_started};

  /// Itself and what the heap adds: where everybody sends to everybody, that is most of a message.
  MemoryCharge charge{256};

  /// Copies `bytes` in; allocates only when they are more than ever before. Of bytes that lie
  /// nowhere there is nothing but their number.
  void fill(std::span<const std::byte> bytes) {
    if (bytes.data() == nullptr) {
      data = nullptr;
      size = bytes.size();
      return;
    }
    if (bytes.size() > storage.size()) storage = AlignedBuffer<std::byte>(bytes.size());
    if (!bytes.empty()) std::memcpy(storage.data(), bytes.data(), bytes.size());
    data = storage.data();
    size = bytes.size();
  }
};

}  // namespace trainyard
