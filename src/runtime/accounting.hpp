// Where a rank's time goes, the same rule in both runtimes.
#pragma once

#include <algorithm>

#include "trainyard/runtime/rank.hpp"

namespace trainyard {

/// The run was ended by another rank's failure; unwinds this rank's program and is not reported.
struct RunAborted {};

/// A rank was blocked over [from, until] for a message that held the ports over [start, end].
inline void charge_blocked(RankAccount& account, Time from, Time until, Time start, Time end) {
  const Duration transfer =
      std::max(Duration{0}, std::min(until, end) - std::max(from, std::min(start, until)));
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
