// Tuning against a problem whose best step size is known: ½ h (x − b)², on which one step of 1/h is
// the whole way, and steps above 2/h lead away.
#include "trainyard/study/tuning.hpp"

#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "trainyard/run/plan.hpp"
#include "trainyard/run/resolve.hpp"
#include "trainyard/scheme/scheme.hpp"
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
  c.steps = 16;  // so few that a float tells 3 (1 − 2^-16) from 3
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
    CHECK(tuning.names == std::vector<std::string>{"lr"});
    CHECK(tuning.sizes == std::vector{1.0 / h});
    CHECK_FALSE(tuning.at_edge);
    CHECK_FALSE(tuning.interrupted);
    // Nine for a step, which is more than a 32nd of the run, the best and its neighbours for an
    // eighth, and for all of it.
    REQUIRE(tuning.trials.size() == 9 + 3 + 3);
    for (std::size_t i = 0; i < tuning.trials.size(); ++i) {
      const TuningTrial& trial = tuning.trials[i];
      const double lr = trial.sizes.front();
      CAPTURE(i, lr);
      if (std::isfinite(trial.loss)) CHECK(trial.steps == (i < 9 ? 1U : i < 12 ? 2U : 16U));
      if (i < 9) CHECK(lr == 0.5 / h * std::ldexp(1.0, static_cast<int>(i) - 4));
      if (i >= 9) CHECK((lr * h >= 0.5 && lr * h <= 2.0));
      // From 0 to 3 and back: ½ h 9 (1 − γh)^2t.
      const double expected =
          4.5 * h * std::pow(1 - lr * h, 2.0 * static_cast<double>(trial.steps));
      if (std::isfinite(trial.loss)) CHECK(trial.loss == Approx(expected).margin(1e-12));
    }
  }
}

TEST_CASE("tuning goes on beyond the edge of its grid, and ends somewhere", "[study]") {
  for (const int power : {-10, 10}) {
    CAPTURE(power);
    std::vector<std::string> said;
    const Tuning tuning = tuned(std::ldexp(1.0, power), 1.0, &said);
    CHECK(tuning.sizes.front() == 1.0);
    CHECK_FALSE(tuning.at_edge);
    REQUIRE(said.size() == 1);
    CHECK_THAT(said.back(), ContainsSubstring("tuning ring: step size 1, loss 0 after 16 steps"));
  }
  const Tuning far = tuned(std::ldexp(1.0, -40), 1.0);
  CHECK(far.at_edge);
  CHECK(far.sizes.front() == std::ldexp(1.0, -20));
}

TEST_CASE("what diverges loses, however far it is tried", "[study]") {
  const LoadedData data = parabola(1.0);
  const Tuning tuning = tune_step_size(on_parabola(1e6, data), data, {});
  CHECK(tuning.sizes.front() < 2.0);
  for (const TuningTrial& trial : tuning.trials) {
    if (trial.sizes.front() > 1e4) CHECK(std::isinf(trial.loss));
  }
}

TEST_CASE("tuning ends when told", "[study]") {
  const LoadedData data = parabola(1.0);
  const std::atomic<bool> interrupted{true};
  CHECK(tune_step_size(on_parabola(0.5, data), data,
                       {.evaluated = {}, .remark = {}, .interrupted = &interrupted})
            .interrupted);
}

TEST_CASE("a schedule is as much shorter as the run that tries it", "[study]") {
  const LoadedData data = parabola(1.0);
  Configuration c = on_parabola(0.5, data);
  c.steps = 400;
  c.optimizer.lr_schedule = parse_lr_schedule("cosine", "");
  c.optimizer.warmup = 40.0;
  c = resolve(c, {c.scheme}, data, {});
  const StepSizeSearch search({c}, {"lr"}, data, "ring", {});
  REQUIRE(search.trials().size() == 9);
  for (const Configuration& trial : search.trials()) {
    const double part = static_cast<double>(*trial.steps) / static_cast<double>(*c.steps);
    CHECK(part == Approx(13.0 / 400.0));
    CHECK(trial.optimizer.run_epochs == Approx(part * c.optimizer.run_epochs));
    CHECK(trial.optimizer.warmup == Approx(part * 40.0));
  }
}

TEST_CASE("with a target tuning finds the step size that is there first", "[study]") {
  // ½ (x − 3)² from 0: after t steps 4.5 (1 − γ)^2t, of which 1/8 and 1/4 and 1/2 never are at 0.
  const LoadedData data = parabola(1.0);
  Configuration c = on_parabola(0.5, data);
  c.evaluate_every = 1.0;  // a step of two workers with a row each is an epoch
  c.target_loss = 1e-3;
  c.steps = 400;
  const Tuning tuning = tune_step_size(c, data, {});
  CHECK(tuning.sizes.front() == 1.0);
  // The first round has four steps, where it is there: no other is looked at for longer.
  CHECK(tuning.trials.size() == 5 + 2);  // every second one, and beside the best of them
  for (const TuningTrial& trial : tuning.trials) {
    const double shrinks = std::abs(1.0 - trial.sizes.front());
    const double needs = shrinks == 0.0 ? 1.0 : std::log(1e-3 / 4.5) / (2.0 * std::log(shrinks));
    // It stays for the next evaluation.
    const bool in_budget =
        shrinks < 1.0 && std::ceil(needs) + 1.0 <= static_cast<double>(trial.steps);
    CAPTURE(trial.sizes.front(), trial.steps, needs);
    CHECK(trial.seconds_to_target.has_value() == in_budget);
    // A millisecond a step; within the step in which it crosses.
    if (in_budget) CHECK(std::abs(*trial.seconds_to_target * 1e3 - needs) <= 1.0);
    CHECK(trial.steps <= 4);
  }

  // None is there: the loss decides.
  c.steps = 16;
  c.target_loss = -1.0;
  CHECK(tune_step_size(c, data, {}).sizes.front() == 1.0);
  // All are there from the beginning: nothing is better than what was asked for.
  c.target_loss = 100.0;
  CHECK(tune_step_size(c, data, {}).sizes.front() == 0.5);
}

TEST_CASE("a run that is tried goes on until a second evaluation holds the target", "[study]") {
  const LoadedData data = parabola(1.0);
  Configuration c = on_parabola(1.0, data);  // which is there after one step
  c.evaluate_every = 1.0;
  c.target_loss = 1e-3;
  c.steps = 400;
  const StepSizeSearch search({c}, {"lr"}, data, "ring", {});
  const auto trial = std::ranges::find(search.trials(), 1.0,
                                       [](const Configuration& each) { return each.optimizer.lr; });
  REQUIRE(trial != search.trials().end());
  CHECK(run_experiment(plan_run(c, data), {}).metrics.size() == 2);
  CHECK(run_experiment(plan_run(*trial, data), search.hooks()).metrics.size() == 3);
}

TEST_CASE("a dip below the target is no arrival", "[study]") {
  // ½ (x − 3)² with a step size that doubles each epoch is at 0 where γ = 1 and then leaves: it is
  // told by the runs that the search is given.
  const LoadedData data = parabola(1.0);
  Configuration c = on_parabola(0.5, data);
  c.target_loss = 1e-3;
  StepSizeSearch search({c}, {"lr"}, data, "ring", {});
  std::vector<RunResult> ended(search.trials().size());
  for (std::size_t i = 0; i < ended.size(); ++i) {
    ended[i].summary.seconds = 3.0;
    ended[i].summary.train_loss = 1.0;
    // The last but one stays at the target; the last one was there sooner, and did not stay.
    const std::vector<double> losses = i + 1 == ended.size()   ? std::vector{4.5, 0.0, 2.0}
                                       : i + 2 == ended.size() ? std::vector{4.5, 4.0, 0.0, 0.0}
                                                               : std::vector{4.5, 4.0, 3.0};
    for (std::size_t k = 0; k < losses.size(); ++k) {
      Metrics metrics;
      metrics.seconds = static_cast<double>(k);
      metrics.train_loss = losses[k];
      ended[i].metrics.push_back(metrics);
    }
  }
  const double stays = search.trials()[ended.size() - 2].optimizer.lr;
  search.take(std::move(ended));
  CHECK(search.result().sizes.front() == stays);
}

TEST_CASE("a tuned comparison runs each scheme at its own step size, with all seeds", "[study]") {
  const LoadedData data = small_data();
  ComparisonRequest request{
      .configuration = small_configuration(""),
      .contestants = parse_contestants("ring,ps-async"),
      .options = {.seeds = 2, .step_sizes = StepSizes::tuned_where_unsaid, .jobs = 1}};
  request.configuration.epochs = 0.2;
  int tunings = 0;
  ComparisonHooks hooks;
  hooks.remark = [&](const std::string& text) {
    tunings += text.find(": step size") != std::string::npos ? 1 : 0;
  };
  const Compared tuned = run_comparison(request, data, hooks);
  REQUIRE(tuned.runs.size() == 4);
  CHECK(tunings == 2);
  for (std::size_t i : {0U, 1U}) {
    CHECK(tuned.runs[i + 2].summary.lr == tuned.runs[i].summary.lr);
    CHECK(tuned.runs[i + 2].summary.seed == tuned.runs[i].summary.seed + 1);
    CHECK(tuned.runs[i].summary.tuned ==
          std::vector<OptionText>{{"lr", fmt::to_string(tuned.runs[i].summary.lr)}});
  }
  // What the search has run is what a run by itself is.
  for (const RunResult& run : tuned.runs) {
    Configuration alone = run.resolved;
    CHECK(run_experiment(plan_run(alone, data), {}).summary.model_hash == run.summary.model_hash);
  }
  // No step size on either side is better for both seeds.
  for (std::size_t i : {0U, 1U}) {
    const auto loss_at = [&](double factor) {
      double sum = 0.0;
      for (std::size_t k : {i, i + 2}) {
        Configuration other = tuned.runs[k].resolved;
        other.optimizer.lr *= factor;
        sum += run_experiment(plan_run(other, data), {}).summary.train_loss;
      }
      return sum;
    };
    CHECK(loss_at(0.5) >= loss_at(1.0));
    CHECK(loss_at(2.0) >= loss_at(1.0));
  }
  // A step size of one's own is kept; the other one is found all the same.
  request.contestants = parse_contestants("ring{lr=0.05},ps-async");
  const Compared own = run_comparison(request, data, {});
  CHECK(own.runs[0].summary.lr == 0.05);
  CHECK(own.runs[0].summary.tuned.empty());
  CHECK(own.runs[1].summary.lr == tuned.runs[1].summary.lr);
  // One that is given is for all.
  request.configuration.given.emplace_back("lr");
  for (const RunResult& run : run_comparison(request, data, {}).runs) {
    CHECK(run.summary.tuned.empty());
  }
}

TEST_CASE("points between which only the clock differs are tuned once", "[study]") {
  const LoadedData data = small_data();
  ComparisonRequest request{.configuration = small_configuration(""),
                            .contestants = parse_contestants("ring,ps-async,hogwild"),
                            .variations = {parse_variation("latency=10us,1ms")},
                            .options = {.step_sizes = StepSizes::tuned, .jobs = 1}};
  request.configuration.epochs = 0.2;
  std::vector<std::string> found;
  ComparisonHooks hooks;
  hooks.remark = [&](const std::string& text) {
    if (text.find(": step size") != std::string::npos) found.push_back(text);
  };
  const Compared compared = run_comparison(request, data, hooks);
  REQUIRE(compared.runs.size() == 6);
  const auto tunings_of = [&](const char* name) {
    return std::ranges::count_if(
        found, [&](const std::string& text) { return text.find(name) != std::string::npos; });
  };
  CHECK(tunings_of("ring") == 1);
  // It matters there who comes first, which the latency may change.
  CHECK(tunings_of("ps-async") == 2);
  // And here, where nothing crosses the network.
  CHECK(tunings_of("hogwild") == 1);
  CHECK(compared.runs[0].summary.lr == compared.runs[3].summary.lr);
  CHECK(compared.runs[0].summary.model_hash == compared.runs[3].summary.model_hash);
}

TEST_CASE("other step sizes are tuned beside the first", "[study]") {
  CHECK(step_sizes_of("ring") == std::vector<std::string>{"lr"});
  const LoadedData data = parabola(1.0);
  Configuration c = on_parabola(0.5, data);
  c.scheme = "choco";
  c.steps = 64;
  c.ingredients = {{"codec", "top-k:50%"}};
  c = resolve(c, {c.scheme}, data, {});
  StepSizeSearch search({c}, {"lr", "consensus-rate"}, data, "choco", {});
  while (!search.trials().empty()) {
    std::vector<RunResult> ended;
    for (const Configuration& trial : search.trials()) {
      ended.push_back(run_experiment(plan_run(trial, data), {}));
    }
    search.take(std::move(ended));
  }
  const Tuning& tuning = search.result();
  REQUIRE(tuning.sizes.size() == 2);
  Configuration best = c;
  apply(tuning, best);
  CHECK(best.optimizer.lr == tuning.sizes[0]);
  CHECK(hyperparameter(best.hyperparameters, "consensus-rate") == tuning.sizes[1]);
  const double loss = run_experiment(plan_run(best, data), {}).summary.train_loss;
  std::size_t whole = 0;
  for (const TuningTrial& trial : tuning.trials) {
    CHECK((trial.sizes[1] > 0.0 && trial.sizes[1] <= 1.0));  // what the hyperparameter may be
    if (trial.steps != 64) continue;
    ++whole;
    CHECK(trial.loss >= loss);
  }
  CHECK(whole >= 4);
}

TEST_CASE("a centre that meets its workers rarely is tuned over whole cycles", "[study]") {
  const LoadedData data = parabola(1.0);
  for (const char* scheme : {"easgd", "fedavg", "local-sgd"}) {
    CAPTURE(scheme);
    Configuration c = on_parabola(0.25, data);
    c.scheme = scheme;
    c.steps = 120;  // a quarter of a quarter of it is less than a period of ten
    const Tuning tuning = tune_step_size(resolve(c, {scheme}, data, {}), data, {});
    CHECK(tuning.sizes.front() >= 0.125);
    std::uint64_t steps = 0;
    for (const TuningTrial& trial : tuning.trials) {
      CHECK(trial.steps % 10 == 0);
      CHECK(trial.steps >= 20);
      steps += trial.steps;
    }
    CHECK(steps <= 120 * (4 + 1));  // of which one is the run itself
  }
}

}  // namespace trainyard
