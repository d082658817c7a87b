#include "trainyard/study/measured_noise.hpp"

#include <cstddef>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "trainyard/base/counted.hpp"
#include "trainyard/base/error.hpp"
#include "trainyard/run/plan.hpp"
#include "trainyard/run/resolve.hpp"
#include "trainyard/run/run.hpp"
#include "trainyard/study/advised_training.hpp"

namespace trainyard {

namespace {

constexpr double looks_a_pass = 8.0;

Configuration pass_of_one(const Configuration& training, std::size_t rows) {
  Configuration c = of_one_worker(training, rows);
  c.compute_time = std::chrono::milliseconds(1);  // nobody looks at the time
  c.time = TimeMode::simulated;
  c.gradient_noise = true;
  c.epochs = 1.0;
  c.steps = std::nullopt;
  c.seconds = std::nullopt;
  c.evaluate_every = 1.0 / looks_a_pass;
  return c;
}

}  // namespace

MeasuredNoise measured_noise(const Configuration& training, const LoadedData& data) {
  const Configuration c = pass_of_one(training, data.train.rows);
  const RunResult run = run_experiment(plan_run(resolve(c, {c.scheme}, data, {}), data), {});
  std::vector<double> scales;
  for (const Metrics& look : run.metrics) {
    if (look.gradient_noise.scale) {
      scales.push_back(*look.gradient_noise.scale);
      continue;
    }
    throw UsageError(fmt::format(
        "--noise-scale measured: after {:.2g} passes the gradient of {} cannot be told from 0, so "
        "that the noise scale is beyond their number; expected more of them, a smaller lr, or ROWS",
        look.epoch, counted(data.train.rows, "row")));
  }
  double sum = 0.0;  // of trapezoids
  for (std::size_t i = 1; i < scales.size(); ++i) {
    sum += 0.5 * (scales[i] + scales[i - 1]) * (run.metrics[i].epoch - run.metrics[i - 1].epoch);
  }
  const double passes = run.metrics.back().epoch;
  return {.mean = passes > 0.0 ? sum / passes : scales.front(),
          .begin = scales.front(),
          .end = scales.back(),
          .step_size = run.summary.lr};
}

std::string noise_note(const MeasuredNoise& noise) {
  return fmt::format(
      "note: the noise scale is {:.4g} rows at the beginning of a pass of one worker "
      "(--lr {:.4g}), {:.4g} at its end, {:.4g} on average; it rises on the way to a loss",
      noise.begin, noise.step_size, noise.end, noise.mean);
}

}  // namespace trainyard
