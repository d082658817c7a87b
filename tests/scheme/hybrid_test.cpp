// Data × pipeline × tensor: pipelines whose stages are split among several workers each.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "trainyard/base/error.hpp"
#include "trainyard/configuration/split.hpp"
#include "trainyard/run/resolve.hpp"
#include "trainyard/runtime/run_state.hpp"
#include "trainyard/scheme/pipeline.hpp"

#include "scheme/pipeline_problems.hpp"
#include "support/catch.hpp"
#include "support/data_sets.hpp"
#include "support/training.hpp"

using namespace trainyard;
using test::PipelineProblem;

namespace {

/// Two pairs of layers alike.
Configuration alike(const std::string& scheme, const Split& split, int microbatches) {
  Configuration c = test::quick(scheme, 1, 1);
  set_split(c, split);
  c.model = "mlp:16,16,16";
  c.batch = 8;
  if (scheme != "pipedream") c.hyperparameters["microbatches"] = microbatches;
  return c;
}

const LoadedData& wide_data() {
  static const LoadedData data{"blobs", generate_blobs(400, 16, 16, 1.0, 3),
                               generate_blobs(50, 16, 16, 1.0, 4)};
  return data;
}

/// What a row's closed form is told of a run.
struct Step {
  explicit Step(const Plan& plan)
      : c(plan.configuration),
        setting{.workers = c.workers,
                .servers = 1,
                .parameters = plan.model->dimension(),
                .compute = *c.compute_time,
                .message = floats,
                .message_of_bytes = bytes,
                .model = plan.model.get(),
                .ingredients = plan.ingredients,
                .hyperparameters = c.hyperparameters,
                .batch = c.batch} {}

  const Configuration& c;
  const FloatMessages floats{c.network};
  const ByteMessages bytes{c.network};
  const StepSetting setting;
};

Plan planned(Configuration c) {
  return plan_run(resolve(c, {c.scheme}, wide_data(), {}), wide_data());
}

}  // namespace

TEST_CASE("pipelines of split stages train the model of one rank", "[scheme]") {
  int cut = 0, several = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    PipelineProblem problem(seed, 2 + static_cast<int>(seed % 2));
    Configuration& c = problem.configuration;
    c.optimizer.kind = seed % 3 == 0 ? OptimizerKind::adam : OptimizerKind::sgd;
    if (seed % 3 == 1) c.optimizer.momentum = 0.9;
    if (seed % 3 == 0) c.optimizer.lr = 0.003;
    CAPTURE(seed, c.model, problem.pipelines, problem.stages, problem.parts, problem.microbatches,
            c.batch);
    cut += problem.stages > 1 ? 1 : 0;
    several += problem.pipelines > 1 ? 1 : 0;
    const RunResult one = problem.run_on_one_rank();
    std::vector<std::string> hashes;
    for (const char* scheme : {"gpipe", "1f1b"}) {
      for (const TimeMode time : {TimeMode::simulated, TimeMode::wall}) {
        CAPTURE(scheme, time == TimeMode::wall);
        c.time = time;
        const RunResult split = problem.run(scheme);
        // Sums over parts are rounded otherwise, and Adam divides by what they sum to.
        const double bound = c.optimizer.kind == OptimizerKind::adam ? 2e-3 : 2e-5;
        CHECK(test::difference_of_models(split, one) < bound);
        CHECK(split.summary.samples == one.summary.samples);
        CHECK(split.summary.samples_computed == one.summary.samples);
        CHECK(split.summary.consensus_distance.value_or(0.0) == 0.0);
        hashes.push_back(split.summary.model_hash);
      }
    }
    CHECK(std::ranges::count(hashes, hashes.front()) == 4);
  }
  CHECK(std::min(cut, several) > 10);
}

TEST_CASE("with one stage a pipeline in parts is tensor-split", "[scheme]") {
  for (const int parts : {2, 4}) {
    for (const int copies : {1, 2}) {
      Configuration c = alike("gpipe", {.data = copies, .pipeline = 1, .tensor = parts}, 1);
      c.steps = 20;
      const RunResult piped = test::train(c, wide_data());
      c.scheme = "tensor-split";
      c.hyperparameters = {{"tensor-size", parts}};
      c.ingredients["collective"] = "ring";
      CAPTURE(parts, copies);
      CHECK(test::train(c, wide_data()).summary.model_hash == piped.summary.model_hash);
    }
  }
}

TEST_CASE("pipedream in parts keeps up with its rule in one piece", "[scheme]") {
  // The same minibatches: each worker's rows in their order, a pipeline's workers side by side.
  const auto trained = [&](const Split& split, std::size_t batch) {
    Configuration c = alike("pipedream", split, 1);
    c.batch = batch;
    c.steps = 1;
    c.evaluate_every = 100.0;
    RunResult one_step = test::train(c, wide_data());
    c.steps = 40;
    return std::pair{std::move(one_step), test::train(c, wide_data())};
  };
  const auto [first, split] = trained({.data = 1, .pipeline = 2, .tensor = 2}, 8);
  const auto [whole_first, whole] = trained({.data = 1, .pipeline = 2, .tensor = 1}, 16);
  CHECK(first.summary.samples == whole_first.summary.samples);
  CHECK(split.summary.train_loss == Approx(whole.summary.train_loss).epsilon(0.1));
  CHECK(split.summary.train_loss < 0.7 * first.summary.train_loss);
}

TEST_CASE("a hybrid's step is its closed form where nothing meets on the way", "[scheme]") {
  for (const Split& split : {Split{1, 2, 2}, Split{2, 2, 2}, Split{1, 2, 4}, Split{2, 1, 2}}) {
    for (const int microbatches : {1, 2, 4, 8}) {
      for (const std::string scheme : {"gpipe", "1f1b"}) {
        CAPTURE(split.text(), microbatches, scheme);
        Configuration c = alike(scheme, split, microbatches);
        c.network = {};
        const Plan free = planned(c);
        const auto time = find_scheme(scheme).cost.time(Step(free).setting);
        REQUIRE(time);
        CHECK(run_experiment(free, {}).summary.seconds == Approx(to_seconds(*time)).epsilon(1e-6));
        // With m microbatches of p stages alike but for the first layer, which passes nothing down.
        const double m = microbatches, p = split.pipeline;
        CHECK(to_seconds(*time) <= 1e-3 * (m + p - 1) / m * 1.1);
        CHECK(to_seconds(*time) >= 1e-3 * (m + p - 1) / m * 0.95);
      }
      if (split.pipeline > 1) continue;
      Configuration c = alike("gpipe", split, microbatches);
      c.network = {.latency = std::chrono::microseconds(50), .bytes_per_second = 1e6};
      const Plan plan = planned(c);
      const auto time = find_scheme("gpipe").cost.time(Step(plan).setting);
      REQUIRE(time);
      // Parts but the first have no biases of the second layer, and their twins are done earlier.
      const double first = run_experiment(plan, {}).summary.seconds;
      CHECK(first == Approx(to_seconds(*time)).epsilon(1e-6));
    }
  }
}

TEST_CASE("a hybrid's step is near its recurrence where messages take time", "[scheme]") {
  for (const Split& split : {Split{1, 2, 2}, Split{2, 2, 2}, Split{1, 2, 4}, Split{2, 2, 4}}) {
    for (const int microbatches : {1, 2, 4, 8}) {
      for (const double rate : {1e6, 2e7}) {
        CAPTURE(split.text(), microbatches, rate);
        Configuration c = alike("gpipe", split, microbatches);
        c.network = {.latency = std::chrono::microseconds(20), .bytes_per_second = rate};
        const Plan plan = planned(c);
        const Step step(plan);
        CHECK_FALSE(find_scheme("gpipe").cost.time(step.setting));
        const double told = to_seconds(flush_time(*PipelineTimes::of(step.setting)));
        const double taken = run_experiment(plan, {}).summary.seconds;
        CHECK(taken == Approx(told).epsilon(0.1));
        if (microbatches == 1) CHECK(taken == Approx(told).epsilon(1e-6));
      }
    }
  }
}

TEST_CASE("a hybrid sends units in its stages, between them, and gradients to its twins",
          "[scheme]") {
  for (const Split& split : {Split{1, 2, 2}, Split{3, 2, 2}, Split{2, 2, 4}, Split{2, 1, 4}}) {
    for (const std::string scheme : {"gpipe", "1f1b"}) {
      CAPTURE(split.text(), scheme);
      const Plan plan = planned(alike(scheme, split, 4));
      const double rows = 8.0 * split.pipeline * split.tensor, unit = 16 * sizeof(float);
      // All-reduces of a ring send 2(T − 1) vectors: forward one for each of two pairs, backward
      // one for the slopes of what goes into the second pair.
      const double in_stages = 3 * 2 * (split.tensor - 1) * rows * unit;
      const double between = 2.0 * split.tensor * (split.pipeline - 1) * rows * unit;
      const double of_model = static_cast<double>(plan.model->dimension()) * sizeof(float);
      const double expected =
          split.data * (in_stages + between) + 2.0 * (split.data - 1) * of_model;
      CHECK(static_cast<double>(run_experiment(plan, {}).summary.bytes_sent) == expected);
    }
  }
}

TEST_CASE("parts of stages keep their share of the model and what is on its way", "[scheme]") {
  const Plan plan = planned(alike("1f1b", {.data = 1, .pipeline = 2, .tensor = 2}, 4));
  RunHooks hooks;
  std::vector<std::size_t> activations(4, 0);
  hooks.finished = [&](const RunState& state) {
    for (int rank = 0; rank < 4; ++rank) {
      for (const KeptVector& vector : state.kept_by(rank)) {
        if (!vector.name.starts_with("activations(")) continue;
        activations[static_cast<std::size_t>(rank)] += vector.values.size();
      }
    }
  };
  (void)run_experiment(plan, hooks);
  // The last stage takes in 8 rows of 16 units at a time, at both parts.
  CHECK(activations == std::vector<std::size_t>{0, 0, 8 * 16, 8 * 16});
  const std::vector<Holding> held = holdings_of(
      *plan.scheme, cast_of(*plan.scheme, plan.configuration), *plan.model, "mlp:16,16,16");
  std::vector<int> holders(plan.model->dimension(), 0);
  for (const Holding& part : held) {
    for (const ParameterRange& range : part.ranges) {
      for (std::size_t j = 0; j < range.count; ++j) ++holders[range.first + j];
    }
  }
  CHECK(std::ranges::count(holders, 1) == std::ssize(holders));
}

TEST_CASE("stages are chosen among pairs of layers, and splits that cannot be are refused",
          "[scheme]") {
  Configuration c = alike("gpipe", {.data = 1, .pipeline = 2, .tensor = 2}, 4);
  c.hyperparameters["stages"] = 0;
  CHECK(resolve(c, {"gpipe"}, wide_data(), {}).hyperparameters.at("stages") == 2);
  c.workers = 16;
  CHECK(resolve(c, {"gpipe"}, wide_data(), {}).hyperparameters.at("stages") == 2);
  const auto refused = [&](const std::string& why) {
    CHECK_THROWS_WITH(resolve(c, {"gpipe"}, wide_data(), {}), why);
  };
  c.hyperparameters["tensor-size"] = 3;
  refused(
      "--tensor-size 3: 16 workers make no copies of the model with so many each; a number that "
      "divides 16 is accepted");
  c.hyperparameters = {{"stages", 3}, {"tensor-size", 2}, {"microbatches", 1}};
  refused(
      "--stages 3: 16 workers, of which 2 hold a stage together, are no pipelines of so many "
      "stages; a number that divides 8 is accepted");
  c.hyperparameters["stages"] = 4;
  CHECK_THROWS_WITH(planned(c),
                    "--model mlp:16,16,16: gpipe: a model of 4 layers cannot be cut into 4 stages, "
                    "of which each has a multiple of 2");
  c.hyperparameters = {{"stages", 1}, {"tensor-size", 2}, {"microbatches", 17}};
  refused(
      "--microbatches 17: a pipeline's minibatch has 16 rows (8 of each of its 2 workers), and a "
      "microbatch one at least");
}

// Two ranks fit two cores; eight share them. What is trained does not depend on it, but for the
// order of sums.
TEST_CASE("on threads a hybrid is as good on fashion-mnist as one rank", "[scheme][slow]") {
  const std::filesystem::path folder = test::large_sets_with("fashion-mnist");
  if (folder.empty()) return;
  Configuration c;
  c.dataset = "fashion-mnist";
  c.data_dir = folder;
  c.model = "mlp:256,128";
  c.steps = 100;
  c.evaluate_every = 1e6;
  c.time = TimeMode::wall;
  const LoadedData data = load_dataset(dataset_request(c));
  for (const Split split : {Split{1, 2, 1}, Split{1, 1, 2}, Split{2, 2, 2}}) {
    c.scheme = "sequential";
    c.workers = split.workers();
    c.batch = 64 / static_cast<std::size_t>(split.workers());
    c.hyperparameters.clear();
    const Summary alone = test::train(c, data).summary;
    REQUIRE(alone.test_accuracy.value() > 0.6);
    c.scheme = "1f1b";
    set_split(c, split);
    const Summary divided = test::train(c, data).summary;
    CAPTURE(split.text());
    CHECK(divided.train_loss == Approx(alone.train_loss).epsilon(1e-4));
    CHECK(divided.test_accuracy.value() == Approx(alone.test_accuracy.value()).margin(1e-3));
  }
}
