// How far the steady clocks of processes are apart. Those of one host are one clock; those of two
// hosts began when each was started.
//
// A process asks another for its time, and knows that the answer was given between its asking and
// its hearing (Cristian, Distributed Computing 3:146, 1989): one round bounds the offset from both
// sides, as far apart as the round took, and of many rounds the bounds are intersected.
//
// Threads: the main one of each process.
#pragma once

#include <cstdint>
#include <span>

#include "trainyard/base/function_ref.hpp"
#include "trainyard/runtime/rank.hpp"

#include "runtime/mpi/connection.hpp"

namespace trainyard::mpi {

/// The steady clock of this process, in nanoseconds.
std::int64_t steady_ns();
/// By that clock, when the run began of which a leg begins now.
std::int64_t began_ns(const Begun& begun);

/// In nanoseconds: asked and heard by one's own clock, answered by the other's.
struct ClockRound {
  std::int64_t asked = 0, answered = 0, heard = 0;
};

/// The other clock is ahead of one's own by this much, to within so much.
struct ClockOffset {
  std::int64_t ahead_ns = 0;
  std::int64_t within_ns = 0;
};

/// The larger offset and the wider bounds of both.
ClockOffset wider(const ClockOffset& a, const ClockOffset& b);

/// 0 ahead where that is within the bounds: then they are one clock, as far as can be told.
/// REQUIRES: there are rounds.
ClockOffset offset_from(std::span<const ClockRound> rounds);

/// The offset of the switch's clock, as a rank sees it. Called by all ranks, while the switch calls
/// answer_clocks(). `wait_until` waits until what it is given says true, and may throw.
ClockOffset measure_clock(Connection& connection,
                          FunctionRef<void(FunctionRef<bool()>)> wait_until);
/// One rank at a time, so that none waits for another's answer.
void answer_clocks(Connection& connection, FunctionRef<void(FunctionRef<bool()>)> wait_until);

}  // namespace trainyard::mpi
