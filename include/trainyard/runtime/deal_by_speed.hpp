// How the rows of each step are divided among workers by how fast they are (--deal speed).
//
//   DealBySpeed deal(workers, rows_of_a_step, state);
//   const auto [first, count] = deal.portion(rank, step);  // of the step's rows, which all know
//
// Threads: made by one; then portion() is called by all workers, each for itself, at any time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <span>
#include <vector>

#include "trainyard/runtime/rank.hpp"
#include "trainyard/runtime/run_state.hpp"

namespace trainyard {

/// Whole parts of `rows` in proportion to `speeds`, by the largest remainders; at least 1 each.
/// REQUIRES: speeds are finite and > 0, and as many as rows or fewer.
std::vector<std::size_t> in_proportion(std::span<const double> speeds, std::size_t rows);

/// x_i ∝ v_i, Σ x_i = X: the workload of worker i among those of a step that has X rows, v_i its
/// speed (LB-BSP: Chen, Weng, Wang, Li & Li, SoCC 2020, section 3). deal_by_speed.cpp says how
/// speeds are measured, and when they are looked at anew.
class DealBySpeed {
 public:
  struct Portion {
    std::size_t first = 0, count = 0;
  };

  /// Goes on from what another leg of the run left in `state`; else portions begin equal, the
  /// longer ones first. REQUIRES: 0 < workers ≤ rows_of_step.
  DealBySpeed(int workers, std::size_t rows_of_step, RunState& state);

  /// Of that step's rows, those of the rank, a worker; at least one. Portions of a step have no row
  /// twice and leave none out. REQUIRES: a worker's steps go up.
  Portion portion(Rank& rank, std::uint64_t step);
  /// Into `state`, for the next leg. REQUIRES: the worker asks no more.
  void put_down(int worker, RunState& state) const;

 private:
  static constexpr std::size_t most_timed = 15;                // steps of a stretch
  static constexpr std::size_t kept_numbers = 8 + most_timed;  // as put_down() has them

  /// For steps before `end`.
  struct Division {
    std::uint64_t end = 0;
    std::vector<std::size_t> firsts;  // of each worker, and behind the last
  };
  struct alignas(64) Share {
    Portion portion;
    std::uint64_t end = 0,
                  stride = 1;    // of the steps for which it has that, and how many are timed
    double seconds_a_row = 0.0;  // 0: not known yet
    bool timing = false;         // the step that it was asked for last, which began
    Duration busy{0};            // then
    std::size_t timed = 0;       // steps, and what a row of them took, in seconds:
    std::array<double, most_timed> took{};
  };

  Division divided(std::uint64_t step) const;
  std::uint64_t steps_of_next() const;
  static void time(Share& share, std::uint64_t step, Rank& rank);
  static void look(Share& share);
  void renew(std::size_t worker, std::uint64_t step);

  const std::size_t rows_of_step_;
  // Each worker's own is read by that without the mutex, and written and read by others with it.
  std::vector<Share> shares_;
  std::mutex mutex_;
  std::map<std::uint64_t, Division> divisions_;  // by their first steps
};

}  // namespace trainyard
