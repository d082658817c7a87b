#include "trainyard/analysis/checkpointing.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "trainyard/base/random.hpp"

#include "support/catch.hpp"
#include "support/oracles.hpp"

using namespace trainyard;

namespace {

constexpr double minute = 60.0, hour = 3600.0;

CheckpointTask daly_task(double mtbf_s) {
  return {5.0 * minute, 10.0 * minute, mtbf_s, 500.0 * hour};
}

/// The nearest number with so many significant digits: 116.7 as 117, 9.14 as 9.1.
double rounded(double value, int digits) {
  const double unit = std::pow(10.0, std::floor(std::log10(value)) + 1 - digits);
  return std::round(value / unit) * unit;
}

struct Simulated {
  double factor = 0.0, standard_error = 0.0;  // of the time by the work
  std::uint64_t failures = 0;
  double seconds = 0.0;
};

/// A machine that works `work_s` in segments of `interval_s`, and a clock of failures that never
/// stops. Time goes by in phases, of which a failure ends one.
Simulated simulated(const CheckpointTask& task, double interval_s, double work_s,
                    std::uint64_t seed) {
  RandomStream random(seed, Purpose::network);
  double now = 0.0, failure_at = task.mtbf_s * random.exponential();
  Simulated run;
  const auto passes = [&](double phase_s) {
    if (now + phase_s < failure_at) {
      now += phase_s;
      return true;
    }
    now = failure_at;
    failure_at += task.mtbf_s * random.exponential();
    ++run.failures;
    return false;
  };
  const auto segments = static_cast<std::uint64_t>(std::round(work_s / interval_s));
  double squares = 0.0;
  for (std::uint64_t i = 0; i < segments; ++i) {
    const double began = now;
    while (!(passes(interval_s) && passes(task.checkpoint_s))) {
      while (!passes(task.restart_s)) continue;
    }
    squares += (now - began) * (now - began);
  }
  // Segments are independent: what is left to the next failure has no memory.
  const auto n = static_cast<double>(segments);
  const double mean = now / n;
  run.factor = mean / interval_s;
  run.standard_error = std::sqrt((squares / n - mean * mean) / n) / interval_s;
  run.seconds = now;
  return run;
}

}  // namespace

// Daly 2006, figures 3, 4 and 5: "The new model predicts τ_opt = 117 min", 57 min, 9.1 min.
TEST_CASE("checkpoint intervals are those of Daly's figures", "[analysis]") {
  struct Figure {
    double mtbf_s, young_min, daly_min;
    int digits;
    double exact_min, factor;
  };
  for (const Figure& figure :
       {Figure{24.0 * hour, 120.0, 117.0, 3, 116.690073, 1.0957635650},
        Figure{6.0 * hour, 60.0, 57.0, 2, 56.714002, 1.2204328134},
        Figure{15.0 * minute, 12.24744871391589, 9.1, 2, 9.166503, 5.0083182899}}) {
    CAPTURE(figure.mtbf_s);
    const CheckpointTask task = daly_task(figure.mtbf_s);
    CHECK(young_interval(task) / minute == Approx(figure.young_min).epsilon(1e-14));
    CHECK(rounded(daly_interval(task) / minute, figure.digits) == Approx(figure.daly_min));
    const double exact_s = optimal_interval(task);
    CHECK(exact_s / minute == Approx(figure.exact_min).epsilon(1e-7));
    const CheckpointedRun run = checkpointed(task, exact_s);
    CHECK(run.factor == Approx(figure.factor).epsilon(1e-9));
    CHECK(run.expected_s.value() == Approx(500.0 * hour * figure.factor).epsilon(1e-9));
    CHECK(run.failures.value() ==
          Approx(500.0 * hour * figure.factor / figure.mtbf_s).epsilon(1e-9));
  }
  CHECK(daly_interval(daly_task(15.0 * minute)) / minute == Approx(9.140919986395813));
}

// By bisection with 160 digits (tests/oracles/checkpoints.py), from failures that are very rare to
// those that come more often than checkpoints can be written.
TEST_CASE("the best checkpoint interval is the zero of the derivative, to the last digits",
          "[analysis]") {
  const nlohmann::json cases = test::read_oracle("checkpoints");
  REQUIRE(cases.size() > 50);
  for (const auto& row : cases) {
    const CheckpointTask task{row["checkpoint"], row["restart"], row["mtbf"]};
    CAPTURE(task.checkpoint_s, task.restart_s, task.mtbf_s);
    const double interval_s = row["interval"];
    CHECK(optimal_interval(task) == Approx(interval_s).epsilon(2e-15).margin(0.0));
    // e^x multiplies the error of x by x, which is 300 in the last cases.
    const auto factor = [&](double times) { return checkpointed(task, times * interval_s).factor; };
    CHECK(factor(1.0) == Approx(row["factor"].get<double>()).epsilon(1e-13));
    CHECK(factor(0.7) == Approx(row["factor_at_7_tenths"].get<double>()).epsilon(1e-13));
    CHECK(factor(1.4) == Approx(row["factor_at_14_tenths"].get<double>()).epsilon(1e-13));
  }
}

TEST_CASE("no checkpoint interval is better than the best, and none that is far from it is as good",
          "[analysis]") {
  for (const double restart_s : {0.0, 10.0 * minute}) {
    for (const double mtbf_s : {15.0 * minute, 6.0 * hour, 24.0 * hour, 8766.0 * hour}) {
      const CheckpointTask task{5.0 * minute, restart_s, mtbf_s};
      const double best_s = optimal_interval(task);
      const double least = checkpointed(task, best_s).factor;
      CAPTURE(restart_s, mtbf_s, least);
      CHECK(checkpointed(task, 0.7 * best_s).factor > least);
      CHECK(checkpointed(task, 1.4 * best_s).factor > least);
      for (double times = 0.01; times < 30.0; times *= 1.01) {
        CHECK(checkpointed(task, times * best_s).factor >= least * (1.0 - 1e-14));
      }
      CHECK(checkpointed(task, young_interval(task)).factor >= least);
      CHECK(checkpointed(task, daly_interval(task)).factor >= least * (1.0 - 1e-14));
    }
  }
}

// A hundred years of work at two of Daly's machines, and ten at the worst of them, which takes
// fifty for those. The formula is within three standard errors, which are at most a thousandth of
// it.
TEST_CASE("the expected time with checkpoints is that of a simulated machine", "[analysis]") {
  constexpr std::uint64_t seed = 2006;
  for (const double mtbf_s : {24.0 * hour, 6.0 * hour, 15.0 * minute}) {
    const CheckpointTask task = daly_task(mtbf_s);
    for (const double times : {0.7, 1.0, 1.4}) {
      const double interval_s = times * optimal_interval(task);
      const CheckpointedRun expected = checkpointed(task, interval_s);
      const double years = mtbf_s < hour ? 30.0 : 100.0;
      const Simulated run = simulated(task, interval_s, years * 8766.0 * hour, seed);
      CAPTURE(seed, mtbf_s, times, run.factor, run.standard_error, run.failures);
      CHECK(run.standard_error < 1e-3 * expected.factor);
      CHECK(std::abs(run.factor - expected.factor) < 3.0 * run.standard_error);
      // Failures are Poisson in all of the time: as many as it has mean times.
      const double failures = run.seconds / mtbf_s;
      CHECK(std::abs(static_cast<double>(run.failures) - failures) < 3.0 * std::sqrt(failures));
    }
  }
}

TEST_CASE("what a run with checkpoints is made of", "[analysis]") {
  const CheckpointTask task = daly_task(6.0 * hour);
  const CheckpointedRun run = checkpointed(task, 60.0 * minute);
  CHECK(run.work_share * run.factor == Approx(1.0));
  CHECK(run.checkpoint_share == Approx(run.work_share * 5.0 / 60.0));
  CHECK(run.work_share + run.checkpoint_share + run.lost_share == Approx(1.0));
  // By M (e^{(τ+δ)/M} − 1) − (τ + δ) and the restarts, in units of M: 65/360 and 10/360.
  const double a = 65.0 / 360.0, r = 10.0 / 360.0;
  const double lost = std::exp(r) * (std::exp(a) - 1.0) - a;
  CHECK(run.lost_share == Approx(lost / (lost + a)));
  CheckpointTask open = task;
  open.run_s.reset();
  CHECK(checkpointed(open, 60.0 * minute).factor == run.factor);
  CHECK_FALSE(checkpointed(open, 60.0 * minute).expected_s);
  CHECK_FALSE(checkpointed(open, 60.0 * minute).failures);
}

TEST_CASE("checkpoints that take no time, and those that take longer than failures leave",
          "[analysis]") {
  const CheckpointTask free{0.0, 0.5, 2.0, 100.0};
  CHECK(young_interval(free) == 0.0);
  CHECK(daly_interval(free) == 0.0);
  CHECK(optimal_interval(free) == 0.0);
  CHECK(checkpointed(free, 0.0).factor == Approx(std::exp(0.25)));  // restarts are left
  CHECK(checkpointed(free, 1e-9).factor == Approx(std::exp(0.25)));
  CHECK(checkpointed(free, 0.0).checkpoint_share == 0.0);
  // Without a checkpoint's time and restarts failures cost nothing.
  CHECK(checkpointed({0.0, 0.0, 2.0}, 0.0).factor == 1.0);

  for (const double checkpoint_s : {4.0, 5.0, 100.0}) {  // δ ≥ 2M
    const CheckpointTask slow{checkpoint_s, 0.0, 2.0};
    CAPTURE(checkpoint_s);
    CHECK(daly_interval(slow) == 2.0);
    CHECK(optimal_interval(slow) <= 2.0);
  }
  CHECK(daly_interval({3.9999, 0.0, 2.0}) < 2.0 * 2.0);
  // Each of its own side of δ = 2M, where the formula has 2M (1 + 1/3 + 1/9) − 2M = 8M/9.
  CHECK(daly_interval({4.0 - 1e-9, 0.0, 2.0}) == Approx(16.0 / 9.0));
  CHECK(checkpointed({1.0, 0.0, 2.0}, 0.0).factor == INFINITY);
}

TEST_CASE("a run that never ends is one of infinite length", "[analysis]") {
  const CheckpointTask hopeless{800.0, 0.0, 1.0, 10.0};
  const CheckpointedRun run = checkpointed(hopeless, optimal_interval(hopeless));
  CHECK(run.factor == INFINITY);
  CHECK(run.expected_s.value() == INFINITY);
  CHECK(run.failures.value() == INFINITY);
  CHECK(run.work_share == 0.0);
  CHECK(run.checkpoint_share == 0.0);
  CHECK(run.lost_share == 1.0);
  CHECK(checkpointed({1.0, 1000.0, 1.0}, 1.0).factor == INFINITY);  // no restart succeeds
  CHECK(checkpointed({1e10, 0.0, 1e-300}, 1.0).factor == INFINITY);
  // M from 1e-30 to 1e30 s beside checkpoints from none to 1e30 s: numbers all of them.
  for (double mtbf_s = 1e-30; mtbf_s < 2e30; mtbf_s *= 1e3) {
    for (double checkpoint_s = 1e-30; checkpoint_s < 2e30; checkpoint_s *= 1e3) {
      const CheckpointTask task{checkpoint_s, 0.0, mtbf_s, 1e5};
      CAPTURE(mtbf_s, checkpoint_s);
      for (const double interval_s :
           {young_interval(task), daly_interval(task), optimal_interval(task)}) {
        CHECK(interval_s > 0.0);
        CHECK(checkpointed(task, interval_s).factor >= 1.0);
        const double share = checkpointed(task, interval_s).lost_share;
        CHECK((share >= 0.0 && share <= 1.0));
      }
      CHECK(optimal_interval(task) <= mtbf_s);
    }
  }
}

TEST_CASE("a run shorter than the checkpoint interval has one checkpoint, at its end",
          "[analysis]") {
  const CheckpointTask task{5.0 * minute, 10.0 * minute, 24.0 * hour, 1.0 * hour};
  REQUIRE(optimal_interval(task) > 1.0 * hour);
  const CheckpointedRun run = checkpointed(task, optimal_interval(task));
  CHECK(run.interval_s == optimal_interval(task));
  CHECK(run.factor == checkpointed(task, 1.0 * hour).factor);
  const double a = 65.0 / 1440.0;
  CHECK(run.expected_s.value() ==
        Approx(24.0 * hour * std::exp(10.0 / 1440.0) * (std::exp(a) - 1.0)));
  CHECK(checkpointed_steps(task, 7.0 * minute).steps == 9);  // 60/7 up: none is left to a tenth
}

TEST_CASE("checkpoints come at the ends of whole steps", "[analysis]") {
  const CheckpointTask task = daly_task(6.0 * hour);  // τ = 56.714 min
  CHECK(checkpointed_steps(task, 1.0 * minute).steps == 57);
  CHECK(checkpointed_steps(task, 1.0 * minute).run.interval_s == 57.0 * minute);
  CHECK(checkpointed_steps(task, 10.0 * minute).steps == 6);
  CHECK(checkpointed_steps(task, 400.0 * minute).steps == 1);  // longer than τ
  CHECK(checkpointed_steps({0.0, 1.0, 60.0}, 1.0).steps == 1);
  // The number of steps of the least time among all, by trying them.
  for (const double mtbf_s : {15.0 * minute, 6.0 * hour, 24.0 * hour}) {
    for (double step_s = 20.0; step_s < 3.0 * hour; step_s *= 1.09) {
      const CheckpointTask any = daly_task(mtbf_s);
      std::uint64_t best = 1;
      for (std::uint64_t k = 2; k < 1000; ++k) {
        const auto factor = [&](std::uint64_t steps) {
          return checkpointed(any, static_cast<double>(steps) * step_s).factor;
        };
        if (factor(k) < factor(best)) best = k;
      }
      CAPTURE(mtbf_s, step_s);
      CHECK(checkpointed_steps(any, step_s).steps == best);
    }
  }
}

TEST_CASE("as many machines fail so many times as often", "[analysis]") {
  CHECK(mtbf_of_all({8, 1000.0 * hour}) == 125.0 * hour);
  // Four machines' first failure: the least of four exponential times.
  RandomStream random(1974, Purpose::network);
  constexpr int draws = 200000;
  double sum = 0.0;
  for (int i = 0; i < draws; ++i) {
    double first = INFINITY;
    for (int machine = 0; machine < 4; ++machine) first = std::min(first, random.exponential());
    sum += first;
  }
  CHECK(sum / draws == Approx(mtbf_of_all({4, 1.0})).epsilon(3.0 / std::sqrt(double(draws))));
}
