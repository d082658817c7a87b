// zero-1 is the ring with the optimizer between its halves: the same bits, times and bytes, and an
// n-th of the optimizer's state.
#include <string>
#include <vector>

#include "trainyard/base/memory_account.hpp"
#include "trainyard/data/generate.hpp"

#include "support/catch.hpp"
#include "support/replicas.hpp"
#include "support/training.hpp"

using namespace trainyard;

namespace {

/// With momentum where the optimizer has it.
OptimizerOptions optimizer(OptimizerKind kind, double momentum = 0.0) {
  OptimizerOptions options{.kind = kind, .lr = 0.1, .momentum = momentum};
  options.lr_schedule = parse_lr_schedule("cosine", "test");
  options.warmup = 0.5;
  return options;
}

const std::vector<OptimizerOptions> optimizers{
    optimizer(OptimizerKind::sgd),           optimizer(OptimizerKind::sgd, 0.9),
    optimizer(OptimizerKind::nesterov, 0.9), optimizer(OptimizerKind::adagrad),
    optimizer(OptimizerKind::adam),          optimizer(OptimizerKind::adamw)};

}  // namespace

TEST_CASE("zero-1 is the ring, bit for bit, with every optimizer, in both runtimes",
          "[scheme][rule:zero-1]") {
  // 20 and 37 parameters: parts of uneven size, and none at all for the last of 41 workers.
  for (const LoadedData& data : {test::dense_problem(), test::dense_problem(400, 37)}) {
    for (const int n : {1, 2, 3, 5, 8, 41}) {
      for (const OptimizerOptions& options : optimizers) {
        for (const TimeMode time : {TimeMode::simulated, TimeMode::wall}) {
          if (n == 41 && time == TimeMode::wall) continue;
          CAPTURE(data.train.features, n, optimizer_text(options.kind), options.momentum,
                  time_mode_text(time));
          Configuration c = test::quick("ring", n, 30);
          c.optimizer = options;
          c.l2 = 1e-3;
          const RunResult ring = test::train(c, data);
          c.scheme = "zero-1";
          c.time = time;
          const RunResult sharded = test::train(c, data);
          CHECK(sharded.summary.model_hash == ring.summary.model_hash);
          CHECK(*sharded.summary.consensus_distance == 0.0);
          CHECK(sharded.summary.train_loss < sharded.metrics.front().train_loss);
        }
      }
    }
  }
}

TEST_CASE("zero-1 sends what the ring sends and takes as long", "[scheme]") {
  const LoadedData data = test::dense_problem(400, 37);
  for (const int n : {2, 3, 8}) {
    CAPTURE(n);
    Configuration c = test::quick("ring", n, 12);
    c.network = {.latency = std::chrono::microseconds(70), .bytes_per_second = 1e6};
    const Summary ring = test::train(c, data).summary;
    c.scheme = "zero-1";
    const Summary sharded = test::train(c, data).summary;
    CHECK(sharded.bytes_sent == ring.bytes_sent);
    CHECK(sharded.messages == ring.messages);
    CHECK(sharded.seconds == ring.seconds);
  }
}

TEST_CASE("a worker of zero-1 keeps an n-th of the optimizer's state", "[scheme]") {
  for (const int n : {1, 2, 3, 5}) {
    // Two coordinates, so that from the third worker on there is nothing to keep.
    const Dataset data = test::unlike_data(n);
    for (const OptimizerOptions& options : optimizers) {
      CAPTURE(n, optimizer_text(options.kind), options.momentum);
      Configuration c;
      c.scheme = "ring";
      c.workers = n;
      c.steps = 7;
      c.optimizer = options;
      c.optimizer.lr_schedule = {};
      const test::Replicas ring = test::run_on_quadratic(c, data);
      c.scheme = "zero-1";
      const test::Replicas sharded = test::run_on_quadratic(c, data);
      CHECK(sharded.model == ring.model);
      for (const auto& [name, whole] : ring.kept[0]) {
        if (name == "replica") continue;
        CAPTURE(name);
        std::vector<double> together;
        for (const auto& kept : sharded.kept) {
          const std::vector<double>& part = kept.at(name);
          CHECK(part.size() <=
                (whole.size() + static_cast<std::size_t>(n) - 1) / static_cast<std::size_t>(n));
          together.insert(together.end(), part.begin(), part.end());
        }
        CHECK(together == whole);  // part by part what every worker of the ring has
      }
    }
  }
}

TEST_CASE("a run of zero-1 takes less memory by what its optimizer does not keep", "[scheme]") {
  constexpr int n = 4;
  const LoadedData data{"large", generate_sparse_logistic(64, 20000, 4, 3), {}};
  const auto models = [&](const char* scheme, OptimizerKind kind) {
    Configuration c = test::quick(scheme, n, 6);
    c.optimizer = {.kind = kind, .lr = 0.1, .momentum = 0.5};
    const Configuration resolved = resolve(c, {scheme}, data, {});
    reset_memory_peak();
    const std::size_t before = memory_held();
    (void)run_experiment(plan_run(resolved, data), {});
    return static_cast<double>(memory_peak() - before) / (20000.0 * sizeof(float));
  };
  // n states of 1 and 2 vectors against 1 in all.
  CHECK(models("ring", OptimizerKind::sgd) - models("zero-1", OptimizerKind::sgd) ==
        Approx(n - 1).margin(0.05));
  CHECK(models("ring", OptimizerKind::adam) - models("zero-1", OptimizerKind::adam) ==
        Approx(2 * (n - 1)).margin(0.05));
}
