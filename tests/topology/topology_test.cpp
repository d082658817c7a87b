#include "trainyard/topology/topology.hpp"

#include <string>
#include <vector>

#include "trainyard/base/error.hpp"
#include "trainyard/topology/spectrum.hpp"

#include "support/catch.hpp"
#include "support/memory_bound.hpp"
#include "support/topologies.hpp"

using namespace trainyard;

namespace {

void check_doubly_stochastic(const MixingMatrix& matrix) {
  const auto w = dense(matrix);
  for (std::size_t i = 0; i < w.size(); ++i) {
    double row = 0.0;
    double column = 0.0;
    for (std::size_t j = 0; j < w.size(); ++j) {
      REQUIRE(w[i][j] >= -1e-15);
      row += w[i][j];
      column += w[j][i];
    }
    REQUIRE(row == Approx(1.0).epsilon(1e-14));
    REQUIRE(column == Approx(1.0).epsilon(1e-13));
    std::size_t sent = 0;
    for (std::size_t to = 0; to < w.size(); ++to) sent += to != i && w[to][i] > 0.0 ? 1 : 0;
    REQUIRE(matrix[i].sends_to.size() == sent);
    for (const auto& to : matrix[i].sends_to) {
      REQUIRE(to.weight > 0.0);
      REQUIRE(to.weight == w[static_cast<std::size_t>(to.rank)][i]);
    }
  }
  REQUIRE(doubly_stochastic(matrix));
}

bool directed(const std::string& name) {
  return name.starts_with("static-exp") || name.starts_with("one-peer-exp") ||
         name.starts_with("d-equistatic") || name.starts_with("od-equidyn");
}

/// The matrices of its cycle; of the long one of EquiDyn only a few.
std::vector<MixingMatrix> some_rounds(const Topology& topology) {
  auto matrices = topology.matrices;
  if (matrices.size() > 20) matrices.resize(20);
  return matrices;
}

}  // namespace

TEST_CASE("every topology is doubly stochastic for every n and seed, and sends what is received",
          "[topology]") {
  for (int n = 1; n <= 40; ++n) {
    for (const std::string& name : test::topologies_for(n)) {
      for (const std::uint64_t seed : {1U, 7U}) {
        CAPTURE(name, n, seed);
        const Topology topology = make_topology(name, n, seed);
        CHECK(topology.name == name);
        REQUIRE(topology.period() >= 1);
        REQUIRE((topology.places.empty() || topology.places.size() == static_cast<std::size_t>(n)));
        for (const MixingMatrix& matrix : some_rounds(topology)) {
          REQUIRE(matrix.size() == static_cast<std::size_t>(n));
          check_doubly_stochastic(matrix);
          if (!directed(name)) REQUIRE(symmetric(matrix));
        }
      }
    }
  }
}

TEST_CASE("every topology reaches everybody, and averaging over it nears the mean", "[topology]") {
  for (const int n : {1, 2, 3, 9, 16, 20}) {
    for (const std::string& name : test::topologies_for(n)) {
      CAPTURE(name, n);
      const TopologyFigures figures = analyse(make_topology(name, n, 3));
      CHECK(figures.connected);
      CHECK(figures.rho < 1.0);
      CHECK(figures.rms <= 1.0 + 1e-12);
      CHECK(figures.rounds_to_1e6);
    }
  }
}

TEST_CASE("the random ones are the seed's, and nothing else's", "[topology]") {
  for (const char* name : {"random-regular", "erdos-renyi", "geometric", "d-equistatic",
                           "u-equistatic", "od-equidyn", "ou-equidyn"}) {
    CAPTURE(name);
    const auto w = [&](std::uint64_t seed) {
      std::vector<std::vector<std::vector<double>>> all;
      for (const auto& matrix : some_rounds(make_topology(name, 24, seed))) {
        all.push_back(dense(matrix));
      }
      return all;
    };
    CHECK(w(5) == w(5));
    CHECK(w(5) != w(6));
  }
  CHECK(dense(make_topology("torus", 24, 5).matrices[0]) ==
        dense(make_topology("torus", 24, 6).matrices[0]));
}

TEST_CASE("where degrees are equal, messages go in lockstep: each round is a permutation",
          "[topology]") {
  for (const int n : {2, 3, 4, 5, 8, 9, 16, 25, 30}) {
    for (const std::string& name : test::topologies_for(n)) {
      CAPTURE(name, n);
      for (const MixingMatrix& matrix : some_rounds(make_topology(name, n, 2))) {
        const std::size_t degree = matrix[0].sends_to.size();
        bool regular = true;
        for (const MixingRow& row : matrix) {
          regular = regular && row.sends_to.size() == degree && row.receives.size() == degree;
        }
        if (!regular) continue;
        CHECK(lockstep_rounds(matrix) == degree);
        for (std::size_t round = 0; round < degree; ++round) {
          std::vector<int> received(static_cast<std::size_t>(n), 0);
          for (int i = 0; i < n; ++i) {
            const int to = matrix[static_cast<std::size_t>(i)].sends_to[round].rank;
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

TEST_CASE("circulant graphs keep the order of distances", "[topology]") {
  const MixingMatrix ring = make_topology("ring", 5, 1).matrices[0];
  CHECK(receivers(ring[3]) == std::vector<int>{4, 2});
  const MixingMatrix exponential = make_topology("static-exp", 8, 1).matrices[0];
  CHECK(receivers(exponential[0]) == std::vector<int>{4, 6, 7});
  CHECK(exponential[0].receives[0].rank == 4);
  CHECK(exponential[0].receives[2].rank == 1);
}

TEST_CASE("large graphs are made", "[topology]") {
  for (const std::string& name : test::topologies_for(1024)) {
    CAPTURE(name);
    if (name == "full") continue;
    const Topology topology = make_topology(name, 1024, 1);
    CHECK(topology.matrices[0].size() == 1024);
    CHECK(doubly_stochastic(topology.matrices[0]));
  }
  CHECK(make_topology("full", 300, 1).matrices[0][7].receives.size() == 299);
}

TEST_CASE("one-peer graphs average exactly in log2 n rounds for n = 2^k, from any phase",
          "[topology]") {
  for (const char* name : {"one-peer-exp", "one-peer-hypercube"}) {
    const Topology topology = make_topology(name, 16, 1);
    for (std::uint64_t phase = 0; phase < 4; ++phase) {
      std::vector<double> x;
      for (int i = 0; i < 16; ++i) x.push_back(i);
      for (std::uint64_t round = phase; round < phase + 4; ++round) {
        x = mixed(topology.matrices[round % 4], x);
      }
      for (const double value : x) CHECK(value == Approx(7.5).epsilon(1e-14));
    }
  }
}

TEST_CASE("an expander mixes as fast for any size", "[topology]") {
  for (const int m : {2, 3, 4, 5, 8, 11, 16}) {
    CAPTURE(m);
    CHECK(contraction(make_topology("margulis", m * m, 1).matrices[0]) <=
          (1 + 5 * std::sqrt(2.0)) / 9 + 1e-12);
  }
  for (int degree = 1; degree <= 9; ++degree) {
    for (const std::uint64_t seed : {1U, 2U}) {
      const int n = degree == 1 ? 2 : 10;
      CAPTURE(degree, seed);
      const auto matrix =
          make_topology("random-regular:" + std::to_string(degree), n, seed).matrices[0];
      for (const MixingRow& row : matrix) {
        CHECK(row.receives.size() == static_cast<std::size_t>(degree));
        CHECK(row.self_weight == Approx(1.0 / (degree + 1)).epsilon(1e-12));
      }
    }
  }
  // Random regular graphs come near the bound of Alon and Boppana, and hardly ever below it.
  const double bound = (1 + 2 * std::sqrt(3.0)) / 5;
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    CAPTURE(seed);
    CHECK(contraction(make_topology("random-regular:4", 400, seed).matrices[0]) ==
          Approx(bound).epsilon(0.05));
  }
}

TEST_CASE("a number of workers that a graph cannot have says which it can have", "[topology]") {
  const auto message = [](const char* name, int n) {
    try {
      (void)make_topology(name, n, 1);
    } catch (const UsageError& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  CHECK_THAT(message("hypercube", 6), ContainsSubstring("6 workers are not a power of two") &&
                                          ContainsSubstring("nearest are 4 and 8"));
  CHECK_THAT(message("one-peer-hypercube", 3), ContainsSubstring("nearest are 2 and 4"));
  CHECK_THAT(message("margulis", 8),
             ContainsSubstring("no square number") && ContainsSubstring("nearest are 4 and 9"));
  CHECK_THAT(message("random-regular", 4), ContainsSubstring("accepted: 5 or more"));
  CHECK_THAT(message("random-regular:3", 7), ContainsSubstring("even number of workers"));
  CHECK_THAT(message("random-regular:1", 8), ContainsSubstring("degree of 3 or more"));
  CHECK_THAT(message("erdos-renyi:0.001", 50),
             ContainsSubstring("none of 1000 graphs") && ContainsSubstring("0.0782"));
  CHECK_THAT(message("geometric:0.01", 50), ContainsSubstring("none of 1000 graphs"));
}

TEST_CASE("names and arguments of topologies are checked", "[topology]") {
  CHECK_THROWS_WITH(make_topology("rnig", 4, 1), ContainsSubstring("did you mean 'ring'"));
  CHECK_THROWS_WITH(check_topology("ring:3"), ContainsSubstring("is to be written ring"));
  CHECK_THROWS_WITH(check_topology("file"), ContainsSubstring("is to be written file:PATH"));
  CHECK_THROWS_WITH(check_topology("file:"), ContainsSubstring("is to be written file:PATH"));
  CHECK_THROWS_WITH(check_topology("base:1"),
                    ContainsSubstring("base: B: '1' is not a whole number from 2 to 4096"));
  CHECK_THROWS_WITH(check_topology("base:"), ContainsSubstring("''"));
  CHECK_THROWS_WITH(check_topology("erdos-renyi:0"), ContainsSubstring("above 0 and at most 1"));
  CHECK_THROWS_WITH(check_topology("erdos-renyi:x"), ContainsSubstring("'x'"));
  CHECK_NOTHROW(check_topology("hypercube"));
  CHECK_NOTHROW(check_topology("base:3"));
}

TEST_CASE("a graph with more links than there is room for is refused before it is made",
          "[topology]") {
  const MemoryBound bound(memory_held() + 4'000'000);
  for (const char* name : {"full", "erdos-renyi:0.9", "random-regular:290", "geometric:0.9",
                           "d-equistatic:200", "u-equistatic:200"}) {
    INFO(name);
    CHECK_THROWS_AS(make_topology(name, 300, 1), RunError);
  }
  CHECK_NOTHROW(make_topology("ring", 300, 1));
}
