// The bandwidth at which workers compute for a given share of their time, the rest of which they
// wait for each other (Douillard et al. 2025, "Streaming DiLoCo", whose Table 4 it repeats).
//
// n workers compute a step in c. Every H steps they sum the model of S bytes around a ring, in P
// fragments that take turns, so that S/P is summed every H/P steps; and they go on for τ steps
// while a fragment is on its way. The sum begins as soon as there is something of it, during the
// backward pass, which is two thirds of a step. What is hidden behind none of that they wait for:
//
//   2(n−1)(α + S/(PnB)) = (H/P) c (1/u − 1) + ⅔ c + τ c
//
// with u the share of the time in which they compute; solved for B. H = P = 1, τ = 0 is data
// parallelism with overlap, P = 1, τ = 0 DiLoCo and local SGD. It is on paper: layers are many
// and alike, and a fragment's sum does not meet the next one's.
//
// Threads: any; a function of its arguments.
#pragma once

#include <optional>

namespace trainyard {

struct ShareTask {
  int workers = 2;         // n ≥ 1
  double bytes = 0.0;      // S > 0, as they are sent
  double compute_s = 0.0;  // c > 0
  double latency_s = 0.0;  // α ≥ 0
};

struct Meetings {
  double period = 1.0;     // H ≥ 1, steps
  double fragments = 1.0;  // P ≥ 1
  double delay = 0.0;      // τ ≥ 0, steps
};

/// Bytes a second of each port, 0 of one worker. Empty where latency alone takes longer than may be
/// waited. REQUIRES: 0 < share < 1, u above.
std::optional<double> bandwidth_for_share(const ShareTask& task, const Meetings& meetings,
                                          double share);

}  // namespace trainyard
