// One ordered pair of ranks: envelopes that go back and forth between their sender and their
// receiver, without a lock, and without an allocation once there are enough of them.
//
// All that a receiver wants to know lies on one cache line of the envelope, its flag included, so
// one line changes cores to hand a message over. That takes knowing where the next message will be:
// every envelope says which one the sender will use next.
//
// Two queues of Boost.Lockfree (spsc_queue), with pointers to envelopes there and back, are the
// other way: each has indices on lines of their own, which change cores, too. A message of 64 bytes
// takes 0.26 µs here and 0.92 there, and where each is answered 0.92 and 2.0; from 16 KiB on it is
// the copying (bench/channels.cpp has both in each row; least of 15 turns, on two cores that others
// used too).
//
// How far a sender may be ahead is bounded, but what its receiver has and does not take in counts
// only while that computes. Ranks that wait for each other's room would else wait for ever: in
// GoSGD nobody receives but between two sends. So the sender of a rank that waits, or has ended,
// is given an envelope more (WallRank::wait_for_room()), as if what has arrived had been taken in.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "runtime/envelope.hpp"

namespace trainyard {

class Channel {
 public:
  /// At most `capacity` messages, >= 1, may be under way at once; a sender that is further ahead
  /// waits.
  explicit Channel(std::size_t capacity) : capacity_(capacity) {
    owned_.push_back(std::make_unique<Envelope>());
    to_fill_ = to_read_ = owned_.front().get();
  }

  // Called by the sender.

  /// An envelope to send in; nullptr when all are under way.
  Envelope* take_envelope() {
    if (after_ == nullptr) after_ = find_free();
    return after_ == nullptr ? nullptr : to_fill_;
  }
  /// The message sent as many before as may be under way: once it has arrived, fewer are. REQUIRES:
  /// take_envelope() was nullptr, or has_grown().
  const Envelope& in_the_way() const {
    const std::size_t newest = after_ == nullptr ? 1 : 2;  // to_fill_, or that and after_
    return *owned_[(oldest_ + 2 * owned_.size() - newest - capacity_) % owned_.size()];
  }
  /// add_envelope() was called: that one is back does not say that fewer are under way than may be.
  bool has_grown() const { return owned_.size() > capacity_ + 1; }
  /// One beyond the capacity, for take_envelope(). REQUIRES: that was nullptr.
  void add_envelope() { after_ = insert_envelope(); }
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
      return owned_.size() > capacity_ ? nullptr : insert_envelope();
    }
    step();
    return oldest;
  }
  /// A new one, behind that used last.
  Envelope* insert_envelope() {
    const auto place = owned_.begin() + static_cast<std::ptrdiff_t>(oldest_);
    Envelope* made = owned_.insert(place, std::make_unique<Envelope>())->get();
    step();
    return made;
  }
  void step() { oldest_ = oldest_ + 1 < owned_.size() ? oldest_ + 1 : 0; }

  const std::size_t capacity_;

  std::vector<std::unique_ptr<Envelope>> owned_;  // from oldest_ on, in the order of their last use
  std::size_t oldest_ = 0;
  Envelope* to_fill_ = nullptr;
  Envelope* after_ = nullptr;  // and the one after it, once there is one

  alignas(64) Envelope* to_read_ = nullptr;  // the receiver's line
};

}  // namespace trainyard
