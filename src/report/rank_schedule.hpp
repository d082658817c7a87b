// What a rank of a timeline does, and what each task waits for: as GOAL (goal_text.hpp) and Chakra
// (chakra_trace.hpp) have it.
//
// What a rank does next begins after what it computed, and after every message that had arrived by
// then; of what it waited for otherwise, as a message without bytes that is free, the rest is
// computing, too. Messages of a rank begin in their order. So the schedule is what one run did: of
// an asynchronous scheme, whose messages would come in another order on another network, it is one
// order of many.
//
// Threads: any; functions of their arguments.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "trainyard/analysis/timeline.hpp"

namespace trainyard {

struct ScheduledTask {
  enum class Kind : std::uint8_t { receive, send, compute };
  static constexpr int none = -1;

  Kind kind = Kind::compute;
  const Transfer* message = nullptr;  // that is received or sent; its id is its tag
  Time from{0}, until{0};             // of computing
  std::vector<int> after{};           // the tasks, by their places, that have ended before
  int behind = none;                  // of a message: the one that this rank began before
};

/// First what it receives, in the order of arrival, and then what it begins, in the order of its
/// time.
std::vector<ScheduledTask> rank_schedule(int rank, const Trace& trace);

/// Throws UsageError, beginning with `flag`, where a message with bytes takes no time, as a
/// schedule has no order for what happens in one moment, and where one is lost for good, as who
/// waits for it there waits for ever.
void check_messages(const Trace& trace, std::string_view flag);

}  // namespace trainyard
