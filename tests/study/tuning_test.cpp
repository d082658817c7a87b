// Tuning against a problem whose best step size is known: ½ h (x − b)², on which one step of 1/h is
// the whole way, and steps above 2/h lead away.
#include "trainyard/study/tuning.hpp"

#include <cmath>
#include <set>

#include "trainyard/run/resolve.hpp"
#include "trainyard/study/comparison.hpp"

#include "run/small_runs.hpp"
#include "support/catch.hpp"
#include "support/replicas.hpp"

namespace trainyard {

namespace {

LoadedData parabola(double h) {
  return {"parabola", test::quadratic_data({{h}, {h}}, {{3.0}, {3.0}}), {}};
}

Configuration on_parabola(double lr, const LoadedData& data) {
  Configuration c = small_configuration("ring");
  c.workers = 2;
  c.batch = 1;
  c.model = "quadratic";
  c.epochs.reset();
  c.steps = 400;
  c.optimizer.lr = lr;
  return resolve(c, {c.scheme}, data, {});
}

Tuning tuned(double lr, double h, std::vector<std::string>* said = nullptr) {
  const LoadedData data = parabola(h);
  RunHooks hooks;
  hooks.remark = [&](const std::string& text) {
    if (said != nullptr) said->push_back(text);
  };
  return tune_step_size(on_parabola(lr, data), data, hooks);
}

}  // namespace

TEST_CASE("tuning finds the step size that is best, in three rounds", "[study]") {
  for (const double h : {0.5, 1.0, 4.0}) {
    const Tuning tuning = tuned(0.5 / h, h);
    CAPTURE(h);
    CHECK(tuning.lr == 1.0 / h);
    CHECK_FALSE(tuning.at_edge);
    CHECK_FALSE(tuning.interrupted);
    // Nine for one step, the better five for two, the better three for four: four epochs.
    REQUIRE(tuning.trials.size() == 9 + 5 + 3);
    for (std::size_t i = 0; i < tuning.trials.size(); ++i) {
      const TuningTrial& trial = tuning.trials[i];
      CHECK(trial.steps == (i < 9 ? 1U : i < 14 ? 2U : 4U));
      if (i < 9) CHECK(trial.lr == 0.5 / h * std::ldexp(1.0, static_cast<int>(i) - 4));
      // From 0 to 3 and back: ½ h 9 (1 − γh)^2t.
      const double expected =
          4.5 * h * std::pow(1 - trial.lr * h, 2.0 * static_cast<double>(trial.steps));
      if (std::isfinite(trial.loss)) CHECK(trial.loss == Approx(expected).margin(1e-12));
    }
    // The better half goes on.
    std::vector<double> first;
    for (std::size_t i = 0; i < 9; ++i) first.push_back(tuning.trials[i].loss);
    std::ranges::sort(first);
    std::set<double> going_on;
    for (std::size_t i = 9; i < 14; ++i) going_on.insert(tuning.trials[i].lr);
    for (std::size_t i = 0; i < 9; ++i) {
      if (tuning.trials[i].loss < first[4]) CHECK(going_on.contains(tuning.trials[i].lr));
      if (tuning.trials[i].loss > first[4]) CHECK_FALSE(going_on.contains(tuning.trials[i].lr));
    }
  }
}

TEST_CASE("tuning goes on beyond the edge of its grid, says so, and ends somewhere", "[study]") {
  for (const int power : {-10, 10}) {
    CAPTURE(power);
    std::vector<std::string> said;
    const Tuning tuning = tuned(std::ldexp(1.0, power), 1.0, &said);
    CHECK(tuning.lr == 1.0);
    CHECK_FALSE(tuning.at_edge);
    REQUIRE(said.size() >= 2);
    CHECK_THAT(said.front(), ContainsSubstring(power < 0 ? "largest tried" : "smallest tried"));
    CHECK_THAT(said.back(), ContainsSubstring("tuning ring: step size 1, loss 0 after 4 steps"));
  }
  const Tuning far = tuned(std::ldexp(1.0, -40), 1.0);
  CHECK(far.at_edge);
  CHECK(far.lr == std::ldexp(1.0, -20));
}

TEST_CASE("what diverges loses, however far it is tried", "[study]") {
  const LoadedData data = parabola(1.0);
  Configuration c = on_parabola(1e6, data);
  const Tuning tuning = tune_step_size(c, data, {});
  CHECK(tuning.lr < 2.0);
  for (const TuningTrial& trial : tuning.trials) {
    if (trial.lr > 1e4) CHECK(std::isinf(trial.loss));
  }
}

TEST_CASE("tuning keeps to a quarter of the budget, and ends when told", "[study]") {
  const LoadedData data = parabola(1.0);
  Configuration c = on_parabola(0.5, data);
  CHECK(tune_step_size(c, data, {}).lr == 1.0);
  c.steps = 8;
  CHECK(tune_step_size(c, data, {}).trials.back().steps == 2);
  const std::atomic<bool> interrupted{true};
  CHECK(tune_step_size(c, data, {.evaluated = {}, .remark = {}, .interrupted = &interrupted})
            .interrupted);
}

TEST_CASE("with a target tuning finds the step size that is there first", "[study]") {
  // ½ (x − 3)² from 0: after t steps 4.5 (1 − γ)^2t, of which 1/8 and 1/4 and 1/2 never are at 0.
  const LoadedData data = parabola(1.0);
  Configuration c = on_parabola(0.5, data);
  c.evaluate_every = 1.0;  // a step of two workers with a row each is an epoch
  c.target_loss = 1e-3;
  const Tuning tuning = tune_step_size(c, data, {});
  CHECK(tuning.lr == 1.0);
  for (const TuningTrial& trial : tuning.trials) {
    const double shrinks = std::abs(1.0 - trial.lr);
    const double needs = shrinks == 0.0 ? 1.0 : std::log(1e-3 / 4.5) / (2.0 * std::log(shrinks));
    const bool in_budget = shrinks < 1.0 && std::ceil(needs) <= static_cast<double>(trial.steps);
    CAPTURE(trial.lr, trial.steps, needs);
    CHECK(trial.seconds_to_target.has_value() == in_budget);
    // A millisecond a step; within the step in which it crosses.
    if (in_budget) CHECK(std::abs(*trial.seconds_to_target * 1e3 - needs) <= 1.0);
  }
  // A quarter, a half and all of the budget, and not a quarter of these.
  CHECK(tuning.trials.front().steps == 100);
  CHECK(tuning.trials.back().steps == 400);

  // None is there: the loss decides.
  c.target_loss = -1.0;
  c.steps = 8;
  CHECK(tune_step_size(c, data, {}).lr == 1.0);
  // All are there from the beginning: nothing is better than what was asked for.
  c.target_loss = 100.0;
  CHECK(tune_step_size(c, data, {}).lr == 0.5);
}

TEST_CASE("a tuned comparison runs each scheme at its own step size, for all seeds", "[study]") {
  const LoadedData data = small_data();
  ComparisonRequest request{.configuration = small_configuration(""),
                            .contestants = parse_contestants("ring,ps-async"),
                            .options = {.seeds = 2, .tune_lr = true, .jobs = 1}};
  request.configuration.epochs = 0.2;
  int tunings = 0;
  ComparisonHooks hooks;
  hooks.remark = [&](const std::string& text) {
    tunings += text.find("step size") != std::string::npos ? 1 : 0;
  };
  const auto results = run_comparison(request, data, hooks).runs;
  REQUIRE(results.size() == 4);
  CHECK(tunings == 2);
  for (std::size_t i : {0U, 1U}) {
    Configuration alone = request.configuration;
    alone.scheme = results[i].summary.scheme;
    alone = resolve(alone, {alone.scheme}, data, {});
    CHECK(results[i].resolved.optimizer.lr == tune_step_size(alone, data, {}).lr);
    CHECK(results[i].summary.lr == results[i].resolved.optimizer.lr);
    CHECK(results[i + 2].summary.lr == results[i].summary.lr);
    CHECK(results[i + 2].summary.seed == results[i].summary.seed + 1);
  }
}

TEST_CASE("a centre that meets its workers rarely is tuned over whole cycles", "[study]") {
  const LoadedData data = parabola(1.0);
  for (const char* scheme : {"easgd", "fedavg", "local-sgd"}) {
    CAPTURE(scheme);
    Configuration c = on_parabola(0.25, data);
    c.scheme = scheme;
    c.steps = 120;  // a quarter of a quarter of it is less than a period of ten
    const Tuning tuning = tune_step_size(resolve(c, {scheme}, data, {}), data, {});
    CHECK(tuning.lr >= 0.125);
    CHECK_FALSE(tuning.at_edge);
    for (const TuningTrial& trial : tuning.trials) {
      CHECK(trial.steps % 10 == 0);
      CHECK(trial.steps >= 20);
    }
  }
}

}  // namespace trainyard
