#include "scheme/wolfe_search.hpp"

#include <algorithm>
#include <cmath>

#include "trainyard/base/error.hpp"

namespace trainyard {

namespace {

/// The strong Wolfe conditions for points on one line.
class Conditions {
 public:
  Conditions(const WolfeRule& rule, const LinePoint& start) : rule_(rule), start_(start) {}

  bool decreases(const LinePoint& at) const {
    if (!std::isfinite(at.loss) || !std::isfinite(at.slope)) return false;
    if (is_flat(at)) return at.slope <= (2.0 * rule_.decrease - 1.0) * start_.slope;
    return at.loss <= start_.loss + rule_.decrease * at.step * start_.slope;
  }
  bool curves(const LinePoint& at) const {
    return std::abs(at.slope) <= rule_.curvature * std::abs(start_.slope);
  }
  /// REQUIRES: both decrease, or are the start.
  bool is_lower(const LinePoint& at, const LinePoint& than) const {
    return is_flat(at) && is_flat(than) ? at.slope <= 0.0 : at.loss < than.loss;
  }

  /// Between the lowest point so far and another one, which is too far. In the middle, where the
  /// interval has become hardly shorter since it was `last_width`.
  double inside(const LinePoint& low, const LinePoint& far, double last_width) const {
    const double width = far.step - low.step;
    const double part = (minimum(low, far) - low.step) / width;
    const bool halve = std::abs(width) > 0.66 * last_width || !std::isfinite(part);
    return low.step + width * (halve ? 0.5 : std::clamp(part, 0.1, 0.9));
  }
  /// Beyond the lowest point so far, which is too near, as the one before it was: where the slope
  /// would be zero if it went on changing as it did.
  static double beyond(const LinePoint& low, const LinePoint& before) {
    const double secant =
        low.step - low.slope * (low.step - before.step) / (low.slope - before.slope);
    const bool rises = low.slope > before.slope && std::isfinite(secant);
    return rises ? std::clamp(secant, 2.0 * low.step, 10.0 * low.step) : 10.0 * low.step;
  }

 private:
  bool is_flat(const LinePoint& at) const {
    return std::abs(at.loss - start_.loss) <= rule_.rounding * std::abs(start_.loss);
  }
  /// The minimum of the cubic with these values and slopes (Nocedal & Wright, eq. 3.59), or of the
  /// parabola with these slopes where the values say nothing.
  double minimum(const LinePoint& low, const LinePoint& far) const {
    const double width = far.step - low.step;
    if (is_flat(low) && is_flat(far)) {
      return low.step - low.slope * width / (far.slope - low.slope);
    }
    const double d1 = low.slope + far.slope - 3.0 * (far.loss - low.loss) / width;
    const double d2 = std::copysign(std::sqrt(d1 * d1 - low.slope * far.slope), width);
    return far.step - width * (far.slope + d2 - d1) / (far.slope - low.slope + 2.0 * d2);
  }

  const WolfeRule& rule_;
  const LinePoint& start_;
};

}  // namespace

std::optional<LinePoint> wolfe_search(const WolfeRule& rule, const LinePoint& start,
                                      double first_step,
                                      FunctionRef<std::optional<LinePoint>(double step)> try_step) {
  require(start.step == 0.0 && start.slope < 0.0 && first_step > 0.0,
          "a line search goes down from its start");
  const Conditions conditions(rule, start);
  LinePoint low = start;
  std::optional<LinePoint> far;  // the minimum lies between `low` and it
  double step = first_step, last_width = INFINITY;
  for (int trial = 0; trial < rule.most_trials; ++trial) {
    const std::optional<LinePoint> at = try_step(step);
    if (!at) return std::nullopt;
    const bool decreases = conditions.decreases(*at);
    if (decreases && conditions.curves(*at)) return at;
    if (!decreases || !conditions.is_lower(*at, low)) {
      far = at;
    } else {
      const LinePoint before = low;
      low = *at;
      const bool turns = far ? low.slope * (far->step - before.step) >= 0.0 : low.slope >= 0.0;
      if (turns) far = before;
      if (!far) {
        step = Conditions::beyond(low, before);
        continue;
      }
    }
    step = conditions.inside(low, *far, last_width);
    last_width = std::abs(far->step - low.step);
  }
  return low.step == 0.0 ? low : try_step(low.step);
}

}  // namespace trainyard
