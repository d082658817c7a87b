// Gossip between groups of workers.
#include <bit>
#include <vector>

#include "trainyard/base/error.hpp"
#include "trainyard/scheme/scheme.hpp"
#include "trainyard/topology/topology.hpp"

#include "support/catch.hpp"
#include "support/golden.hpp"
#include "support/training.hpp"

using namespace trainyard;
using test::quick;
using test::train;

namespace {

Configuration grouped(int workers, double size, const std::string& topology, std::uint64_t steps) {
  Configuration c = quick("hierarchical-gossip", workers, steps);
  c.hyperparameters["group-size"] = size;
  c.ingredients["topology"] = topology;
  return c;
}

}  // namespace

TEST_CASE("hierarchical-gossip with groups of one is gossip to the bit", "[scheme]") {
  const LoadedData data = test::dense_problem();
  for (const char* topology : {"ring", "full", "one-peer-exp", "static-exp"}) {
    for (const TimeMode time : {TimeMode::simulated, TimeMode::wall}) {
      CAPTURE(topology, time_mode_text(time));
      Configuration c = grouped(6, 1, topology, 40);
      c.optimizer.momentum = 0.5;
      const Summary gossip = [&] {
        Configuration plain = c;
        plain.scheme = "gossip";
        return train(plain, data).summary;
      }();
      c.time = time;
      const Summary grouped_by_one = train(c, data).summary;
      CHECK(grouped_by_one.model_hash == gossip.model_hash);
      CHECK(grouped_by_one.consensus_distance == gossip.consensus_distance);
      CHECK(grouped_by_one.bytes_sent == gossip.bytes_sent);
    }
  }
}

TEST_CASE("hierarchical-gossip with one group averages all models", "[scheme]") {
  const LoadedData data = test::dense_problem();
  Configuration c = grouped(6, 6, "ring", 40);
  const RunResult grouped_all = train(c, data);
  CHECK(grouped_all.summary.consensus_distance == 0.0);
  c.scheme = "local-sgd";
  c.hyperparameters["period"] = 1;
  c.ingredients["collective"] = "tree";  // the same tree
  CHECK(train(c, data).summary.model_hash == grouped_all.summary.model_hash);
  CHECK(train(c, data).summary.bytes_sent == grouped_all.summary.bytes_sent);
  c.scheme = "all-reduce";
  CHECK(train(c, data).summary.train_loss == Approx(grouped_all.summary.train_loss).epsilon(1e-5));
}

// By hand in doubles, x ← W (mean of each group of (x − γ g)) for each worker, over quadratics.
TEST_CASE("hierarchical-gossip follows its rule", "[scheme][rule:hierarchical-gossip]") {
  const std::vector<std::vector<double>> h{{1.0}, {0.5}, {2.0}, {1.0}, {0.25}, {1.5}};
  const std::vector<std::vector<double>> b{{1.0}, {-2.0}, {3.0}, {0.5}, {4.0}, {-1.0}};
  const Dataset data = test::quadratic_data(h, b);
  for (const char* topology : {"ring", "one-peer-exp", "star"}) {
    for (const int size : {2, 3}) {
      CAPTURE(topology, size);
      const int groups = 6 / size;
      const Topology graph = make_topology(topology, groups, 1);
      std::vector<double> x(static_cast<std::size_t>(groups), 0.0);
      for (std::uint64_t t = 0; t < 7; ++t) {
        std::vector<double> mean(x.size(), 0.0);
        for (std::size_t w = 0; w < 6; ++w) {
          const std::size_t g = w / static_cast<std::size_t>(size);
          mean[g] += (x[g] - 0.1 * h[w][0] * (x[g] - b[w][0])) / size;
        }
        x = mixed(graph.matrices[t % graph.period()], mean);
      }
      Configuration c;
      c.scheme = "hierarchical-gossip";
      c.workers = 6;
      c.steps = 7;
      c.optimizer.lr = 0.1;
      c.ingredients["topology"] = topology;
      c.hyperparameters["group-size"] = size;
      const auto found = test::run_on_quadratic(c, data).workers;
      for (std::size_t w = 0; w < 6; ++w) {
        test::check_close(found[w], {x[w / static_cast<std::size_t>(size)]});
      }
    }
  }
}

TEST_CASE("a step of hierarchical-gossip takes c + (2 rounds of the tree + Δ)(α + t)", "[scheme]") {
  const LoadedData data = test::dense_problem(50, 840);
  struct Row {
    int workers, size;
    const char* topology;
    int messages;
  };
  for (const Row& row : {Row{8, 1, "ring", 2}, Row{8, 2, "ring", 2 + 2}, Row{8, 2, "full", 2 + 3},
                         Row{8, 4, "ring", 4 + 1}, Row{8, 8, "ring", 6},
                         Row{12, 3, "static-exp", 4 + 2}, Row{15, 5, "one-peer-exp", 6 + 1}}) {
    // In a tree of three or five some have the model before others, and the next step begins there.
    const bool together = std::has_single_bit(static_cast<unsigned>(row.size));
    for (const std::uint64_t steps : {1U, together ? 4U : 1U}) {
      CAPTURE(row.workers, row.size, row.topology, steps);
      Configuration c = grouped(row.workers, row.size, row.topology, steps);
      c.compute_time = seconds(3.0);
      c.network = {.latency = seconds(1.5), .bytes_per_second = 840 * 4 / 5.0};
      CHECK(train(c, data).summary.seconds ==
            Approx(static_cast<double>(steps) * (3.0 + row.messages * 6.5)).epsilon(1e-12));
    }
  }
}

TEST_CASE("between machines pass the groups' vectors alone", "[scheme]") {
  // Three racks of four workers in a ring: a round takes two messages between racks, and four in
  // them. In gossip over all twelve two of every rack's messages cross at each end.
  const LoadedData data = test::dense_problem(50, 840);
  Configuration c = grouped(12, 4, "ring", 1);
  c.network = {.latency = seconds(1.0)};
  c.network.racks = 3;
  c.network.between_latency = seconds(100.0);
  CHECK(train(c, data).summary.seconds == Approx(1e-3 + 4 * 1.0 + 2 * 100.0).epsilon(1e-9));
}

TEST_CASE("groups are of one size", "[scheme]") {
  const LoadedData data = test::dense_problem();
  CHECK_THROWS_WITH(train(grouped(8, 3, "ring", 1), data),
                    ContainsSubstring("--group-size 3: 8 workers cannot stand in groups"));
  CHECK_THROWS_WITH(train(grouped(4, 8, "ring", 1), data), ContainsSubstring("a divisor of 4"));
  const Scheme& scheme = find_scheme("hierarchical-gossip");
  for (const auto& [workers, size] : {std::pair{1, 1}, std::pair{5, 1}, std::pair{8, 2},
                                      std::pair{9, 3}, std::pair{12, 3}, std::pair{64, 8}}) {
    CHECK(with_fallbacks(scheme, {}, workers).at("group-size") == size);
  }
}
