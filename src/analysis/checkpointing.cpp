#include "trainyard/analysis/checkpointing.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "trainyard/base/error.hpp"

namespace trainyard {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// −ln(1 − y) − y of y in [0, 1). The series y²/2 + y³/3 + … where the difference would lose
/// digits.
double excess(double y) {
  if (y > 0.25) return -std::log1p(-y) - y;
  double sum = 0.0, power = y * y;
  for (int k = 2; power > 1e-18 * sum; ++k) {
    sum += power / k;
    power *= y;
  }
  return sum;
}

/// The root of excess(y) = d. Near −1/e, where d is small, −e^{−1−d} keeps none of its digits, so
/// the equation is solved for y = 1 + W and not for W. It is convex: from above Newton's steps come
/// down to the root, and rounding ends them.
double root_near_branch_point(double d) {
  if (d < 1e-32) return std::sqrt(2.0 * d);  // the next term, 2d/3, is below its last digit
  double y = std::min(std::sqrt(2.0 * d), 0.9);
  for (int i = 0; i < 64; ++i) {
    const double next = y - (excess(y) - d) * (1.0 - y) / y;
    if (!(next < y)) break;
    y = next;
  }
  require(std::abs(excess(y) - d) <= 1e-13 * d, "Newton's method finds W₀");
  return y;
}

/// 1 − w with w e^{−w} = e^{−1−d}. Far from the branch point w, which is −W, is small.
double root_far_from_branch_point(double d) {
  const double x = std::exp(-1.0 - d);
  double w = x;
  for (int i = 0; i < 8; ++i) w -= (w - x * std::exp(w)) / (1.0 - w);
  require(std::abs(w - x * std::exp(w)) <= 1e-15, "Newton's method finds W₀");
  return 1.0 - w;
}

/// 1 + W₀(−e^{−1−d}) of d ≥ 0.
double one_plus_lambert(double d) {
  return d < 1.0 ? root_near_branch_point(d) : root_far_from_branch_point(d);
}

/// T_w/T_s as e^{R/M} · (e^a − 1)/a · (1 + δ/τ) with a = (τ+δ)/M, none of which loses digits where
/// M is long.
double expected_factor(const CheckpointTask& task, double interval_s) {
  const double restarts = std::exp(task.restart_s / task.mtbf_s);
  if (interval_s == 0.0) return task.checkpoint_s == 0.0 ? restarts : infinity;
  const double a = (interval_s + task.checkpoint_s) / task.mtbf_s;
  const double grown = std::expm1(a);
  if (std::isinf(grown)) return infinity;
  return restarts * (a > 0.0 ? grown / a : 1.0) * (1.0 + task.checkpoint_s / interval_s);
}

}  // namespace

double mtbf_of_all(const WorkerFailures& each) {
  return each.mtbf_s / each.workers;
}

double young_interval(const CheckpointTask& task) {
  return std::sqrt(2.0 * task.checkpoint_s) * std::sqrt(task.mtbf_s);
}

double daly_interval(const CheckpointTask& task) {
  const double half = 0.5 * task.checkpoint_s / task.mtbf_s;  // δ/2M
  if (half >= 1.0) return task.mtbf_s;
  return young_interval(task) * (1.0 + std::sqrt(half) / 3.0 + half / 9.0) - task.checkpoint_s;
}

double optimal_interval(const CheckpointTask& task) {
  return task.mtbf_s * one_plus_lambert(task.checkpoint_s / task.mtbf_s);
}

CheckpointedRun checkpointed(const CheckpointTask& task, double interval_s) {
  const double segment_s = std::min(interval_s, task.run_s.value_or(infinity));
  CheckpointedRun run;
  run.interval_s = interval_s;
  run.factor = expected_factor(task, segment_s);
  run.work_share = 1.0 / run.factor;
  if (task.checkpoint_s > 0.0 && segment_s > 0.0) {
    run.checkpoint_share = task.checkpoint_s / segment_s / run.factor;
  }
  run.lost_share = std::max(0.0, 1.0 - run.work_share - run.checkpoint_share);
  if (task.run_s) {
    run.expected_s = run.factor * *task.run_s;
    run.failures = *run.expected_s / task.mtbf_s;
  }
  return run;
}

// T_w is convex in τ, so that no other whole number is better than both of those.
CheckpointedSteps checkpointed_steps(const CheckpointTask& task, double step_s) {
  require(step_s > 0.0, "a step takes time");
  constexpr double most = 9007199254740992.0;  // 2⁵³, up to which doubles count by one
  double highest = most;
  if (task.run_s) highest = std::clamp(std::ceil(*task.run_s / step_s), 1.0, most);
  const double wanted = optimal_interval(task) / step_s;
  const auto with = [&](double steps) {
    const double whole = std::clamp(steps, 1.0, highest);
    return CheckpointedSteps{static_cast<std::uint64_t>(whole), checkpointed(task, whole * step_s)};
  };
  const CheckpointedSteps fewer = with(std::floor(wanted)), more = with(std::ceil(wanted));
  return more.run.factor < fewer.run.factor ? more : fewer;
}

}  // namespace trainyard
