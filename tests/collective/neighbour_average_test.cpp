#include "trainyard/collective/neighbour_average.hpp"

#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "trainyard/base/random.hpp"
#include "trainyard/network/links.hpp"
#include "trainyard/topology/spectrum.hpp"

#include "support/catch.hpp"
#include "support/runtimes.hpp"
#include "support/topologies.hpp"

using namespace trainyard;
using test::setup_of;

namespace {

std::vector<std::vector<float>> averaged(const test::Runtime& runtime, const Topology& topology,
                                         std::vector<std::vector<float>> x, int rounds) {
  runtime.run(setup_of(static_cast<int>(x.size())), [&](Rank& rank) {
    rank.begin();
    VectorBuffer scratch;
    for (int k = 0; k < rounds; ++k) {
      neighbour_average(rank, topology.row(static_cast<std::uint64_t>(k), rank.rank()),
                        x[static_cast<std::size_t>(rank.rank())], scratch);
    }
  });
  return x;
}

std::vector<std::vector<float>> one_to_n(int n) {
  std::vector<std::vector<float>> x;
  for (int i = 0; i < n; ++i) x.emplace_back(3, static_cast<float>(i));
  return x;
}

}  // namespace

// Yuan's lecture: five nodes that start with 0, 1, 2, 3, 4; one round over the ring and over the
// exponential graph (catalogue §4.3).
TEST_CASE("the lecture's five nodes", "[collective]") {
  for (const auto& runtime : test::runtimes()) {
    CAPTURE(runtime.name);
    const auto after = averaged(runtime, make_topology("static-exp", 5, 1), one_to_n(5), 1);
    const std::vector<double> expected{1.75, 1.5, 2.5, 2.25, 2.0};
    for (std::size_t i = 0; i < 5; ++i) CHECK(after[i][0] == Approx(expected[i]));
    const auto five = averaged(runtime, make_topology("ring", 5, 1), one_to_n(5), 5);
    const std::vector<double> ring{1.955, 1.926, 2.0, 2.074, 2.045};
    for (std::size_t i = 0; i < 5; ++i) CHECK(five[i][2] == Approx(ring[i]).margin(5e-4));
  }
}

TEST_CASE("a model on which all agree stays as it is for ever", "[collective]") {
  for (const std::string& name : test::topologies_for(7)) {
    CAPTURE(name);
    const std::vector<std::vector<float>> x(7, std::vector<float>{0.1F, 1.7F, -3.3e5F});
    const auto after = averaged(test::runtimes()[0], make_topology(name, 7, 1), x, 2000);
    for (const auto& vector : after) {
      for (std::size_t j = 0; j < 3; ++j) CHECK(vector[j] == Approx(x[0][j]).epsilon(1e-5));
    }
  }
}

TEST_CASE("every topology brings all to the mean", "[collective]") {
  for (const int n : {1, 2, 5, 8, 9}) {
    for (const std::string& name : test::topologies_for(n)) {
      CAPTURE(name, n);
      const Topology topology = make_topology(name, n, 1);
      for (const auto& vector : averaged(test::runtimes()[0], topology, one_to_n(n), 600)) {
        CHECK(vector[0] == Approx((n - 1) / 2.0).epsilon(1e-5).margin(1e-6));
      }
    }
  }
}

TEST_CASE("weights of any sign are applied as they stand", "[collective]") {
  for (std::uint32_t seed = 1; seed <= 40; ++seed) {
    RandomStream random(seed, Purpose::topology);
    const int n = 2 + static_cast<int>(random.below(7));
    std::vector<MixingEdge> edges;
    for (int a = 0; a < n; ++a) {
      for (int b = 0; b < a; ++b) {
        if (random.below(3) == 0) continue;
        // Halves, so that W_ii and sums on the way are often 0 in so many bits.
        const double weight = 0.5 * (static_cast<double>(random.below(5)) - 1.0);
        edges.push_back({a, b, weight});
        edges.push_back({b, a, weight});
      }
    }
    const Topology topology{"any", {mixing_matrix(n, edges)}};
    std::vector<std::vector<double>> x;
    for (int i = 0; i < n; ++i) x.push_back({random.normal(), random.normal(), random.normal()});
    const auto w = dense(topology.matrices.front());
    for (const auto& runtime : test::runtimes()) {
      CAPTURE(seed, n, runtime.name);
      auto found = x;
      runtime.run(setup_of(n), [&](Rank& rank) {
        rank.begin();
        VectorBuffer scratch;
        neighbour_average(rank, topology.row(0, rank.rank()),
                          found[static_cast<std::size_t>(rank.rank())], scratch);
      });
      for (std::size_t i = 0; i < x.size(); ++i) {
        for (std::size_t j = 0; j < 3; ++j) {
          double expected = 0.0;
          for (std::size_t k = 0; k < x.size(); ++k) expected += w[i][k] * x[k][j];
          CHECK(found[i][j] == Approx(expected).epsilon(1e-13).margin(1e-13));
        }
      }
    }
  }
}

TEST_CASE("with a negative weight of their own, those who agree stay, and the mean does not drift",
          "[collective]") {
  // W = I − 0.7 L over a path of three: the middle one has −0.4.
  const Topology path{"path",
                      {mixing_matrix(3, {{0, 1, 0.7}, {1, 0, 0.7}, {1, 2, 0.7}, {2, 1, 0.7}})}};
  const std::vector<std::vector<float>> equal(3, std::vector<float>{0.1F, 1.7F, -3.3e5F});
  CHECK(averaged(test::runtimes()[0], path, equal, 50) == equal);
  // Of the deviation along (1, −2, 1) that round makes −1.1 times as much, the others 0.1 and −0.2.
  std::vector<MixingMatrix> rounds{path.matrices.front()};
  for (const double weight : {0.3, 0.4}) {
    rounds.push_back(
        mixing_matrix(3, {{0, 1, weight}, {1, 0, weight}, {1, 2, weight}, {2, 1, weight}}));
  }
  const std::vector<std::vector<float>> unequal{{0.1F}, {1.7F}, {2.3F}};
  for (const auto& vector : averaged(test::runtimes()[0], {"path", rounds}, unequal, 100'000)) {
    CHECK(vector[0] == Approx(4.1 / 3).epsilon(1e-6));
  }
}

// The network says which messages of a link are lost, so that W of each round is known.
TEST_CASE("who is not heard of counts as oneself", "[collective][datagrams]") {
  constexpr int n = 6, rounds = 40;
  Network network{.latency = std::chrono::microseconds(10), .bytes_per_second = 1e9, .seed = 5};
  parse_faults("loss:0.3", "--fault", network.faults);
  network.faults.retransmission.never = true;
  for (const char* name : {"ring", "static-exp", "full"}) {
    for (const auto& runtime : test::runtimes()) {
      CAPTURE(name, runtime.name);
      const Topology topology = make_topology(name, n, 1);
      Links links(network, n, 0);
      std::vector<double> expected{0, 1, 2, 3, 4, 5};
      std::size_t lost = 0;
      for (std::uint64_t k = 0; k < rounds; ++k) {
        std::vector<MixingEdge> heard;
        for (int to = 0; to < n; ++to) {
          for (const auto& [from, weight] : topology.row(k, to).receives) {
            if (links.passage_of_next(from, to, 12, Time{0}).lost) {
              ++lost;
            } else {
              heard.push_back({to, from, weight});
            }
          }
        }
        expected = mixed(mixing_matrix(n, heard), expected);
      }
      REQUIRE(lost > 20);
      auto x = one_to_n(n);
      runtime.run(setup_of(n, 0, network), [&](Rank& rank) {
        rank.begin();
        VectorBuffer scratch;
        for (std::uint64_t k = 0; k < rounds; ++k) {
          neighbour_average(rank, topology.row(k, rank.rank()),
                            x[static_cast<std::size_t>(rank.rank())], scratch);
        }
      });
      for (std::size_t i = 0; i < n; ++i) {
        CHECK(x[i][0] == Approx(expected[i]).epsilon(1e-5));
        CHECK(x[i][2] == x[i][0]);
      }
    }
  }
}
