#include "runtime/mpi/clocks.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <limits>

#include "trainyard/base/error.hpp"

namespace trainyard::mpi {

namespace {

/// 5 µs each where processes have cores of their own. Where they share cores one round in a few is
/// not interrupted.
constexpr std::size_t rounds = 32;

}  // namespace

std::int64_t began_ns(const Begun& begun) {
  return steady_ns() - std::chrono::duration_cast<std::chrono::nanoseconds>(begun.at).count();
}

std::int64_t steady_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

ClockOffset wider(const ClockOffset& a, const ClockOffset& b) {
  return {std::max(std::abs(a.ahead_ns), std::abs(b.ahead_ns)), std::max(a.within_ns, b.within_ns)};
}

ClockOffset offset_from(std::span<const ClockRound> rounds) {
  require(!rounds.empty(), "clocks are compared in at least one round");
  std::int64_t least = std::numeric_limits<std::int64_t>::min();
  std::int64_t most = std::numeric_limits<std::int64_t>::max();
  for (const ClockRound& round : rounds) {
    least = std::max(least, round.answered - round.heard);
    most = std::min(most, round.answered - round.asked);
  }
  if (least <= 0 && most >= 0) return {0, std::max(-least, most)};
  // If clocks have drifted apart meanwhile, the bounds may cross.
  return {least + (most - least) / 2, (std::abs(most - least) + 1) / 2};
}

ClockOffset measure_clock(Connection& connection,
                          FunctionRef<void(FunctionRef<bool()>)> wait_until) {
  const int other = connection.switch_rank();
  std::int64_t answer = 0;
  const auto answered = [&] {
    return connection.take(other, Record::clock, std::as_writable_bytes(std::span(&answer, 1)))
        .has_value();
  };
  wait_until(answered);  // its turn
  std::array<ClockRound, rounds> measured;
  for (ClockRound& round : measured) {
    round.asked = steady_ns();
    connection.pass(other, Record::clock, std::as_bytes(std::span(&round.asked, 1)));
    wait_until(answered);
    round.heard = steady_ns();
    round.answered = answer;
  }
  return offset_from(measured);
}

void answer_clocks(Connection& connection, FunctionRef<void(FunctionRef<bool()>)> wait_until) {
  for (int rank = 0; rank < connection.ranks(); ++rank) {
    std::int64_t time = 0;
    const auto bytes = std::as_writable_bytes(std::span(&time, 1));
    connection.pass(rank, Record::clock, bytes);
    for (std::size_t round = 0; round < rounds; ++round) {
      wait_until([&] { return connection.take(rank, Record::clock, bytes).has_value(); });
      time = steady_ns();
      connection.pass(rank, Record::clock, bytes);
    }
  }
}

}  // namespace trainyard::mpi
