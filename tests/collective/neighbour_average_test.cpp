#include "trainyard/collective/neighbour_average.hpp"

#include <cmath>
#include <vector>

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
    for (int k = 0; k < rounds; ++k) {
      neighbour_average(rank, topology.row(static_cast<std::uint64_t>(k), rank.rank()),
                        x[static_cast<std::size_t>(rank.rank())]);
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
