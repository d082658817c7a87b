// The line search, on functions made to be hard for one (Moré & Thuente 1994, §5).
#include "scheme/wolfe_search.hpp"

#include <cmath>
#include <functional>

#include "support/catch.hpp"

using namespace trainyard;

namespace {

struct Line {
  std::function<double(double)> value, slope;

  LinePoint at(double step) const { return {step, value(step), slope(step)}; }
};

/// Moré & Thuente's φ₁ (eq. 5.1) with β = 2: a minimum at √2, after which it rises slowly.
Line rises_slowly() {
  return {[](double a) { return -a / (a * a + 2.0); },
          [](double a) { return (a * a - 2.0) / std::pow(a * a + 2.0, 2); }};
}
/// Their φ₂ (eq. 5.2) with β = 0.004: goes down almost straight to a sharp bend at 1.6.
Line bends_sharply() {
  return {[](double a) { return std::pow(a + 0.004, 5) - 2.0 * std::pow(a + 0.004, 4); },
          [](double a) { return 5.0 * std::pow(a + 0.004, 4) - 8.0 * std::pow(a + 0.004, 3); }};
}
/// Their φ of eq. 5.4 (Yanai, Ozawa & Kaneko) with β₁ = 0.001, β₂ = 0.01.
Line flat_with_a_corner() {
  const auto gamma = [](double beta) { return std::sqrt(1.0 + beta * beta) - beta; };
  const double g1 = gamma(0.001), g2 = gamma(0.01);
  return {[=](double a) {
            return g1 * std::sqrt(std::pow(1.0 - a, 2) + 1e-4) + g2 * std::sqrt(a * a + 1e-6);
          },
          [=](double a) {
            return g1 * (a - 1.0) / std::sqrt(std::pow(1.0 - a, 2) + 1e-4) +
                   g2 * a / std::sqrt(a * a + 1e-6);
          }};
}

struct Found {
  LinePoint at;
  int trials = 0;
};

Found search(const Line& line, double first_step, const WolfeRule& rule = {}) {
  Found found;
  const auto at = wolfe_search(rule, line.at(0.0), first_step, [&](double step) {
    ++found.trials;
    return std::optional(line.at(step));
  });
  REQUIRE(at.has_value());
  found.at = *at;
  return found;
}

}  // namespace

TEST_CASE("a line search ends where both Wolfe conditions hold, wherever it begins", "[scheme]") {
  int line_number = 0;
  for (const Line& line : {rises_slowly(), bends_sharply(), flat_with_a_corner()}) {
    ++line_number;
    for (const double curvature : {0.9, 0.1}) {
      for (const double first_step : {1e-3, 1e-1, 1.0, 1e1, 1e3}) {
        CAPTURE(line_number, curvature, first_step);
        const LinePoint start = line.at(0.0);
        const Found found = search(line, first_step, {.curvature = curvature});
        CHECK(found.at.step > 0.0);
        CHECK(found.at.loss <= start.loss + 1e-4 * found.at.step * start.slope);
        CHECK(std::abs(found.at.slope) <= curvature * std::abs(start.slope));
        CHECK(found.trials <= 25);
      }
    }
  }
}

TEST_CASE("a first step that satisfies the conditions is the only one tried", "[scheme]") {
  const Line parabola{[](double a) { return 0.5 * (a - 1.0) * (a - 1.0); },
                      [](double a) { return a - 1.0; }};
  CHECK(search(parabola, 1.0).trials == 1);
  CHECK(search(parabola, 1.0).at.step == 1.0);
  // 0.01 is too short for the curvature; the slopes say where the minimum is, 10 times is the most.
  const Found grown = search(parabola, 0.01);
  CHECK(grown.trials == 2);
  CHECK(grown.at.step == Approx(0.1).epsilon(1e-12));
  // 3 is too long, and the cubic through a parabola is the parabola.
  const Found shrunk = search(parabola, 3.0);
  CHECK(shrunk.trials == 2);
  CHECK(shrunk.at.step == Approx(1.0).epsilon(1e-12));
}

TEST_CASE("where losses are rounded away slopes lead a line search", "[scheme]") {
  // 1 + 1e-12 (a − 1)², but for an error of 1e-8 at all steps above 0.
  const Line rounded{[](double a) { return a > 0.0 ? 1.00000001 : 1.0; },
                     [](double a) { return 2e-12 * (a - 1.0); }};
  const Found found = search(rounded, 8.0, {.rounding = 1e-7});
  CHECK(std::abs(found.at.slope) <= 0.9 * 2e-12);
  CHECK(found.at.step > 0.0);
  CHECK(found.trials < 6);
  // Taken at their word such losses do not go down, and the search ends where it began.
  CHECK(search(rounded, 8.0).at.step == 0.0);
}

TEST_CASE("a line search steps back from what is not finite", "[scheme]") {
  const Line wall{[](double a) { return a < 2.0 ? -a : NAN; }, [](double) { return -1.0; }};
  // Nothing on this side of the wall has a flat slope: the lowest point of those tried is taken.
  const Found found = search(wall, 100.0);
  CHECK(found.trials == 26);
  CHECK(found.at.step < 2.0);
  CHECK(found.at.step > 1.9);
  const Line beyond{[](double a) { return a < 2.0 ? (a - 1.0) * (a - 1.0) : INFINITY; },
                    [](double a) { return 2.0 * (a - 1.0); }};
  CHECK(std::abs(search(beyond, 1e6).at.step - 1.0) <= 0.9);
}

TEST_CASE("a line search ends with what it is given to try", "[scheme]") {
  int trials = 0;
  const auto none = wolfe_search({}, {0.0, 0.0, -1.0}, 1.0, [&](double step) {
    ++trials;
    return trials < 3 ? std::optional(LinePoint{step, -step, -1.0}) : std::nullopt;
  });
  CHECK_FALSE(none.has_value());
  CHECK(trials == 3);
}
