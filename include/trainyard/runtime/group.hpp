// Some of the workers as if they were all: whatever is written over a Communicator, such as an
// all-reduce, is done among them alone. Other groups may do the same at the same time.
//
//   GroupCommunicator twins(worker.comm(), {1, 3, 5});  // of rank 3: rank 1 of 3 workers
//   ring_sum(twins, gradient);
//
// Threads: as of the communicator inside, whose rank alone calls it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "trainyard/runtime/communicator.hpp"

namespace trainyard {

/// first, first + apart, first + 2 · apart, …: so many.
std::vector<int> ranks_from(int first, int apart, int count);

class GroupCommunicator final : public Communicator {
 public:
  /// Member i is rank i of the group, which has no servers. `inside` outlives it. Throws UsageError
  /// where the rank of `inside` is not among them, or one of them is named twice or is no worker.
  GroupCommunicator(Communicator& inside, std::vector<int> members);

  /// The rank that member `member` has outside of the group, which is also that of Message::from().
  int outside(int member) const { return members_[static_cast<std::size_t>(member)]; }

  Message receive(int from) override { return inside_.receive(outside(from)); }
  std::uint64_t receive_into(int from, Vector into) override {
    return inside_.receive_into(outside(from), into);
  }
  void receive_add(int from, Vector sum) override { inside_.receive_add(outside(from), sum); }
  std::optional<Message> poll(int from) override { return inside_.poll(outside(from)); }
  void lend(int to, ConstVector payload) override { inside_.lend(outside(to), payload); }
  void reclaim(bool in_distress) noexcept override { inside_.reclaim(in_distress); }
  /// A barrier of the group: ⌈log2 n⌉ control messages from each member (Hensgen, Finkel & Manber
  /// 1988).
  void barrier() override;

  // Messages from anyone may be those of ranks outside: these throw InternalError.
  bool await_message() override;
  std::optional<Message> receive_any() override;
  std::optional<Message> poll_any() override;

 protected:
  void post(int to, std::span<const std::byte> bytes, Payload payload, std::uint64_t tag) override;

 private:
  Communicator& inside_;
  std::vector<int> members_;
};

}  // namespace trainyard
