// pipedream against its rule, played on one rank that keeps every version of the weights.
#include <algorithm>
#include <cstdint>
#include <deque>
#include <vector>

#include "trainyard/run/resolve.hpp"
#include "trainyard/runtime/run_state.hpp"

#include "scheme/own_row.hpp"
#include "scheme/pipeline_problems.hpp"
#include "support/catch.hpp"
#include "support/training.hpp"

using namespace trainyard;
using test::PipelineProblem;

namespace {

using Weights = std::vector<float>;

/// w_s of step k is what stage s had p − 1 − s of its steps ago, or at the start. `stashed` false:
/// what it has now, as if nothing were kept.
template <bool stashed>
void by_the_rule(Worker& worker) {
  const auto p = static_cast<int>(worker.hyperparameter("stages"));
  const std::vector<Stage> stages = worker.layers().cut(p);
  const Vector now = worker.replica();
  std::deque<Weights> versions;  // the newest first
  Weights mixed(now.size()), gradient(now.size());
  Workspace workspace;
  while (worker.next_step()) {
    versions.emplace_front(now.floats().begin(), now.floats().end());
    if (versions.size() > static_cast<std::size_t>(p)) versions.pop_back();
    for (int s = 0; s < p; ++s) {
      const std::size_t ago =
          stashed ? std::min(static_cast<std::size_t>(p - 1 - s), versions.size() - 1) : 0;
      const ParameterRange part = stages[static_cast<std::size_t>(s)].parameters;
      std::copy_n(versions[ago].begin() + static_cast<std::ptrdiff_t>(part.first), part.count,
                  mixed.begin() + static_cast<std::ptrdiff_t>(part.first));
    }
    worker.model().gradient(mixed, worker.minibatches().next(), gradient, workspace);
    worker.apply(gradient);
  }
}

RunResult played(const PipelineProblem& problem, void (*program)(Worker&)) {
  Scheme scheme = test::mine(program);
  scheme.cast = cast::one_worker;
  scheme.hyperparameters = find_scheme("gpipe").hyperparameters;
  Configuration c = problem.configuration;
  c.time = TimeMode::simulated;
  return run_experiment(plan_run(scheme, c, problem.data), {});
}

/// With one pipeline.
PipelineProblem problem_of(std::uint64_t seed) {
  PipelineProblem problem(seed);
  Configuration c = problem.configuration;
  c.workers = problem.stages;
  c.steps = 20;
  c.epochs.reset();
  problem.pipelines = 1;
  problem.configuration = resolve(c, {"pipedream"}, problem.data, {});
  return problem;
}

}  // namespace

TEST_CASE("pipedream follows its rule bit for bit with stashed weights",
          "[scheme][rule:pipedream]") {
  int stale = 0;
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    PipelineProblem problem = problem_of(seed);
    Configuration& c = problem.configuration;
    if (seed % 3 == 0) c.optimizer = {.kind = OptimizerKind::adam, .lr = 0.003};
    if (seed % 3 == 1) c.optimizer.momentum = 0.9;
    CAPTURE(seed, c.model, problem.stages, c.batch);
    const RunResult expected = played(problem, by_the_rule<true>);
    const RunResult fresh = played(problem, by_the_rule<false>);
    for (const TimeMode time : {TimeMode::simulated, TimeMode::wall}) {
      c.time = time;
      const RunResult found = problem.run("pipedream");
      CHECK(found.summary.model_hash == expected.summary.model_hash);
      CHECK(found.summary.samples == expected.summary.samples);
      REQUIRE(found.metrics.size() == expected.metrics.size());
      for (std::size_t look = 0; look < found.metrics.size(); ++look) {
        CHECK(found.metrics[look].train_loss == expected.metrics[look].train_loss);
      }
      CHECK((found.summary.model_hash == fresh.summary.model_hash) == (problem.stages == 1));
    }
    stale += problem.stages > 1 ? 1 : 0;
  }
  CHECK(stale > 10);
}

TEST_CASE("one stage of pipedream is serial SGD bit for bit", "[scheme]") {
  const LoadedData data = test::dense_problem();
  Configuration c = test::quick("sequential", 1, 50);
  c.model = "mlp:9,7";
  const RunResult serial = test::train(c, data);
  c.scheme = "pipedream";
  const RunResult alone = test::train(c, data);
  CHECK(alone.summary.model_hash == serial.summary.model_hash);
  REQUIRE(alone.summary.staleness);
  CHECK(alone.summary.staleness->max == 0);
}

TEST_CASE("stage s of pipedream is p - s - 1 updates late and keeps p - s versions", "[scheme]") {
  const LoadedData data = test::dense_problem();
  constexpr int stages = 4;
  constexpr std::uint64_t steps = 25;
  Configuration c = test::quick("pipedream", stages, steps);
  c.model = "mlp:9,8,7";
  c = resolve(c, {"pipedream"}, data, {});
  std::vector<int> versions(stages, 0), activations(stages, 0);
  RunHooks hooks;
  hooks.finished = [&](const RunState& state) {
    for (int s = 0; s < stages; ++s) {
      for (const KeptVector& kept : state.kept_by(s)) {
        if (kept.name.starts_with("weights(")) ++versions[static_cast<std::size_t>(s)];
        if (kept.name.starts_with("activations(")) ++activations[static_cast<std::size_t>(s)];
      }
    }
  };
  const RunResult result = run_experiment(plan_run(c, data), hooks);
  CHECK(versions == std::vector<int>{4, 3, 2, 0});  // the last one's is what it has
  CHECK(activations == std::vector<int>{0, 3, 2, 1});
  // Each stage is there once it has been through as many, one after the other, as it is late.
  for (std::uint64_t late = 0; late < stages; ++late) {
    const std::uint64_t getting_there = stages - 1 - late;  // stages that are later still
    CHECK(result.staleness.count(late) == (steps - late) + getting_there);
  }
  CHECK(result.summary.staleness->max == stages - 1);
}

TEST_CASE("once it is full a step of pipedream takes its slowest stage's time", "[scheme]") {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    PipelineProblem problem = problem_of(seed);
    Configuration& c = problem.configuration;
    CAPTURE(seed, c.model, problem.stages);
    const auto seconds_of = [&](std::uint64_t steps) {
      c.steps = steps;
      return problem.run("pipedream").summary.seconds;
    };
    double slowest = 0.0;
    const Plan plan = plan_run(c, problem.data);
    for (const Stage& stage : plan.model->layered()->cut(problem.stages)) {
      slowest = std::max(slowest, 1e-3 * problem.stages * (stage.forward + stage.backward));
    }
    CHECK((seconds_of(80) - seconds_of(40)) / 40 == Approx(slowest).epsilon(1e-6));
  }
}

TEST_CASE("two pipelines of pipedream step together", "[scheme]") {
  const LoadedData data = test::dense_problem();
  Configuration c = test::quick("pipedream", 6, 30);
  c.model = "mlp:9,8";
  c.hyperparameters["stages"] = 3;
  const RunResult simulated = test::train(c, data);
  CHECK(simulated.summary.consensus_distance == 0.0);
  CHECK(simulated.summary.samples == 30U * 6U * 4U);
  CHECK(simulated.summary.train_loss < simulated.metrics.front().train_loss);
  c.time = TimeMode::wall;
  CHECK(test::train(c, data).summary.model_hash == simulated.summary.model_hash);
}
