// FedProx: against its rule written out; fedavg to the bit without its pull; and where it rests.
#include <cmath>

#include "trainyard/scheme/scheme.hpp"

#include "support/federated.hpp"
#include "support/training.hpp"

using namespace trainyard;

namespace {

constexpr int steps_of_round = 4;
constexpr double mu = 0.6;

struct State {
  double x = 0.0;
};

State after_round(const State& before, const std::vector<std::size_t>& drawn) {
  State after;
  for (const std::size_t i : drawn) {
    double y = before.x;
    for (int step = 0; step < steps_of_round; ++step) {
      y -= test::federated_lr * (test::federated_gradient(i, y) + mu * (y - before.x));
    }
    after.x += y / static_cast<double>(drawn.size());
  }
  return after;
}

}  // namespace

TEST_CASE("fedprox draws workers back to the model that a round began from",
          "[scheme][rule:fedprox]") {
  for (const int many : {1, 2, 3, 5}) {
    Configuration c = test::federated("fedprox", steps_of_round, many / 5.0, 1);
    c.hyperparameters["proximal-mu"] = mu;
    test::follow_rounds(c, 25, many, State{}, after_round);
  }
}

TEST_CASE("fedprox without a pull is fedavg to the bit", "[scheme]") {
  for (const LoadedData& data : {test::dense_problem(), test::sparse_problem()}) {
    for (const std::size_t batch : {1U, 4U}) {
      for (const double l2 : {0.0, 1e-3}) {
        CAPTURE(data.name, batch, l2);
        Configuration c = test::quick("fedprox", 5, 60);
        c.batch = batch;
        c.l2 = l2;
        c.hyperparameters["proximal-mu"] = 0.0;
        const RunResult found = test::train(c, data);
        c = test::quick("fedavg", 5, 60);
        c.batch = batch;
        c.l2 = l2;
        CHECK(found.summary.model_hash == test::train(c, data).summary.model_hash);
      }
    }
  }
}

// w_i = h_i / (h_i + μ) · (1 − (1 − γ (h_i + μ))^τ)
TEST_CASE("fedprox rests nearer to the optimum than fedavg, and not at it", "[scheme]") {
  Configuration c = test::federated("fedprox", 5, 1.0, 600);
  c.hyperparameters["proximal-mu"] = 1.0;
  const test::Replicas found = test::run_on_quadratic(c, test::federated_data());
  const double rest = test::weighed_minima([](std::size_t, double h) {
    return h / (h + 1.0) * (1.0 - std::pow(1.0 - test::federated_lr * (h + 1.0), 5));
  });
  CHECK(found.model[0] == Approx(rest).epsilon(1e-12));
  // Worked out elsewhere, with data that are no floats.
  CHECK(rest == Approx(0.06923335468483).epsilon(1e-6));
}
