// A received message: its sender, its payload, and a tag.
//
// Threads: a message belongs to the rank that received it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "trainyard/base/error.hpp"
#include "trainyard/base/units.hpp"
#include "trainyard/base/vector.hpp"

namespace trainyard {

/// The kind of a message's payload. The network charges its bytes, whatever they mean.
enum class Payload : std::uint8_t {
  control,  // no bytes, the tag says it all: free, unless the network charges control traffic
  float32,  // a vector
  float64,
  encoded,  // bytes that the sender has written and the receiver knows how to read
};

constexpr Payload payload_of(Scalar scalar) {
  return scalar == Scalar::float64 ? Payload::float64 : Payload::float32;
}

/// The receiver's side of a message.
struct Delivery {
  int from = 0;
  Payload payload = Payload::control;
  std::uint64_t tag = 0;
  const std::byte* data = nullptr;
  std::size_t size = 0;   // bytes
  Time start{0}, end{0};  // when it held the ports, where the network takes time
  bool lost = false;      // it did not come, and now its receiver knows

  /// Throws InternalError for an encoded payload.
  ConstVector vector() const {
    require(payload != Payload::encoded, "an encoded message is read as a vector");
    const Scalar scalar = payload == Payload::float64 ? Scalar::float64 : Scalar::float32;
    return {scalar, data, size / bytes_of(scalar)};
  }
  /// REQUIRES: it carries a vector of that size and precision.
  void copy_to(Vector into) const;
};

/// Takes a message back when it has been read; the runtime does that.
class DeliveryReturn {
 public:
  virtual void give_back(Delivery* delivery) = 0;

 protected:
  ~DeliveryReturn() = default;
};

/// A received message: read in place, given back when it goes out of scope.
class Message {
 public:
  Message(Delivery* delivery, DeliveryReturn* owner) : delivery_(delivery), owner_(owner) {}
  Message(Message&& other) noexcept
      : delivery_(std::exchange(other.delivery_, nullptr)), owner_(other.owner_) {}
  Message& operator=(Message&& other) noexcept {
    std::swap(delivery_, other.delivery_);
    std::swap(owner_, other.owner_);
    return *this;
  }
  Message(const Message&) = delete;
  Message& operator=(const Message&) = delete;
  ~Message() {
    if (delivery_ != nullptr) owner_->give_back(delivery_);
  }

  int from() const { return delivery_->from; }
  /// For a program that knows its sender by that number.
  void know_sender_as(int rank) { delivery_->from = rank; }
  /// When it held the ports, where the network takes time.
  Time start() const { return delivery_->start; }
  Time end() const { return delivery_->end; }
  /// It has not come, and never does: the network loses messages for good
  /// (Faults::loses_for_good()). Its sender and the moment are what is known of it. A scheme that
  /// takes none such (StepOrder::takes_datagrams) gets none.
  bool lost() const { return delivery_->lost; }
  void lose() { delivery_->lost = true; }
  /// A number that the sender passed along free of charge: a version, a step.
  std::uint64_t tag() const { return delivery_->tag; }
  /// Aligned to nothing: what is not bytes is read by memcpy.
  std::span<const std::byte> bytes() const { return {delivery_->data, delivery_->size}; }
  Payload payload() const { return delivery_->payload; }
  /// The payload as the vector that was sent. Throws InternalError for an encoded one, and for one
  /// that is lost.
  ConstVector vector() const {
    require(!lost(), "a message that is lost is read");
    return delivery_->vector();
  }
  std::span<const float> floats() const { return vector().floats(); }
  /// REQUIRES: it carries a vector of that size and precision.
  void copy_to(Vector into) const {
    require(!lost(), "a message that is lost is read");
    delivery_->copy_to(into);
  }

 private:
  Delivery* delivery_;
  DeliveryReturn* owner_;
};

}  // namespace trainyard
