// Schedules in GOAL, the language of LogGOPSim and ATLAHS (Hoefler, Siebert & Lumsdaine, ICPP
// 2009): what each rank computes, sends and receives, and what comes before what.
//
//   num_ranks 2
//   rank 0 {
//   l0: calc 3000
//   l1: send 1000b to 1 tag 7
//   l1 requires l0
//   }
//   rank 1 {
//   l0: recv 1000b from 0 tag 7
//   }
//
// A calc takes so many nanoseconds, one after another on a rank. A send is over as soon as it is
// given to the network, a recv when its message has arrived. An operation begins when all that it
// requires has ended and all that it irequires has begun. Costs of LogGOPSim that our network has
// not are 0: o, g and O. Its L is α, its G β, and no message waits for its receiver (S = ∞).
//
// Threads: any; these are functions of their arguments.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "trainyard/network/network.hpp"
#include "trainyard/network/transfer.hpp"

namespace trainyard {

struct GoalOperation {
  enum class Kind : std::uint8_t { calc, send, receive };

  Kind kind = Kind::calc;
  Duration length{0};       // of a calc
  std::uint64_t bytes = 0;  // of a message, and whom with
  int peer = 0;
  std::uint64_t tag = 0;
  std::string label{};                         // empty: it has none
  std::size_t line = 0;                        // of its file, from 1
  std::vector<std::size_t> after{}, beside{};  // of the rank's operations: requires, irequires
  /// Of a send and its receive: the other, among the peer's operations. They are matched by sender,
  /// receiver and tag, the first with the first.
  std::size_t match = 0;
};

struct GoalSchedule {
  std::string name;                               // of its file
  std::vector<std::vector<GoalOperation>> ranks;  // in the order of their lines
};

/// Whether it begins as a schedule does: "num_ranks", behind comments.
bool is_goal_schedule(std::string_view text);

/// `name` stands for the file. Throws UsageError: "FILE:LINE: what was found; what is accepted",
/// also for a message that is sent and not received, received and not sent, or not of one length.
GoalSchedule parse_goal_schedule(std::string_view text, const std::string& name);

struct GoalTimes {
  Time begun{-1}, ended{-1};  // of an operation
};

struct GoalReplay {
  std::vector<std::vector<GoalTimes>> operations;  // by rank, as in the schedule
  std::vector<Transfer> messages;                  // in the order of the posts
  Time until{0};                                   // when the last has ended
};

/// What it takes on this network, from the moment 0 on. What ranks begin in one moment is posted by
/// the lower rank first, and of a rank in the order of its lines. Throws UsageError where
/// operations wait for each other, naming one of them and what it waits for, and where it would
/// take longer than can be counted (106 days).
GoalReplay replay(const GoalSchedule& schedule, const Network& network);

}  // namespace trainyard
