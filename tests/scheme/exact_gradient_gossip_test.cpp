// Gossip of models along gradients that an all-reduce makes exact.
#include <cmath>
#include <string>
#include <vector>

#include "trainyard/scheme/scheme.hpp"
#include "trainyard/topology/topology.hpp"

#include "support/catch.hpp"
#include "support/golden.hpp"
#include "support/training.hpp"

using namespace trainyard;
using test::quick;
using test::train;

namespace {

Configuration over(const std::string& topology, int workers, double lr, std::uint64_t steps) {
  Configuration c;
  c.scheme = "exact-gradient-gossip";
  c.workers = workers;
  c.optimizer.lr = lr;
  c.steps = steps;
  c.ingredients["topology"] = topology;
  return c;
}

}  // namespace

// By hand in doubles, x_i ← Σ_j W_ij x_j − γ · mean of all gradients, each at its own replica.
TEST_CASE("exact-gradient-gossip follows its rule", "[scheme][rule:exact-gradient-gossip]") {
  const std::vector<double> h{1.0, 0.5, 2.0, 1.0, 0.25, 1.5}, b{1.0, -2.0, 3.0, 0.5, 4.0, -1.0};
  std::vector<std::vector<double>> curvatures, optima, starts;
  for (std::size_t i = 0; i < 6; ++i) {
    curvatures.push_back({h[i]});
    optima.push_back({b[i]});
    starts.push_back({static_cast<double>(i * i) - 7.0});
  }
  const Dataset data = test::quadratic_data(curvatures, optima);
  for (const char* topology : {"ring", "one-peer-exp", "star", "full"}) {
    for (const char* collective : {"ring", "tree", "ps"}) {
      CAPTURE(topology, collective);
      const Topology graph = make_topology(topology, 6, 1);
      std::vector<double> x;
      for (const auto& start : starts) x.push_back(start.front());
      for (std::uint64_t t = 0; t < 7; ++t) {
        double gradient = 0.0;
        for (std::size_t i = 0; i < 6; ++i) gradient += h[i] * (x[i] - b[i]) / 6;
        x = mixed(graph.matrices[t % graph.period()], x);
        for (double& each : x) each -= 0.1 * gradient;
      }
      Configuration c = over(topology, 6, 0.1, 7);
      c.ingredients["collective"] = collective;
      const auto found = test::run_on_quadratic(c, data, {}, {.starts = starts}).workers;
      for (std::size_t i = 0; i < 6; ++i) test::check_close(found[i], {x[i]});
    }
  }
}

// The difference between replicas does not see the gradients: along an eigenvector of W each round
// multiplies it by the eigenvalue, whatever the step size and however unlike the objectives.
TEST_CASE("replicas of exact-gradient-gossip come together by an eigenvalue of W a round",
          "[scheme]") {
  constexpr int n = 7;
  const double eigenvalue = (1.0 + 2.0 * std::cos(2.0 * M_PI / n)) / 3.0;  // the second largest
  std::vector<std::vector<double>> starts;
  for (int i = 0; i < n; ++i) {
    const double wave = std::cos(2.0 * M_PI * i / n);
    starts.push_back({5.0 + wave, -2.0 * wave});
  }
  const Dataset data = test::unlike_data(n);
  for (const double lr : {0.0, 0.05, 0.3}) {
    for (const std::uint64_t steps : {1U, 4U, 20U}) {
      CAPTURE(lr, steps);
      const test::Replicas found =
          test::run_on_quadratic(over("ring", n, lr, steps), data, {}, {.starts = starts});
      const double left = std::pow(eigenvalue, static_cast<double>(steps));
      for (std::size_t i = 0; i < n; ++i) {
        CHECK(found.workers[i][0] - found.model[0] ==
              Approx(left * (starts[i][0] - 5.0)).epsilon(1e-10).margin(1e-13));
        CHECK(found.workers[i][1] - found.model[1] ==
              Approx(left * starts[i][1]).epsilon(1e-10).margin(1e-13));
      }
    }
  }
}

TEST_CASE("where replicas begin alike exact-gradient-gossip is an all-reduce", "[scheme]") {
  const LoadedData data = test::dense_problem();
  for (const char* collective : {"ring", "tree", "ps"}) {
    for (const OptimizerKind kind : {OptimizerKind::sgd, OptimizerKind::adam}) {
      CAPTURE(collective, optimizer_text(kind));
      Configuration c = quick("all-reduce", 4, 60);
      c.optimizer.kind = kind;
      c.optimizer.lr = 0.05;
      c.ingredients["collective"] = collective;
      const Summary all_reduce = train(c, data).summary;
      c.scheme = "exact-gradient-gossip";
      c.ingredients["topology"] = "full";  // of four: a quarter of each is exact
      const Summary full = train(c, data).summary;
      CHECK(full.model_hash == all_reduce.model_hash);
      CHECK(full.consensus_distance == 0.0);
      CHECK(full.bytes_sent == all_reduce.bytes_sent + 60U * 4U * 3U * 20U * 4U);
      c.ingredients["topology"] = "ring";  // thirds are rounded
      const Summary ring = train(c, data).summary;
      CHECK(ring.train_loss == Approx(all_reduce.train_loss).epsilon(1e-5));
      CHECK(*ring.consensus_distance < 1e-10);
    }
  }
}

TEST_CASE("a step of exact-gradient-gossip takes max(c, Δ(α + t)) and the all-reduce", "[scheme]") {
  const LoadedData data = test::dense_problem(50, 840);
  struct Graph {
    const char* name;
    int degree;
  };
  for (const auto& [topology, degree] :
       {Graph{"ring", 2}, Graph{"full", 7}, Graph{"static-exp", 3}, Graph{"one-peer-exp", 1}}) {
    for (const double compute : {3.0, 20.0, 100.0}) {
      for (const std::uint64_t steps : {1U, 5U}) {
        CAPTURE(topology, compute, steps);
        Configuration c = quick("exact-gradient-gossip", 8, steps);
        c.ingredients["topology"] = topology;
        c.compute_time = seconds(compute);
        c.network = {.latency = seconds(1.5), .bytes_per_second = 840 * 4 / 5.0};
        const double gossip = std::max(compute, degree * 6.5);
        const auto of_all = static_cast<double>(steps);
        CHECK(train(c, data).summary.seconds ==
              Approx(of_all * (gossip + 2 * 7 * (1.5 + 5.0 / 8))).epsilon(1e-12));
        if (steps > 1) continue;  // a server answers one worker after the other
        c.ingredients["collective"] = "ps";
        CHECK(train(c, data).summary.seconds == Approx(gossip + 2 * 8 * 6.5).epsilon(1e-12));
      }
    }
  }
}
