// The messages between the ranks of an emulated network and the process of its switch, and what
// follows from them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "trainyard/base/units.hpp"

#include "runtime/mpi/clocks.hpp"
#include "runtime/mpi/connection.hpp"

namespace trainyard::mpi {

/// By its sender: a message is at the end of the queue of its send port.
struct Posted {
  std::int32_t from = 0, to = 0;
  std::uint64_t bytes = 0;
  Time at{0};
};

/// To its receiver: the next message of that sender holds the ports from `start` on, and has
/// arrived at `end`, if it is not lost for good.
struct Started {
  std::int32_t from = 0;
  bool lost = false;
  Time start{0}, end{0};
};

void tell_posted(Connection& connection, const Posted& posted);
std::optional<Posted> hear_posted(Connection& connection);
void tell_started(Connection& connection, int to, const Started& started);
std::optional<Started> hear_started(Connection& connection);

/// How well the machine kept up with the network that it emulates: one process's part, or all.
struct EmulationReport {
  std::uint64_t messages = 0;         // by the switch: that take time
  Duration longest_moved{0};          // by the switch: one was posted so much later than it was
  std::uint64_t waited_for = 0;       // by a rank: before they arrived
  Duration late{0}, longest_late{0};  // those came so much later than they arrived: sum, and worst

  void add(const EmulationReport& other);
};

/// A line for people; `widest`: of all ranks' clocks, the largest offset and the widest bounds.
std::string emulation_text(const EmulationReport& of_all, const ClockOffset& widest,
                           const std::string& host_of_switch);

}  // namespace trainyard::mpi
