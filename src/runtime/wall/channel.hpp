// One ordered pair of ranks: envelopes that go back and forth between their sender and their
// receiver, without a lock, and without an allocation once there are enough of them.
//
// All that a receiver wants to know lies on one cache line of the envelope, its flag included, so
// one line changes cores to hand a message over. That takes knowing where the next message will be:
// every envelope says which one the sender will use next.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "runtime/envelope.hpp"

namespace trainyard {

/// Messages of one pair that may be under way at once; a sender that is further ahead waits.
inline constexpr std::size_t channel_capacity = 256;

class Channel {
 public:
  Channel() {
    owned_.push_back(std::make_unique<Envelope>());
    to_fill_ = to_read_ = owned_.front().get();
  }

  // Called by the sender.

  /// An envelope to send in; nullptr when all are under way.
  Envelope* take_envelope() {
    if (after_ == nullptr) after_ = find_free();
    return after_ == nullptr ? nullptr : to_fill_;
  }
  /// Hands over the envelope that was taken.
  void push() {
    to_fill_->next = after_;
    to_fill_->delivered.store(true, std::memory_order_release);  // release: with its contents
    to_fill_ = std::exchange(after_, nullptr);
    // It is looked at when the next message is sent, and then written to.
    __builtin_prefetch(owned_[oldest_].get(), 1);
  }

  // Called by the receiver.

  /// The oldest message; nullptr when there is none.
  Envelope* front() const {
    // acquire: pairs with push().
    return to_read_->delivered.load(std::memory_order_acquire) ? to_read_ : nullptr;
  }
  /// REQUIRES: front() is not nullptr. It stays the receiver's until that clears `delivered`.
  void pop() { to_read_ = to_read_->next; }

 private:
  /// The envelope used longest ago if it is back, else a new one: they mostly come back in order.
  Envelope* find_free() {
    Envelope* oldest = owned_[oldest_].get();
    // acquire: the receiver has read it to the end.
    if (oldest == to_fill_ || oldest->delivered.load(std::memory_order_acquire)) {
      if (owned_.size() > channel_capacity) return nullptr;
      const auto place = owned_.begin() + static_cast<std::ptrdiff_t>(oldest_);
      oldest = owned_.insert(place, std::make_unique<Envelope>())->get();
    }
    oldest_ = oldest_ + 1 < owned_.size() ? oldest_ + 1 : 0;
    return oldest;
  }

  std::vector<std::unique_ptr<Envelope>> owned_;  // from oldest_ on, in the order of their last use
  std::size_t oldest_ = 0;
  Envelope* to_fill_ = nullptr;
  Envelope* after_ = nullptr;  // and the one after it, once there is one

  alignas(64) Envelope* to_read_ = nullptr;  // the receiver's line
};

}  // namespace trainyard
