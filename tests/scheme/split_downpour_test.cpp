// Downpour whose replicas lie on several workers each: the model that whole replicas train, in
// messages about parts.
#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <vector>

#include "trainyard/base/error.hpp"
#include "trainyard/base/even_split.hpp"
#include "trainyard/run/plan.hpp"
#include "trainyard/runtime/run_state.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "scheme/pipeline_problems.hpp"
#include "support/catch.hpp"
#include "support/training.hpp"

using namespace trainyard;

namespace {

constexpr std::size_t rows = 300;

const LoadedData& blobs() {
  static const LoadedData data{"blobs", generate_blobs(rows, 12, 4, 1.0, 3),
                               generate_blobs(50, 12, 4, 1.0, 4)};
  return data;
}

/// So many replicas on so many workers each. A replica takes all of its rows in a step, the same
/// ones whatever its workers are; what it computes then differs in its rounding only.
Configuration replicas(int number, int tensor_size, const std::string& model,
                       std::uint64_t steps = 30) {
  Configuration c = test::quick("downpour", number * tensor_size, steps);
  c.model = model;
  c.batch = rows / static_cast<std::size_t>(c.workers);
  c.partition.kind = PartitionRule::Kind::contiguous;
  c.hyperparameters["tensor-size"] = tensor_size;
  c.l2 = 1e-3;
  c.optimizer.lr = 0.2;
  c.optimizer.lr_decay = 0.3;
  return c;
}

struct Periods {
  double fetch, push;
};

void set_periods(Configuration& c, const Periods& periods) {
  c.hyperparameters["fetch-period"] = periods.fetch;
  c.hyperparameters["push-period"] = periods.push;
}

/// All workers of replica `number` are so much slower.
void slow_down(Configuration& c, int number, double factor) {
  const int size = static_cast<int>(c.hyperparameters.at("tensor-size"));
  for (int part = 0; part < size; ++part) c.stragglers.push_back({number * size + part, factor});
}

void set_optimizer(Configuration& c, OptimizerKind kind) {
  c.optimizer.kind = kind;
  if (kind == OptimizerKind::adam || kind == OptimizerKind::adagrad) c.optimizer.lr = 0.01;
  if (kind == OptimizerKind::nesterov) c.optimizer.momentum = 0.5;
}

constexpr std::array all_optimizers{OptimizerKind::sgd, OptimizerKind::nesterov,
                                    OptimizerKind::adagrad, OptimizerKind::adam};

/// Roots of small sums of squares make much of how those are rounded.
double bound(OptimizerKind kind) {
  return kind == OptimizerKind::adagrad || kind == OptimizerKind::adam ? 1e-4 : 1e-5;
}

}  // namespace

TEST_CASE("a replica on several workers trains the model of one on one worker", "[scheme]") {
  for (const std::string model : {"mlp:10", "mlp:10,8", "mlp:9,7,8,6"}) {
    for (const OptimizerKind kind : all_optimizers) {
      for (const Periods& periods : {Periods{1, 1}, Periods{3, 2}}) {
        for (const int servers : {1, 3}) {
          const auto trained = [&](int tensor_size, TimeMode time) {
            Configuration c = replicas(1, tensor_size, model);
            set_optimizer(c, kind);
            set_periods(c, periods);
            c.servers = servers;
            c.time = time;
            return test::train(c, blobs());
          };
          const RunResult whole = trained(1, TimeMode::simulated);
          for (const int tensor_size : {2, 3, 5}) {
            CAPTURE(model, static_cast<int>(kind), periods.fetch, servers, tensor_size);
            const RunResult split = trained(tensor_size, TimeMode::simulated);
            CHECK(test::difference_of_models(split, whole) < bound(kind));
            CHECK(split.summary.train_loss < 0.9 * split.metrics.front().train_loss);
            CHECK(split.summary.samples == whole.summary.samples);
            CHECK(split.summary.samples_computed == whole.summary.samples_computed);
            CHECK_FALSE(split.summary.consensus_distance);
            // Nobody else talks to the servers.
            if (periods.fetch == 1 || servers == 1 || tensor_size != 2) continue;
            CHECK(trained(tensor_size, TimeMode::wall).summary.model_hash ==
                  split.summary.model_hash);
          }
        }
      }
    }
  }
}

TEST_CASE("replicas on several workers are as asynchronous as whole ones", "[scheme]") {
  for (const bool alike : {true, false}) {
    for (const OptimizerKind kind : {OptimizerKind::sgd, OptimizerKind::adagrad}) {
      for (const Periods& periods : {Periods{1, 1}, Periods{3, 2}, Periods{1, 4}}) {
        for (const double warm_start : {0.0, 7.0, 1000.0}) {
          const auto trained = [&](int tensor_size) {
            Configuration c = replicas(3, tensor_size, "mlp:12,8", 40);
            set_optimizer(c, kind);
            set_periods(c, periods);
            c.servers = 2;
            c.hyperparameters["warm-start"] = warm_start;
            c.evaluate_every = 2.0;
            if (!alike) {
              slow_down(c, 1, 1.37);
              slow_down(c, 2, 2.11);
            }
            return test::train(c, blobs());
          };
          const RunResult whole = trained(1);
          REQUIRE(whole.summary.staleness);
          CHECK((whole.summary.staleness->mean > 0.5 || warm_start > 7));
          for (const int tensor_size : {2, 4}) {
            CAPTURE(alike, static_cast<int>(kind), periods.fetch, periods.push, warm_start,
                    tensor_size);
            const RunResult split = trained(tensor_size);
            CHECK(test::difference_of_models(split, whole) < bound(kind));
            CHECK(split.summary.seconds == Approx(whole.summary.seconds).epsilon(1e-6));
            CHECK(split.summary.staleness->mean == Approx(whole.summary.staleness->mean));
            CHECK(split.summary.samples_computed == whole.summary.samples_computed);
            REQUIRE(split.metrics.size() == whole.metrics.size());
            CHECK(split.metrics.size() > 10);
            for (std::size_t i = 0; i < split.metrics.size(); ++i) {
              CHECK(split.metrics[i].samples == whole.metrics[i].samples);
            }
          }
        }
      }
    }
  }
}

namespace {

/// Two pairs of layers alike, all of their sizes divided by the workers of a replica.
Configuration alike(int number, int tensor_size, int servers) {
  Configuration c = test::quick("downpour", number * tensor_size, 6);
  c.model = "mlp:16,16,16";
  c.batch = 8;
  c.servers = servers;
  c.hyperparameters["tensor-size"] = tensor_size;
  return c;
}

const LoadedData& wide_data() {
  static const LoadedData data{"blobs", generate_blobs(400, 16, 16, 1.0, 3), {}};
  return data;
}

Plan planned(Configuration c) {
  return plan_run(resolve(c, {c.scheme}, wide_data(), {}), wide_data());
}

/// How many of a worker's parameters lie on a server.
std::size_t in_common(const Plan& plan, int worker, int server) {
  std::vector<double> numbers(plan.model->dimension());
  for (std::size_t j = 0; j < numbers.size(); ++j) numbers[j] = static_cast<double>(j);
  const std::span<const double> shard =
      even_split(std::span<const double>(numbers), server, plan.cast.servers);
  std::set<std::size_t> held;
  for (const ParameterRange& range : plan.holdings[static_cast<std::size_t>(worker)].ranges) {
    for (std::size_t j = 0; j < range.count; ++j) held.insert(range.first + j);
  }
  return static_cast<std::size_t>(std::ranges::count_if(
      shard, [&](double j) { return held.contains(static_cast<std::size_t>(j)); }));
}

}  // namespace

TEST_CASE("each worker of a replica tells each server what both hold and no more", "[scheme]") {
  for (const int tensor_size : {2, 4}) {
    for (const int servers : {1, 3, 40}) {
      const Plan plan = planned(alike(2, tensor_size, servers));
      TraceRecorder recorder({.first = 0, .last = 1000});
      RunHooks hooks;
      hooks.recorder = &recorder;
      const RunResult result = run_experiment(plan, hooks);
      CAPTURE(tensor_size, servers);
      const int workers = plan.cast.workers;
      std::vector<std::vector<std::uint64_t>> up(static_cast<std::size_t>(workers)), down = up;
      for (auto* both : {&up, &down}) {
        for (auto& of_worker : *both) of_worker.resize(static_cast<std::size_t>(servers));
      }
      std::uint64_t about_parameters = 0;
      for (const Transfer& message : result.trace->messages) {
        const bool is_up = message.to >= workers, is_down = message.from >= workers;
        if (!is_up && !is_down) continue;
        const int worker = is_up ? message.from : message.to;
        const int server = (is_up ? message.to : message.from) - workers;
        const std::size_t common = in_common(plan, worker, server);
        CHECK(common > 0);
        CHECK(message.bytes == common * sizeof(float));
        ++(is_up ? up : down)[static_cast<std::size_t>(worker)][static_cast<std::size_t>(server)];
        about_parameters += message.bytes;
      }
      int strangers = 0;
      for (int worker = 0; worker < workers; ++worker) {
        for (int server = 0; server < servers; ++server) {
          const bool common = in_common(plan, worker, server) > 0;
          strangers += common ? 0 : 1;
          const auto w = static_cast<std::size_t>(worker), s = static_cast<std::size_t>(server);
          CHECK(up[w][s] == (common ? 6 : 0));
          CHECK(down[w][s] == (common ? 6 : 0));
        }
      }
      CHECK((strangers > 0) == (servers == 40));
      // Two replicas push and fetch the model six times each; all-reduces of a ring send 2(T − 1)
      // vectors, two forward and one backward.
      CHECK(about_parameters == 2 * 6 * 2 * plan.model->dimension() * sizeof(float));
      const auto parts = static_cast<std::uint64_t>(tensor_size);
      const std::uint64_t units = 3 * 2 * (parts - 1) * (8 * parts) * 16 * sizeof(float);
      CHECK(result.summary.bytes_sent == about_parameters + 2 * 6 * units);
    }
  }
}

TEST_CASE("a worker of a replica keeps its part and a server the state of its shard", "[scheme]") {
  Configuration c = alike(2, 2, 3);
  c.optimizer.kind = OptimizerKind::adagrad;
  const Plan plan = planned(c);
  RunHooks hooks;
  std::size_t accrued = 0, replicas = 0, shards = 0, squares = 0;
  hooks.finished = [&](const RunState& state) {
    for (int rank = 0; rank < plan.cast.ranks(); ++rank) {
      for (const KeptVector& vector : state.kept_by(rank)) {
        if (vector.name == "accrued gradients") accrued += vector.values.size();
        if (vector.name == "replica") replicas += vector.values.size();
        if (vector.name == "shard") shards += vector.values.size();
        if (vector.name == "optimizer.G") squares += vector.values.size();
      }
    }
  };
  (void)run_experiment(plan, hooks);
  const std::size_t model = plan.model->dimension();
  CHECK(accrued == 2 * model);
  CHECK(replicas == 2 * model);
  CHECK(shards == model);
  CHECK(squares == model);
}

TEST_CASE("the workers of a replica end together however the run ends", "[scheme]") {
  for (const TimeMode time : {TimeMode::simulated, TimeMode::wall}) {
    for (const int servers : {1, 2}) {
      Configuration c = alike(3, 2, servers);
      c.time = time;
      c.steps = 301;
      c.stragglers = {{2, 1.7}};
      CAPTURE(static_cast<int>(time), servers);
      CHECK(test::train(c, wide_data()).summary.samples == 301U * 6U * 8U);
      c.evaluate_every = 1.0;
      c.target_loss = 1.0;
      const RunResult early = test::train(c, wide_data());
      CHECK(std::ranges::any_of(early.metrics,
                                [](const Metrics& seen) { return seen.train_loss <= 1.0; }));
      CHECK(early.summary.samples % 16 == 0);
      CHECK(early.summary.samples < 301U * 6U * 8U);
      c.target_loss.reset();
      c.hyperparameters["warm-start"] = 20;
      CHECK(test::train(c, wide_data()).summary.samples == 301U * 6U * 8U);
    }
  }
  Configuration c = alike(3, 2, 1);
  c.stragglers = {{2, 1.7}};
  c.steps.reset();
  c.seconds = std::chrono::milliseconds(40);
  // Steps of 1, 1.7 and 1 ms, two minibatches each, the last ones beyond the end.
  CHECK(test::train(c, wide_data()).summary.samples == 2U * 8U * (40 + 24 + 40));
  // An odd number of minibatches: the last step takes one more.
  Plan plan = planned(alike(3, 2, 1));
  plan.limits.minibatches = 13;
  CHECK(run_experiment(plan, {}).summary.samples == 14U * 8U);
}

TEST_CASE("a slow worker slows its replica and no other", "[scheme]") {
  Configuration c = alike(2, 2, 1);
  c.steps = 30;
  const double even = test::train(c, wide_data()).summary.seconds;
  c.stragglers = {{3, 2.0}};
  // 60 steps at 1 + 1/2 of them a millisecond.
  CHECK(even == Approx(30e-3).epsilon(1e-6));
  CHECK(test::train(c, wide_data()).summary.seconds == Approx(40e-3).epsilon(1e-6));
}

TEST_CASE("replicas that cannot lie on so many workers are refused", "[scheme]") {
  const auto refused = [](const Configuration& c, const std::string& why) {
    CHECK_THROWS_WITH(test::train(c, blobs()), why);
  };
  Configuration c = replicas(6, 1, "mlp:10");
  c.hyperparameters["tensor-size"] = 4;
  refused(c,
          "--tensor-size 4: 6 workers make no copies of the model with so many each; a number that "
          "divides 6 is accepted");
  refused(replicas(2, 3, "softmax"),
          "--model softmax: downpour: a model without layers cannot be divided by them; "
          "mlp:H1,H2,… has layers");
  refused(replicas(1, 6, "mlp:5,8"),
          "--model mlp:5,8: downpour: layer 1 has 5 units, which cannot be split among 6 workers");
  CHECK_NOTHROW(test::train(replicas(3, 1, "softmax"), blobs()));
}
