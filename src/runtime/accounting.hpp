// Where a rank's time goes, the same rule in both runtimes.
#pragma once

#include <algorithm>

#include "trainyard/runtime/rank.hpp"

namespace trainyard {

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

/// Completes an account: what was neither transfer nor wait was computing, and a rank that ended
/// early waits for the others.
inline RankAccount closed_account(RankAccount account, Time ended, Time run_ended) {
  account.compute = ended - account.transfer - account.wait;
  account.wait += run_ended - ended;
  return account;
}

}  // namespace trainyard
