// A line search for the strong Wolfe conditions (Nocedal & Wright, Numerical Optimization, 2nd
// edition, algorithms 3.5 and 3.6): along a direction that goes down, φ(α) = F(x + α d), it finds a
// step α with
//   φ(α) ≤ φ(0) + c₁ α φ'(0)     sufficient decrease
//   |φ'(α)| ≤ c₂ |φ'(0)|          curvature
// First steps grow until one is too long, then the interval shrinks about its lowest point: to the
// minimum of the cubic through both ends, and no nearer to one of them than a tenth of it; to its
// middle, where the trial before has not made it a third shorter (as in Moré & Thuente 1994).
//
// Close to an optimum a decrease of F is smaller than the rounding of F. There slopes, whose
// rounding is relative to themselves, take the place of values: for φ' (α) ≤ (2 c₁ − 1) φ'(0) a
// parabola decreases sufficiently (Hager & Zhang 2005, §1: the approximate Wolfe conditions).
//
// Threads: any; a function of its arguments.
#pragma once

#include <optional>

#include "trainyard/base/function_ref.hpp"

namespace trainyard {

/// φ at a step: its value and slope.
struct LinePoint {
  double step = 0.0, loss = 0.0, slope = 0.0;
};

struct WolfeRule {
  double decrease = 1e-4;  // c₁
  double curvature = 0.9;  // c₂
  /// Losses that differ from φ(0) by less than this, relative to it, are taken for equal to it.
  double rounding = 0.0;
  int most_trials = 25;
};

/// The first point of those tried that satisfies both conditions. Where most_trials have not
/// brought one: the lowest of them with sufficient decrease, tried once more; without one `start`.
/// Empty where `try_step` returns nothing, which ends the search. Losses and slopes that are not
/// finite count as too far. REQUIRES: start.step = 0, start.slope < 0, first_step > 0.
std::optional<LinePoint> wolfe_search(const WolfeRule& rule, const LinePoint& start,
                                      double first_step,
                                      FunctionRef<std::optional<LinePoint>(double step)> try_step);

}  // namespace trainyard
