// Workers that hold a part of each layer train the model that one rank trains, and take as long as
// their part of the arithmetic and the all-reduces of units.
#include "trainyard/model/tensor_split.hpp"

#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "trainyard/base/error.hpp"
#include "trainyard/run/plan.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "support/catch.hpp"
#include "support/training.hpp"

using namespace trainyard;
using test::quick;

namespace {

LoadedData blobs(std::size_t features = 12, int classes = 4) {
  return {"blobs", generate_blobs(300, features, classes, 1.0, 3),
          generate_blobs(50, features, classes, 1.0, 4)};
}

Configuration setting(const std::string& scheme, const std::string& model, int workers,
                      std::uint64_t steps = 30) {
  Configuration c = quick(scheme, workers, steps);
  c.model = model;
  c.l2 = 1e-3;
  c.optimizer.lr = 0.2;
  c.evaluate_every = 0.1;
  c.network.latency = std::chrono::microseconds(50);
  c.network.bytes_per_second = 1e6;
  return c;
}

double distance(const RunResult& a, const RunResult& b) {
  const auto x = a.model.view().floats(), y = b.model.view().floats();
  double worst = 0.0, largest = 0.0;
  for (std::size_t j = 0; j < x.size(); ++j) {
    worst = std::max(worst, std::abs(static_cast<double>(x[j]) - y[j]));
    largest = std::max(largest, std::abs(static_cast<double>(y[j])));
  }
  return worst / largest;
}

}  // namespace

TEST_CASE("workers that split each layer train the model of one rank",
          "[scheme][rule:tensor-split]") {
  const LoadedData data = blobs();
  for (const char* model : {"mlp:10", "mlp:10,8", "mlp:10,8,6", "mlp:9,7,8,6"}) {
    for (const auto kind : {OptimizerKind::sgd, OptimizerKind::adam}) {
      for (const int workers : {1, 2, 3, 5}) {
        CAPTURE(model, static_cast<int>(kind), workers);
        Configuration c = setting("tensor-split", model, workers);
        c.optimizer.kind = kind;
        if (kind == OptimizerKind::adam) c.optimizer.lr = 0.01;
        const RunResult split = test::train(c, data);
        c.time = TimeMode::wall;
        CHECK(test::train(c, data).summary.model_hash == split.summary.model_hash);
        c.scheme = "sequential";
        const RunResult one = test::train(c, data);
        CHECK(distance(split, one) < 1e-4);
        CHECK(split.summary.train_loss == Approx(one.summary.train_loss).epsilon(1e-5));
        CHECK(split.summary.train_loss < 0.8 * split.metrics.front().train_loss);
        CHECK(split.summary.samples == one.summary.samples);
        CHECK(split.summary.samples_computed == one.summary.samples_computed);
        CHECK_FALSE(split.summary.consensus_distance);
        // Alone it does what one rank does, but for softmax over scores that lie together.
        const bool same =
            workers == 1 && std::string(model) != "mlp:10,8" && std::string(model) != "mlp:9,7,8,6";
        if (same) CHECK(split.summary.model_hash == one.summary.model_hash);
      }
    }
  }
}

TEST_CASE("copies of a split model average their gradients", "[scheme]") {
  const LoadedData data = blobs();
  for (const char* model : {"mlp:10", "mlp:10,8"}) {
    for (const int size : {1, 2, 3, 6}) {
      for (const char* collective : {"ring", "tree", "recursive-doubling", "rabenseifner"}) {
        CAPTURE(model, size, collective);
        Configuration c = setting("tensor-split", model, 6, 8);
        c.hyperparameters["tensor-size"] = size;
        c.ingredients["collective"] = collective;
        const RunResult split = test::train(c, data);
        c.time = TimeMode::wall;
        CHECK(test::train(c, data).summary.model_hash == split.summary.model_hash);
        c.scheme = "sequential";
        const RunResult one = test::train(c, data);
        CHECK(distance(split, one) < 1e-4);
        CHECK(split.summary.samples == one.summary.samples);
        CHECK(split.summary.samples_computed == one.summary.samples_computed);
        if (size < 6) CHECK(split.summary.consensus_distance == 0.0);
      }
    }
  }
}

namespace {

/// The closed form; empty where parts are uneven.
std::optional<double> closed_form(const Plan& plan) {
  const Configuration& c = plan.configuration;
  const auto time = plan.scheme->cost.time({.workers = c.workers,
                                            .servers = 1,
                                            .parameters = plan.model->dimension(),
                                            .compute = *c.compute_time,
                                            .message = FloatMessages{c.network},
                                            .message_of_bytes = ByteMessages{c.network},
                                            .model = plan.model.get(),
                                            .ingredients = plan.ingredients,
                                            .hyperparameters = c.hyperparameters,
                                            .batch = c.batch});
  if (!time) return std::nullopt;
  return to_seconds(*time);
}

}  // namespace

TEST_CASE("a step of tensor-split takes its part of computing and its all-reduces", "[scheme]") {
  const LoadedData data = blobs(12, 4);
  for (const char* model : {"mlp:16", "mlp:16,8", "mlp:8,12,4", "mlp:8,12,4,16"}) {
    for (const int workers : {1, 2, 4}) {
      for (const int size : {1, 2, 4}) {
        if (workers % size != 0) continue;
        for (const char* collective : {"ring", "tree", "recursive-doubling"}) {
          CAPTURE(model, workers, size, collective);
          Configuration c = setting("tensor-split", model, workers, 1);
          c.hyperparameters["tensor-size"] = size;
          c.ingredients["collective"] = collective;
          const Plan plan = plan_run(resolve(c, {c.scheme}, data, {}), data);
          REQUIRE(closed_form(plan));
          const double step = *closed_form(plan);
          const double first = run_experiment(plan, {}).summary.seconds;
          CHECK(first <= step * (1 + 1e-6));
          // The first part has biases more than the others, and the root of a tree, which has that
          // part, is done earlier than they are.
          const bool root_ahead = std::string(collective) == "tree" && size > 1 && size < workers;
          if (!root_ahead) CHECK(first == Approx(step).epsilon(1e-6));
          // Twins of parts that lack those biases are done a little earlier, and go on.
          c.steps = 10;
          const double ten = test::train(c, data).summary.seconds;
          CHECK(ten <= 10 * step * (1 + 1e-6));
          CHECK(ten > 9.4 * step);
        }
      }
    }
  }
}

TEST_CASE("uneven parts take between their mean and the largest at every turn", "[scheme]") {
  const LoadedData data = blobs(12, 5);
  Configuration c = setting("tensor-split", "mlp:7,9,8", 3, 10);
  const Plan plan = plan_run(resolve(c, {c.scheme}, data, {}), data);
  double largest = 0.0, mean = 0.0;
  for (std::size_t block = 0; block < 2; ++block) {
    double forward = 0.0, backward = 0.0;
    for (int part = 0; part < 3; ++part) {
      const LayeredModel& layers = *plan.model->layered();
      const TensorSplit split(layers, layers.cut(1).front(), part, 3);
      forward = std::max(forward, split.forward_work(block));
      backward = std::max(backward, split.backward_work(block));
      mean += (split.forward_work(block) + split.backward_work(block)) / 3;
    }
    largest += forward + backward;
  }
  CHECK_FALSE(closed_form(plan));
  // All-reduces of 12 rows: of 9 units and of 5 scores forward, of 9 slopes backward, in a ring of
  // four messages each.
  const FloatMessages message{plan.configuration.network};
  const double talk = to_seconds(4 * (2 * message(12 * 9 / 3) + message(12 * 5 / 3)));
  const double compute = to_seconds(*plan.configuration.compute_time);
  const double step = run_experiment(plan, {}).summary.seconds / 10;
  CHECK(largest > mean * 1.01);
  CHECK(step > talk + 3 * compute * mean);
  CHECK(step <= (talk + 3 * compute * largest) * (1 + 1e-9));
}

TEST_CASE("a slow worker slows all that share its copy", "[scheme]") {
  const LoadedData data = blobs();
  Configuration c = setting("tensor-split", "mlp:16,8", 4, 10);
  c.network = {};
  c.stragglers = {{2, 3.0}};
  CHECK(test::train(c, data).summary.seconds == Approx(10 * 3e-3).epsilon(1e-6));
}

TEST_CASE("what cannot be split is refused", "[scheme]") {
  const LoadedData data = blobs();
  const auto refused = [&](const Configuration& c, const std::string& why) {
    CHECK_THROWS_WITH(test::train(c, data), why);
  };
  refused(setting("tensor-split", "softmax", 2),
          "--model softmax: tensor-split: a model without layers cannot be divided by them; "
          "mlp:H1,H2,… has layers");
  refused(setting("tensor-split", "mlp:5,8", 6),
          "--model mlp:5,8: tensor-split: layer 1 has 5 units, which cannot be split among 6 "
          "workers");
  Configuration c = setting("tensor-split", "mlp:5,8", 6);
  c.hyperparameters["tensor-size"] = 4;
  refused(c,
          "--tensor-size 4: 6 workers make no copies of the model with so many each; a number "
          "that divides 6 is accepted");
  c.hyperparameters["tensor-size"] = 7;
  CHECK_THROWS_WITH(test::train(c, data), ContainsSubstring("--tensor-size 7: 6 workers"));
  c.hyperparameters["tensor-size"] = 2;
  for (const char* collective : {"ps", "ps-sharded", "hierarchical"}) {
    c.ingredients["collective"] = collective;
    CHECK_THROWS_WITH(
        test::train(c, data),
        ContainsSubstring("--collective: parts of a model are added up, of many lengths"));
  }
  c.ingredients["collective"] = "ps-colocated";
  CHECK_NOTHROW(test::train(c, data));
}
