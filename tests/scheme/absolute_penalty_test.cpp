// μ‖w‖₁ over the whole table: a scheme has a step for it, or refuses it by name.
#include <algorithm>
#include <cmath>
#include <span>

#include "trainyard/scheme/scheme.hpp"

#include "support/catch.hpp"
#include "support/training.hpp"

using namespace trainyard;

namespace {

bool takes_it(const Scheme& scheme) {
  return scheme.optimizers.no_l1.empty() && scheme.name != "buckwild";
}

bool all_zero(std::span<const float> model) {
  return std::ranges::all_of(model, [](float w) { return w == 0.0F; });
}

}  // namespace

// From zeros, with μ longer than every gradient, no step leaves them; a step that went past the
// optimizer would.
TEST_CASE("a large penalty holds every weight of every scheme that takes it at 0", "[scheme]") {
  int taken = 0;
  for (const bool sparse : {false, true}) {
    const LoadedData data = sparse ? test::sparse_problem() : test::dense_problem();
    for (const Scheme& scheme : schemes()) {
      if (test::divides_layers(scheme)) continue;  // networks do not begin with zeros
      CAPTURE(scheme.name, sparse);
      Configuration c = test::quick(scheme.name, 4, 10);
      c.l1 = 100.0;
      c.optimizer.lr = 0.02;
      if (!takes_it(scheme)) {
        CHECK_THROWS_WITH(test::train(c, data), ContainsSubstring("l1 100: " + scheme.name + " "));
        continue;
      }
      const RunResult result = test::train(c, data);
      CHECK(result.summary.train_loss == Approx(std::log(2.0)).epsilon(1e-6));
      ++taken;
      c.l1 = 0.0;
      CHECK(test::train(c, data).summary.model_hash != result.summary.model_hash);
    }
  }
  CHECK(taken > 60);
}

TEST_CASE("what has no step for a penalty says so", "[scheme]") {
  const LoadedData data = test::dense_problem();
  Configuration c = test::quick("ring", 4, 10);
  c.l1 = 0.01;
  for (const OptimizerKind kind :
       {OptimizerKind::nesterov, OptimizerKind::adam, OptimizerKind::adamw}) {
    c.optimizer = {.kind = kind, .lr = 0.02, .momentum = 0.5};
    CHECK_THROWS_WITH(test::train(c, data),
                      ContainsSubstring("--l1 0.01: " + optimizer_text(kind) + " has no step"));
  }
  c.optimizer = {.lr = 0.02};
  c.target_gradient = 0.1;
  CHECK_THROWS_WITH(test::train(c, data), ContainsSubstring("--l1 0.01: --target-gradient"));
  c.target_gradient.reset();
  c.gradient_norm = true;
  CHECK_THROWS_WITH(test::train(c, data), ContainsSubstring("--l1 0.01: --gradient-norm"));
}

// The same threshold everywhere: what is left of it would be a larger objective.
TEST_CASE("schemes that take a penalty come to the objective of one worker", "[scheme]") {
  const LoadedData data = test::dense_problem();
  Configuration c = test::quick("sequential", 4, 400);
  c.l1 = 0.02;
  c.l2 = 1e-3;
  c.optimizer.lr = 0.1;
  const double one = test::train(c, data).summary.train_loss;
  for (const Scheme& scheme : schemes()) {
    if (!takes_it(scheme) || test::divides_layers(scheme)) continue;
    CAPTURE(scheme.name);
    c.scheme = scheme.name;
    const RunResult result = test::train(c, data);
    CHECK(result.summary.train_loss < 1.03 * one);
    CHECK(result.summary.train_loss > 0.97 * one);
  }
}

TEST_CASE("networks lose their weights and keep their biases, whoever holds which part",
          "[scheme]") {
  const LoadedData data = test::dense_problem();
  for (const Scheme& scheme : schemes()) {
    if (!takes_it(scheme)) continue;
    CAPTURE(scheme.name);
    Configuration c = test::quick(scheme.name, 4, 20);
    c.model = "mlp:12,8";
    c.servers = 3;
    c.l1 = 100.0;
    c.optimizer.lr = 0.05;
    const RunResult result = test::train(c, data);
    const std::span<const float> model = result.model.view().floats();
    const auto model_of_run = make_model({c.model, 0.0, c.l1}, data.train);
    const AbsolutePenalty penalty = model_of_run->absolute_penalty();
    for (const auto [first, count] : penalty.weights) {
      CHECK(all_zero(model.subspan(first, count)));
    }
    CHECK_FALSE(all_zero(model.last(2)));
  }
}

TEST_CASE("synchronous schemes make the same proximal steps", "[scheme]") {
  const LoadedData data = test::dense_problem();
  Configuration c = test::quick("ring", 4, 50);
  c.model = "mlp:6";
  c.servers = 3;
  c.l1 = 0.02;
  for (const OptimizerOptions& optimizer :
       {OptimizerOptions{.lr = 0.2}, OptimizerOptions{.lr = 0.05, .momentum = 0.8},
        OptimizerOptions{.kind = OptimizerKind::adagrad, .lr = 0.05}}) {
    c.optimizer = optimizer;
    c.scheme = "ring";
    const RunResult ring = test::train(c, data);
    const std::span<const float> expected = ring.model.view().floats();
    CHECK(std::ranges::count(expected, 0.0F) > 5);
    for (const char* scheme : {"sequential", "zero-1", "ps-sync", "ddp"}) {
      CAPTURE(scheme, optimizer_text(optimizer.kind), optimizer.momentum);
      c.scheme = scheme;
      const RunResult result = test::train(c, data);
      const std::span<const float> model = result.model.view().floats();
      REQUIRE(model.size() == expected.size());
      for (std::size_t j = 0; j < model.size(); ++j) {
        CHECK(model[j] == Approx(expected[j]).epsilon(1e-3).margin(1e-5));
      }
    }
  }
}
