// The messages of a scheme, as MPI carries them. One is one MPI message of its bytes; what it
// carries and its tag are MPI's tag, where that has room, and else eight bytes before the others.
//
// Threads: the main one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "trainyard/base/aligned_buffer.hpp"
#include "trainyard/runtime/message.hpp"

#include "runtime/mpi/member.hpp"

namespace trainyard::mpi {

/// The kind and tag of a message that is there.
struct Label {
  Payload payload = Payload::control;
  std::uint64_t tag = 0;
  bool tag_is_in_front = false;  // of its bytes
};

class Mail final : private DeliveryReturn {
 public:
  Mail(Connection& connection, Member& member) : connection_(connection), member_(member) {}

  /// Copies the bytes.
  void send(int to, std::span<const std::byte> bytes, Payload payload, std::uint64_t tag);
  /// They must not change until reclaim() is true.
  void lend(int to, std::span<const std::byte> bytes, Payload payload);
  /// All that was lent has been sent.
  bool is_reclaimed();
  /// No message comes from this rank any more. Told to everyone.
  void tell_end();

  /// The next message by `from`, which may be MPI_ANY_SOURCE, if one is there.
  std::optional<Matched> match(int from);
  /// Whether there is a message, which is left where it is.
  bool has_any();
  /// Receives it, read in place.
  Message take(Matched matched);
  /// A message of which not all bytes may be here yet.
  struct Coming {
    Matched matched;
    Delivery* delivery = nullptr;
    MPI_Request request = MPI_REQUEST_NULL;
  };
  Coming begin_to_take(Matched matched);
  static bool is_here(Coming& coming);
  /// REQUIRES: it is here.
  Message take(const Coming& coming);
  /// Receives it into `into`, and returns its tag. REQUIRES: it carries a vector of that size and
  /// precision.
  std::uint64_t take_into(Matched matched, Vector into);

  bool has_ended(int rank) const { return ended_[static_cast<std::size_t>(rank)]; }
  int workers_ended(int workers) const;

  /// Receives what nobody will read. True when nothing of one's own is on its way any more. Throws
  /// std::bad_alloc where there is no room, and may be called again.
  bool drain();

 private:
  struct Outgoing {
    MPI_Request request = MPI_REQUEST_NULL;
    AlignedBuffer<std::byte> storage;
  };
  struct Incoming : Delivery {
    AlignedBuffer<std::byte> storage;
  };

  void give_back(Delivery* delivery) override;
  void recycle();
  static std::span<std::byte> room_in(AlignedBuffer<std::byte>& storage, std::size_t bytes);
  Incoming& room_for(const Matched& matched);
  Message message_in(Incoming& in, const Matched& matched);
  void receive(Matched& matched, std::span<std::byte> into);

  Connection& connection_;
  Member& member_;
  std::deque<std::unique_ptr<Outgoing>> on_their_way_;
  std::vector<std::unique_ptr<Outgoing>> to_send_in_;
  std::vector<std::unique_ptr<Incoming>> incoming_;  // all
  std::vector<Incoming*> to_receive_in_;
  std::vector<MPI_Request> lent_;
  std::optional<Matched> seen_;  // by has_any(), or there was no room for it
  std::vector<bool> ended_ = std::vector<bool>(static_cast<std::size_t>(connection_.size()));
};

}  // namespace trainyard::mpi
