// Shows what a network does with a handful of messages: the examples of the logical switch
// (catalogue §1.1-1.2), a list of messages, one collective, or a few steps of a scheme.
//
// Threads: the calling one, and those that the run starts, which have ended when it returns. An
// exception of any rank ends the others and is rethrown.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "trainyard/configuration/options.hpp"
#include "trainyard/network/goal_schedule.hpp"
#include "trainyard/network/message_list.hpp"
#include "trainyard/network/network.hpp"
#include "trainyard/run/microbatches.hpp"
#include "trainyard/runtime/trace.hpp"

namespace trainyard {

/// Of a schedule that was replayed.
struct RankTime {
  Time ended{0};  // the last of what it does
  Duration computed{0};
};

struct Timeline {
  std::string title;
  std::string detail;   // of the network and of what is computed
  Duration latency{0};  // of the network
  double bytes_per_second = 0.0;
  std::vector<std::string> names;  // of the ranks
  /// Without spans where there are only messages and no programs that send them.
  Trace trace;
  std::vector<RankTime> rank_times{};          // empty: it was no schedule
  std::optional<Microbatches> microbatches{};  // of its messages, of a pipeline

  /// From the beginning of the clock, or the first post of a list, until all is done.
  Duration makespan() const { return trace.until - trace.from; }
};

/// Beyond so many workers nobody can read it.
inline constexpr int most_timeline_workers = 64;

struct TimelineExample {
  std::string name;  // "example-1.1"
  std::string summary;
  Timeline (*draw)(const Network& network);
};

/// The visible table of examples.
const std::vector<TimelineExample>& timeline_examples();

/// The examples' network: 1.5 s a message and 5 s a megabyte.
Network textbook_network();

/// `what` is an example, a scheme or system, as in a comparison ("gossip:torus",
/// "local-sgd{period=4}"), a collective, or a file, looked for in this order: a schedule in GOAL
/// (goal_schedule.hpp), which has the network of schemes, or a list of messages
/// (read_message_list()), which has that of examples.
/// `settings`: options that are not as prepared. Throws UsageError for anything else, and for
/// settings that have no effect on it.
Timeline make_timeline(const std::string& what, const std::vector<OptionText>& settings = {});

Timeline timeline_of_schedule(const GoalSchedule& schedule, const Network& network);
Timeline timeline_of_messages(std::string title, std::span<const PreparedMessage> messages,
                              const Network& network);

}  // namespace trainyard
