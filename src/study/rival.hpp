// Runs to a target, tried one after the other: when another one can no longer be the first, or is
// so far behind that it is given up.
//
// Threads: any; functions of their arguments.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "trainyard/run/target.hpp"

namespace trainyard {

/// How far from the target it was at that time, between two evaluations on their straight line;
/// later than the last one as far as that.
double distance_at(const Target& target, std::span<const Metrics> metrics, double seconds);

/// The best step size so far, with all seeds: with one of them it may be lucky, or unlucky.
struct Rival {
  Target target;
  std::vector<std::vector<Metrics>> curves;  // of each seed; none where nobody is given up
  std::optional<double> arrival{};           // mean over seeds; empty unless there with all
  double until = 0.0;                        // when a run has to be there, if the rival is
};

/// How far from the target the furthest seed was at that time; at the target or beyond it 0.
double furthest_at(const Rival& rival, double seconds);

/// Whether a run with these evaluations need not go on. To be called at each of them.
///
/// Where the rival is there: one that is not there in time, or whose own arrival is later.
///
/// Given up before: at the first evaluation after 3/4 of the rival's way to the target, or of its
/// runs where it is not there, if it is more than three times as far off as the rival's furthest
/// seed was then. Over 100 targets (bench/tuning.py --targets) looking after 1/2 of the way would
/// save a seventieth of the work, and miss the best step size by more than 5 % of the time in seven
/// of them instead of two.
bool need_not_go_on(const Rival& rival, std::span<const Metrics> metrics);

}  // namespace trainyard
