// What a rank receives.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "trainyard/base/aligned_buffer.hpp"
#include "trainyard/base/error.hpp"
#include "trainyard/base/units.hpp"
#include "trainyard/base/vector.hpp"

namespace trainyard {

/// A message on its way, with its payload or the place where that lies. Envelopes are used again:
/// in the steady state of a run none is allocated.
struct alignas(64) Envelope {
  // All that the receiver reads, on one cache line. The first two are for `wall`.
  std::atomic<bool> delivered{false};  // it is the receiver's; else the sender's
  Scalar scalar = Scalar::float32;     // of its payload, if that is a vector
  Envelope* next = nullptr;            // where the sender's next message will be
  int from = 0, to = 0;
  std::uint64_t tag = 0;
  const std::byte* data = nullptr;
  std::size_t size = 0;   // payload bytes
  Time start{0}, end{0};  // when it occupied the ports; set by the switch

  AlignedBuffer<std::byte> storage;
  std::uint64_t uses = 0;  // counted by the sender

  /// Copies `payload` in; allocates only when it is larger than any before.
  void fill(std::span<const std::byte> payload);
  ConstVector vector() const {
    require(size % bytes_of(scalar) == 0, "this message carries no vector");
    return {scalar, data, size / bytes_of(scalar)};
  }
  /// REQUIRES: it carries a vector of that size and precision.
  void copy_to(Vector into) const;
};

/// Who takes an envelope back when its message has been read.
class EnvelopeReturn {
 public:
  virtual void give_back(Envelope* envelope) = 0;

 protected:
  ~EnvelopeReturn() = default;
};

/// A received message: read in place, given back when it goes out of scope.
class Message {
 public:
  Message(Envelope* envelope, EnvelopeReturn* owner) : envelope_(envelope), owner_(owner) {}
  Message(Message&& other) noexcept
      : envelope_(std::exchange(other.envelope_, nullptr)), owner_(other.owner_) {}
  Message& operator=(Message&& other) noexcept {
    std::swap(envelope_, other.envelope_);
    std::swap(owner_, other.owner_);
    return *this;
  }
  Message(const Message&) = delete;
  Message& operator=(const Message&) = delete;
  ~Message() {
    if (envelope_ != nullptr) owner_->give_back(envelope_);
  }

  int from() const { return envelope_->from; }
  /// When it held the ports, where the network takes time.
  Time start() const { return envelope_->start; }
  Time end() const { return envelope_->end; }
  /// What the sender passed along free of charge: a version, a step number.
  std::uint64_t tag() const { return envelope_->tag; }
  std::span<const std::byte> bytes() const { return {envelope_->data, envelope_->size}; }
  /// The payload as the vector that was sent.
  ConstVector vector() const { return envelope_->vector(); }
  std::span<const float> floats() const { return vector().floats(); }
  /// REQUIRES: it carries a vector of that size and precision.
  void copy_to(Vector into) const { envelope_->copy_to(into); }

 private:
  Envelope* envelope_;
  EnvelopeReturn* owner_;
};

}  // namespace trainyard
