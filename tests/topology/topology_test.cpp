#include "trainyard/topology/topology.hpp"

#include <cmath>
#include <vector>

#include "trainyard/base/error.hpp"

#include "support/catch.hpp"
#include "support/shared_files.hpp"

using namespace trainyard;

namespace {

using Dense = std::vector<std::vector<double>>;

Dense dense(const MixingMatrix& matrix) {
  Dense w(matrix.size(), std::vector<double>(matrix.size(), 0.0));
  for (std::size_t i = 0; i < matrix.size(); ++i) {
    w[i][i] = matrix[i].self_weight;
    for (const auto& neighbour : matrix[i].receives) {
      w[i][static_cast<std::size_t>(neighbour.rank)] = neighbour.weight;
    }
  }
  return w;
}

}  // namespace

TEST_CASE("every topology is doubly stochastic for every n, and sends what is received",
          "[topology]") {
  for (const TopologyInfo& info : topologies()) {
    for (int n = 1; n <= 40; ++n) {
      CAPTURE(info.name, n);
      const Topology topology = info.make(n);
      REQUIRE(topology.period() >= 1);
      for (const MixingMatrix& matrix : topology.matrices) {
        const Dense w = dense(matrix);
        for (std::size_t i = 0; i < w.size(); ++i) {
          double row = 0.0;
          double column = 0.0;
          for (std::size_t j = 0; j < w.size(); ++j) {
            REQUIRE(w[i][j] >= -1e-15);
            row += w[i][j];
            column += w[j][i];
          }
          REQUIRE(row == Approx(1.0).epsilon(1e-14));
          REQUIRE(column == Approx(1.0).epsilon(1e-14));
          for (const int to : matrix[i].sends_to) REQUIRE(w[static_cast<std::size_t>(to)][i] > 0.0);
        }
      }
    }
  }
}

TEST_CASE("matrices are those of the reference", "[topology]") {
  if (!test::have_shared("spec/topology_reference.json")) return;
  const auto reference = test::read_json("spec/topology_reference.json");
  const std::vector<std::pair<const char*, const char*>> names{{"ring", "ring"},
                                                               {"full", "full"},
                                                               {"static_exp", "static-exp"},
                                                               {"one_peer_exp", "one-peer-exp"}};
  int compared = 0;
  for (const auto& [key, entries] : reference.items()) {
    if (key == "_meta") continue;
    const int n = std::stoi(key);
    for (const auto& [theirs, ours] : names) {
      if (!entries.contains(theirs)) continue;
      CAPTURE(n, ours);
      const Topology topology = make_topology(ours, n);
      const auto& entry = entries[theirs];
      CHECK(topology.period() == entry["period"].get<std::size_t>());
      std::size_t in = 0;
      std::size_t out = 0;
      for (const MixingRow& row : topology.matrices.front()) {
        in = std::max(in, row.receives.size());
        out = std::max(out, row.sends_to.size());
      }
      CHECK(in == entry["in_degree_max"].get<std::size_t>());
      CHECK(out == entry["out_degree_max"].get<std::size_t>());
      if (!entry.contains("W")) continue;
      for (std::size_t k = 0; k < topology.period(); ++k) {
        const Dense w = dense(topology.matrices[k]);
        for (std::size_t i = 0; i < w.size(); ++i) {
          for (std::size_t j = 0; j < w.size(); ++j) {
            REQUIRE(w[i][j] == Approx(entry["W"][k][i][j].get<double>()).margin(1e-12));
          }
        }
        ++compared;
      }
    }
  }
  CHECK(compared > 10);
}

TEST_CASE("messages go by offset rounds: each round is a permutation", "[topology]") {
  for (const TopologyInfo& info : topologies()) {
    for (const int n : {2, 3, 5, 8, 25}) {
      CAPTURE(info.name, n);
      const Topology topology = info.make(n);
      for (const MixingMatrix& matrix : topology.matrices) {
        for (std::size_t round = 0; round < matrix[0].sends_to.size(); ++round) {
          std::vector<int> received(static_cast<std::size_t>(n), 0);
          for (int i = 0; i < n; ++i) {
            const MixingRow& row = matrix[static_cast<std::size_t>(i)];
            const int to = row.sends_to[round];
            ++received[static_cast<std::size_t>(to)];
            // and the receiver takes it in the same round
            CHECK(matrix[static_cast<std::size_t>(to)].receives[round].rank == i);
          }
          for (const int count : received) CHECK(count == 1);
        }
      }
    }
  }
}

TEST_CASE("one-peer exponential averages exactly in log2 n rounds for n = 2^k, from any phase",
          "[topology]") {
  const int n = 16;
  const Topology topology = make_topology("one-peer-exp", n);
  for (std::uint64_t phase = 0; phase < 4; ++phase) {
    std::vector<double> x(n);
    for (int i = 0; i < n; ++i) x[static_cast<std::size_t>(i)] = i;
    for (std::uint64_t round = phase; round < phase + 4; ++round) {
      std::vector<double> next(n);
      for (int i = 0; i < n; ++i) {
        const MixingRow& row = topology.row(round, i);
        double value = row.self_weight * x[static_cast<std::size_t>(i)];
        for (const auto& neighbour : row.receives) {
          value += neighbour.weight * x[static_cast<std::size_t>(neighbour.rank)];
        }
        next[static_cast<std::size_t>(i)] = value;
      }
      x = next;
    }
    for (const double value : x) CHECK(value == Approx(7.5).epsilon(1e-14));
  }
}

TEST_CASE("an unknown topology names the nearest", "[topology]") {
  CHECK_THROWS_WITH(make_topology("rnig", 4), ContainsSubstring("did you mean 'ring'"));
}
