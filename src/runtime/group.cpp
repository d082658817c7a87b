#include "trainyard/runtime/group.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "trainyard/base/error.hpp"

namespace trainyard {

namespace {

/// The place of `comm` among the members. Throws UsageError where they are no group of its workers.
int place_in(const std::vector<int>& members, const Communicator& comm) {
  for (const int member : members) {
    if (member < 0 || member >= comm.workers()) {
      throw UsageError(
          fmt::format("a group has rank {}; workers are 0 to {}", member, comm.workers() - 1));
    }
    if (std::ranges::count(members, member) > 1) {
      throw UsageError(fmt::format("a group has rank {} twice", member));
    }
  }
  const auto found = std::ranges::find(members, comm.rank());
  if (found == members.end()) {
    throw UsageError(fmt::format("rank {} is not of the group that it speaks to", comm.rank()));
  }
  return static_cast<int>(found - members.begin());
}

[[noreturn]] void refuse_anyone() {
  throw InternalError("in a group messages are received from one rank at a time");
}

}  // namespace

std::vector<int> ranks_from(int first, int apart, int count) {
  std::vector<int> ranks;
  ranks.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) ranks.push_back(first + i * apart);
  return ranks;
}

GroupCommunicator::GroupCommunicator(Communicator& inside, std::vector<int> members)
    : Communicator(place_in(members, inside), static_cast<int>(members.size()), 0,
                   inside.network()),
      inside_(inside),
      members_(std::move(members)) {}

/// In round k each tells the one 2ᵏ further and hears from the one 2ᵏ before: after the last round
/// it has heard of all, directly or through others.
void GroupCommunicator::barrier() {
  const int n = workers();
  for (int distance = 1; distance < n; distance *= 2) {
    send_control((rank() + distance) % n, 0);
    (void)receive((rank() + n - distance) % n);
  }
}

bool GroupCommunicator::await_message() {
  refuse_anyone();
}

std::optional<Message> GroupCommunicator::receive_any() {
  refuse_anyone();
}

std::optional<Message> GroupCommunicator::poll_any() {
  refuse_anyone();
}

void GroupCommunicator::post(int to, std::span<const std::byte> bytes, Payload payload,
                             std::uint64_t tag) {
  inside_.post(outside(to), bytes, payload, tag);
}

}  // namespace trainyard
