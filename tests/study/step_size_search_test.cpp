// What a search asks for, where its runs end at losses that are made up.
#include <cmath>
#include <functional>
#include <utility>
#include <vector>

#include "trainyard/run/resolve.hpp"
#include "trainyard/study/tuning.hpp"

#include "study/searched_run.hpp"
#include "support/catch.hpp"

namespace trainyard {

namespace {

constexpr double whole = 320.0;  // steps; parts are of 10 and 40

struct Searched {
  Tuning tuning;
  double steps = 0.0;  // of all trials
};

/// Around a step size of 1, by losses of the binary logarithm of the step size and of the steps.
Searched search(const std::function<double(double, double)>& loss,
                std::vector<Metrics> begin = {}) {
  const LoadedData data = test::searched_data();
  const Configuration c = test::searched_run(static_cast<std::uint64_t>(whole));
  StepSizeSearch search({resolve(c, {c.scheme}, data, {})}, {"lr"}, data, "ring", {});
  Searched made;
  while (!search.trials().empty()) {
    std::vector<RunResult> ended;
    for (const Configuration& trial : search.trials()) {
      RunResult run;
      run.metrics = begin;
      run.summary.steps = static_cast<double>(*trial.steps);
      run.summary.train_loss = loss(std::log2(trial.optimizer.lr), run.summary.steps);
      made.steps += run.summary.steps;
      ended.push_back(std::move(run));
    }
    search.take(std::move(ended));
  }
  made.tuning = search.result();
  return made;
}

}  // namespace

TEST_CASE("tuning to the end of a run takes no more than four runs' work", "[study]") {
  // As if the best of parts were beyond the grid, and of the whole still further.
  const Searched made = search([](double power, double steps) {
    return std::abs(power - (steps == whole ? 18.0 : steps == 40.0 ? 15.0 : 12.0));
  });
  CHECK(made.steps / whole - 1.0 <= 4.0);
  CHECK(made.tuning.at_edge);
  CHECK(made.tuning.edge_is_up);
}

TEST_CASE("step sizes are told apart by validation rows where there are any", "[study]") {
  const LoadedData data = test::searched_data();
  const Configuration c = test::searched_run(static_cast<std::uint64_t>(whole));
  StepSizeSearch search({resolve(c, {c.scheme}, data, {})}, {"lr"}, data, "ring", {});
  while (!search.trials().empty()) {
    std::vector<RunResult> ended;
    for (const Configuration& trial : search.trials()) {
      RunResult run;
      const double power = std::log2(trial.optimizer.lr);
      run.summary.steps = static_cast<double>(*trial.steps);
      run.summary.train_loss = std::abs(power - 3.0);
      run.summary.validation_loss = std::abs(power + 2.0);
      ended.push_back(std::move(run));
    }
    search.take(std::move(ended));
  }
  CHECK(search.result().sizes.front() == 0.25);
}

TEST_CASE("a step size that was worse in parts of the run is said to have been", "[study]") {
  const Searched made = search([](double power, double steps) {
    return std::abs(power - (steps == whole ? 2.0 : steps == 40.0 ? 0.0 : 1.0));
  });
  CHECK(made.tuning.sizes.front() == 4.0);
  // 8 was not tried for the whole run.
  for (const TuningTrial& trial : made.tuning.trials) {
    if (trial.sizes.front() == 8.0) CHECK(trial.steps < whole);
  }
  CHECK(made.tuning.at_edge);
  CHECK(made.tuning.edge_is_up);
  CHECK(made.tuning.edge_was_worse);
}

TEST_CASE("a whole run that wants far smaller steps than its parts gets them", "[study]") {
  const Searched made = search([](double power, double steps) {
    return 1.0 + std::abs(power - (steps == whole ? -4.0 : 4.0));
  });
  CHECK(made.tuning.sizes.front() == 0.0625);
  CHECK_FALSE(made.tuning.at_edge);
}

TEST_CASE("where whole runs end above their start the whole grid is tried for all of them",
          "[study]") {
  // Parts want 16; the whole ends above its start at all but the smallest ones, by no slope.
  const auto loss = [](double power, double steps) {
    if (steps < whole) return std::abs(power - 4.0);
    return power <= -3.0 ? 0.5 + 0.001 * std::exp2(power) : 1.5 + 0.001 * std::exp2(-power);
  };
  CHECK(search(loss, {{.step = 0.0, .train_loss = 1.0}}).tuning.sizes.front() < 0.125);
}

}  // namespace trainyard
