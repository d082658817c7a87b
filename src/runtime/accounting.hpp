// The accounting of a rank's time, by the same rule in both runtimes.
#pragma once

#include <algorithm>
#include <vector>

#include "trainyard/network/links.hpp"
#include "trainyard/network/network.hpp"
#include "trainyard/runtime/rank.hpp"
#include "trainyard/runtime/trace.hpp"

namespace trainyard {

class Switch;

/// The run was ended by another rank's failure; unwinds this rank's program and is not reported.
struct RunAborted {};

/// The part of a blocked time in which the message was on the wire; the rest is wait.
struct BlockedTime {
  Time transfer_from, transfer_until;
};

/// A rank was blocked over [from, until] for a message that held the ports over [start, end].
inline BlockedTime split_blocked(Time from, Time until, Time start, Time end) {
  const Time begin = std::max(from, std::min(start, until));
  return {begin, std::max(begin, std::min(until, end))};
}

inline void charge_blocked(RankAccount& account, Time from, Time until, Time start, Time end) {
  const BlockedTime split = split_blocked(from, until, start, end);
  const Duration transfer = split.transfer_until - split.transfer_from;
  account.transfer += transfer;
  account.wait += (until - from) - transfer;
}

/// Whether a message of so many bytes shows in the counts of messages: control traffic only where
/// it is charged, as barriers.
inline bool is_counted(const Network& network, std::size_t bytes) {
  return bytes > 0 || network.charge_control;
}

// A message of that network; what stays within a machine is no traffic.
inline void count_sent(RankAccount& account, const Network& network, const Links& links, int from,
                       int to, std::size_t bytes) {
  if (links.within_machine(from, to)) return;
  if (is_counted(network, bytes)) ++account.messages_sent;
  account.bytes_sent += bytes;
}
inline void count_received(RankAccount& account, const Network& network, const Links& links,
                           int from, int to, std::size_t bytes) {
  if (links.within_machine(from, to)) return;
  if (is_counted(network, bytes)) ++account.messages_received;
  account.bytes_received += bytes;
}

/// The report of a run whose rank i ended at ended[i]. What was neither transfer nor wait was
/// computing, and a rank that ended early waits for the others.
RuntimeReport closed_report(std::vector<RankAccount> accounts, const std::vector<Time>& ended);

/// Ends a recording: messages that nobody waited for, still on their way, are recorded too.
void finish_recording(TraceRecorder& recorder, Switch& network, const std::vector<Time>& ended);

}  // namespace trainyard
