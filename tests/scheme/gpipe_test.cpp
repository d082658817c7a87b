// gpipe and 1f1b, which compute the same in another order: one rank's bits, and their times.
#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <vector>

#include "trainyard/base/error.hpp"
#include "trainyard/base/memory_account.hpp"
#include "trainyard/run/resolve.hpp"
#include "trainyard/runtime/rank_wrapper.hpp"
#include "trainyard/runtime/run_state.hpp"

#include "scheme/pipeline_problems.hpp"
#include "support/catch.hpp"
#include "support/training.hpp"

using namespace trainyard;
using test::PipelineProblem;

namespace {

constexpr std::array both{"gpipe", "1f1b"};
constexpr std::uint64_t seeds = 40;

/// The passes of a stage: which way they go is told by how long they take.
class Passes final : public RankWrapper {
 public:
  Passes(Rank& inside, std::vector<Duration>& lengths) : RankWrapper(inside), lengths_(lengths) {}
  void compute(const ComputeCost& cost, FunctionRef<void()> work) override {
    lengths_.push_back(cost.simulated);
    RankWrapper::compute(cost, work);
  }

 private:
  std::vector<Duration>& lengths_;
};

/// Stages alike: an mlp of `layers` layers of `units`, with a network that takes no time.
Configuration alike(int stages, int microbatches) {
  Configuration c = test::quick("gpipe", stages, 1);
  c.model = "mlp:16";
  for (int layer = 2; layer < stages; ++layer) c.model += ",16";
  c.batch = 24;
  c.hyperparameters = {{"stages", stages}, {"microbatches", microbatches}, {"tensor-size", 1}};
  return c;
}

LoadedData wide_data(std::size_t features = 16) {
  return {"blobs", generate_blobs(400, features, 16, 1.0, 3), {}};
}

/// What the row says of the first step.
double closed_form(const Configuration& c, std::span<const Stage> stages, const char* scheme) {
  const auto time = find_scheme(scheme).cost.time({.workers = c.workers,
                                                   .servers = 1,
                                                   .parameters = 1000,
                                                   .compute = *c.compute_time,
                                                   .message = FloatMessages{c.network},
                                                   .message_of_bytes = ByteMessages{c.network},
                                                   .ingredients = {},
                                                   .hyperparameters = c.hyperparameters,
                                                   .stages = stages,
                                                   .batch = c.batch});
  return time ? to_seconds(*time) : -1.0;
}

/// The least recursion that there is for a stage's passes in a given order: each begins when the
/// one before it has ended there, and the same microbatch's in the stage that it comes from.
class Passed {
 public:
  Passed(std::vector<std::vector<int>> orders, std::vector<double> forward,
         std::vector<double> backward)
      : orders_(std::move(orders)), forward_(std::move(forward)), backward_(std::move(backward)) {}

  double end(std::size_t stage, std::size_t place) {
    const int pass = orders_[stage][place];  // j + 1 forward, −(j + 1) backward
    double begin = place == 0 ? 0.0 : end_of(stage, place - 1);
    const bool up = pass > 0;
    if (up ? stage > 0 : stage + 1 < orders_.size()) {
      const std::size_t from = up ? stage - 1 : stage + 1;
      const auto& order = orders_[from];
      const auto there = std::ranges::find(order, pass) - order.begin();
      begin = std::max(begin, end_of(from, static_cast<std::size_t>(there)));
    }
    return begin + (up ? forward_ : backward_)[stage];
  }
  double all() {
    double last = 0.0;
    for (std::size_t s = 0; s < orders_.size(); ++s) {
      last = std::max(last, end_of(s, orders_[s].size() - 1));
    }
    return last;
  }

 private:
  double end_of(std::size_t stage, std::size_t place) {
    known_.resize(orders_.size(), std::vector<double>(orders_[0].size(), -1.0));
    double& known = known_[stage][place];
    if (known < 0.0) known = end(stage, place);
    return known;
  }
  std::vector<std::vector<int>> orders_;
  std::vector<double> forward_, backward_;
  std::vector<std::vector<double>> known_;
};

/// As Narayanan et al. draw it: warm-up, one and one, cool-down.
std::vector<std::vector<int>> one_and_one(int stages, int microbatches) {
  std::vector<std::vector<int>> orders;
  for (int s = 0; s < stages; ++s) {
    std::vector<int>& order = orders.emplace_back();
    int up = 0, down = 0;
    while (up < std::min(stages - 1 - s, microbatches)) order.push_back(++up);
    while (up < microbatches) {
      order.push_back(++up);
      order.push_back(-++down);
    }
    while (down < microbatches) order.push_back(-++down);
  }
  return orders;
}

}  // namespace

TEST_CASE("gpipe and 1f1b have the bits of one rank that adds up the same microbatches",
          "[scheme][rule:gpipe][rule:1f1b]") {
  int cut = 0, several = 0, uneven = 0;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    PipelineProblem problem(seed);
    Configuration& c = problem.configuration;
    c.optimizer.kind = seed % 3 == 0 ? OptimizerKind::adam : OptimizerKind::sgd;
    if (seed % 3 == 1) c.optimizer.momentum = 0.9;
    if (seed % 3 == 0) c.optimizer.lr = 0.003;
    CAPTURE(seed, c.model, problem.stages, problem.pipelines, problem.microbatches, c.batch);
    cut += problem.stages > 1 ? 1 : 0;
    several += problem.pipelines > 1 ? 1 : 0;
    const auto rows = static_cast<std::size_t>(problem.stages) * c.batch;
    uneven += rows % static_cast<std::size_t>(problem.microbatches) != 0 ? 1 : 0;
    const RunResult one = problem.run_on_one_rank();
    for (const char* scheme : both) {
      for (const TimeMode time : {TimeMode::simulated, TimeMode::wall}) {
        CAPTURE(scheme, time == TimeMode::wall);
        c.time = time;
        const RunResult pipelined = problem.run(scheme);
        // A sum of two is the same in either order; a ring adds up three in the order of its parts.
        if (problem.pipelines < 3) {
          CHECK(pipelined.summary.model_hash == one.summary.model_hash);
        } else {
          CHECK(test::difference_of_models(pipelined, one) < 1e-6);
        }
        CHECK(pipelined.summary.samples == one.summary.samples);
        CHECK(pipelined.summary.samples_computed == one.summary.samples);
        CHECK(pipelined.summary.consensus_distance.value_or(0.0) == 0.0);
      }
    }
  }
  CHECK(std::min({cut, several, uneven}) > static_cast<int>(seeds) / 4);
}

TEST_CASE("with one microbatch a pipeline has the bits of the whole minibatch", "[scheme]") {
  const LoadedData data = wide_data();
  for (const int stages : {1, 2, 4, 7}) {
    Configuration c = alike(std::max(stages, 2), 1);
    c.workers = stages;
    c.hyperparameters["stages"] = stages;
    c.steps = 30;
    c.scheme = "sequential";
    const RunResult one = test::train(c, data);
    for (const char* scheme : both) {
      CAPTURE(stages, scheme);
      c.scheme = scheme;
      CHECK(test::train(c, data).summary.model_hash == one.summary.model_hash);
    }
    c.scheme = "gpipe";
    c.hyperparameters["microbatches"] = 5;
    const RunResult parts = test::train(c, data);
    CHECK(parts.summary.model_hash != one.summary.model_hash);
    CHECK(test::difference_of_models(parts, one) < 1e-5);
  }
}

TEST_CASE("a step of stages that are alike takes (m + p - 1)(f + b)", "[scheme]") {
  for (const int stages : {1, 2, 3, 8}) {
    for (const int microbatches : {1, 2, 4, 8, 24}) {
      Configuration c = alike(stages, microbatches);
      std::vector<Stage> all(static_cast<std::size_t>(stages));
      for (Stage& stage : all) {
        stage.forward = 1.0 / (3.0 * stages);
        stage.backward = 2.0 / (3.0 * stages);
      }
      // f + b = c/m, of a minibatch of each of p workers.
      const double expected = 1e-3 * (microbatches + stages - 1) / microbatches;
      for (const char* scheme : both) {
        CAPTURE(stages, microbatches, scheme);
        CHECK(closed_form(c, all, scheme) == Approx(expected).epsilon(1e-7));
      }
    }
  }
}

TEST_CASE("a step of gpipe takes what its closed form says with its messages", "[scheme]") {
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    PipelineProblem problem(seed);
    Configuration& c = problem.configuration;
    c.steps = 1;
    c.network.latency = std::chrono::microseconds(seed % 2 == 0 ? 40 : 300);
    c.network.bytes_per_second = seed % 3 == 0 ? 1e6 : 2e7;
    const Plan plan = plan_run(c, problem.data);
    const std::vector<Stage> stages = plan.model->layered()->cut(problem.stages);
    CAPTURE(seed, c.model, problem.stages, problem.pipelines, problem.microbatches);
    CHECK(problem.run("gpipe").summary.seconds ==
          Approx(closed_form(c, stages, "gpipe")).epsilon(1e-9));
    // 1f1b has one only where messages take no time.
    CHECK((closed_form(c, stages, "1f1b") < 0.0) == (c.workers > 1));
  }
}

TEST_CASE("where messages take no time both are as long as their order says", "[scheme]") {
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    PipelineProblem problem(seed);
    Configuration& c = problem.configuration;
    c.steps = 1;
    // Microbatches alike: as many rows as there are parts.
    c.batch = static_cast<std::size_t>(problem.microbatches);
    const Plan plan = plan_run(c, problem.data);
    const std::vector<Stage> stages = plan.model->layered()->cut(problem.stages);
    std::vector<double> forward, backward;
    for (const Stage& stage : stages) {
      const double minibatches = 1e-3 * problem.stages / problem.microbatches;
      forward.push_back(minibatches * stage.forward);
      backward.push_back(minibatches * stage.backward);
    }
    const auto sum = [](const std::vector<double>& x) {
      double all = 0.0;
      for (const double value : x) all += value;
      return all;
    };
    const double first =
        sum(forward) + (problem.microbatches - 1) * *std::ranges::max_element(forward);
    const double then =
        sum(backward) + (problem.microbatches - 1) * *std::ranges::max_element(backward);
    CAPTURE(seed, c.model, problem.stages, problem.pipelines, problem.microbatches);
    CHECK(problem.run("gpipe").summary.seconds == Approx(first + then).epsilon(1e-6));
    Passed in_turn(one_and_one(problem.stages, problem.microbatches), forward, backward);
    CHECK(problem.run("1f1b").summary.seconds == Approx(in_turn.all()).epsilon(1e-6));
    CHECK(closed_form(c, stages, "1f1b") == Approx(in_turn.all()).epsilon(1e-6));
  }
}

TEST_CASE("random slowness befalls a step of a stage as it does a minibatch", "[scheme]") {
  const LoadedData data = wide_data();
  Configuration c = alike(2, 4);
  c.workers = 1;
  c.hyperparameters["stages"] = 1;
  c.steps = 30;
  c.compute_noise.exponential = 0.7;
  c.compute_noise.pause_probability = 0.3;
  c.compute_noise.pause = std::chrono::milliseconds(2);
  c.scheme = "sequential";
  const double serial = test::train(c, data).summary.seconds;
  CHECK(serial > 0.04);
  for (const char* scheme : {"gpipe", "1f1b", "pipedream", "tensor-split"}) {
    CAPTURE(scheme);
    c.scheme = scheme;
    CHECK(test::train(c, data).summary.seconds == Approx(serial).epsilon(1e-9));
    Configuration piped = alike(4, 4);
    piped.scheme = scheme;
    if (piped.scheme == "tensor-split") piped.hyperparameters["tensor-size"] = 4;
    piped.steps = 30;
    const double even = test::train(piped, data).summary.seconds;
    piped.compute_noise = c.compute_noise;
    CHECK(test::train(piped, data).summary.seconds > 1.5 * even);
  }
}

TEST_CASE("gpipe has m microbatches on their way at a stage and 1f1b p - s", "[scheme]") {
  const LoadedData data = wide_data();
  constexpr int stages = 5;
  for (const int microbatches : {1, 3, 5, 12}) {
    for (const std::string scheme : both) {
      Configuration c = alike(stages, microbatches);
      c.scheme = scheme;
      c.steps = 3;
      c = resolve(c, {scheme}, data, {});
      std::vector<std::vector<Duration>> passes(stages);
      std::vector<int> kept(stages, 0);
      std::vector<std::size_t> numbers(stages, 0);
      RunHooks hooks;
      hooks.wrap = [&](Rank& rank) {
        return std::make_unique<Passes>(rank, passes[static_cast<std::size_t>(rank.rank())]);
      };
      hooks.finished = [&](const RunState& state) {
        for (int s = 0; s < stages; ++s) {
          for (const KeptVector& vector : state.kept_by(s)) {
            if (!vector.name.starts_with("activations(")) continue;
            ++kept[static_cast<std::size_t>(s)];
            numbers[static_cast<std::size_t>(s)] += vector.values.size();
          }
        }
      };
      const Plan plan = plan_run(c, data);
      (void)run_experiment(plan, hooks);
      const std::vector<Stage> cut = plan.model->layered()->cut(stages);
      for (int s = 0; s < stages; ++s) {
        CAPTURE(microbatches, scheme, s);
        const auto at = static_cast<std::size_t>(s);
        const Duration half = scaled(std::chrono::milliseconds(stages),
                                     (cut[at].forward + cut[at].backward) / 2.0 / microbatches);
        int on_their_way = 0, most = 0;
        // Of the first stage both ways take equally long, and it goes forward as the second does.
        for (const Duration length : passes[s == 0 ? 1 : at]) {
          on_their_way +=
              length < (s == 0 ? scaled(std::chrono::milliseconds(stages),
                                        (cut[1].forward + cut[1].backward) / 2.0 / microbatches)
                               : half)
                  ? 1
                  : -1;
          most = std::max(most, on_their_way);
        }
        CHECK(on_their_way == 0);
        const int expected =
            scheme == "gpipe" ? microbatches : std::min(stages - std::max(s, 1), microbatches);
        CHECK(most == expected);
        if (s == 0) continue;
        CHECK(kept[at] == expected);
        const auto rows = static_cast<std::size_t>(24 * stages / microbatches);
        CHECK(numbers[at] == static_cast<std::size_t>(expected) * rows * cut[at].inputs);
      }
    }
  }
}

TEST_CASE("1f1b holds less memory than gpipe by the activations on their way", "[scheme]") {
  const LoadedData data{"blobs", generate_blobs(2000, 16, 4, 1.0, 3), {}};
  const auto peak = [&](const char* scheme) {
    Configuration c = test::quick(scheme, 4, 2);
    c.model = "mlp:64,64,64";
    c.batch = 256;
    c.hyperparameters = {{"stages", 4}, {"microbatches", 16}};
    c = resolve(c, {scheme}, data, {});
    const Plan plan = plan_run(c, data);
    reset_memory_peak();
    const std::size_t before = memory_held();
    (void)run_experiment(plan, {});
    return static_cast<double>(memory_peak() - before);
  };
  // Of the second to the last stage 64 rows × 64 units from below in 16 places, or in 3, 2 and 1.
  const double from_below = 64 * 64 * sizeof(float);
  CHECK(peak("gpipe") - peak("1f1b") > (3 * 16 - (3 + 2 + 1)) * from_below);
}

TEST_CASE("pipelines that cannot be are refused with what can", "[scheme]") {
  const LoadedData data = wide_data();
  Configuration c = alike(4, 2);
  for (const std::string scheme : {"gpipe", "1f1b", "pipedream"}) {
    c.scheme = scheme;
    c.hyperparameters["stages"] = 3;
    CHECK_THROWS_WITH(test::train(c, data),
                      "--stages 3: 4 workers are no pipelines of so many stages; a number that "
                      "divides 4 is accepted");
    c.hyperparameters["stages"] = 8;
    CHECK_THROWS_WITH(test::train(c, data), ContainsSubstring("--stages 8: 4 workers"));
    c.hyperparameters["stages"] = 4;
    c.model = "mlp:5,5";
    CHECK_THROWS_WITH(
        test::train(c, data),
        "--model mlp:5,5: " + scheme + ": a model of 3 layers cannot be cut into 4 stages");
    c.model = "softmax";
    CHECK_THROWS_WITH(test::train(c, data), ContainsSubstring("mlp:H1,H2,… has layers"));
    c = alike(4, 2);
  }
  c.batch = 2;
  c.hyperparameters["microbatches"] = 9;
  CHECK_THROWS_WITH(test::train(c, data),
                    "--microbatches 9: a pipeline's minibatch has 8 rows (2 of each of its 4 "
                    "workers), and a microbatch one at least");
  c.hyperparameters["microbatches"] = 8;
  CHECK_NOTHROW(test::train(c, data));
}
