#include <cmath>
#include <string>

#include "trainyard/topology/spectrum.hpp"
#include "trainyard/topology/topology.hpp"

#include "support/catch.hpp"

using namespace trainyard;

TEST_CASE("base graphs average exactly, for every n, within their rounds and their degree",
          "[topology]") {
  for (int n = 2; n <= 128; ++n) {
    for (int k = 1; k <= 4; ++k) {
      const double most_rounds = 2 * std::log(n) / std::log(k + 1) + 2;
      std::size_t rounds = 0;
      for (const char* family : {"simple-base:", "base:"}) {
        const std::string name = family + std::to_string(k + 1);
        CAPTURE(name, n);
        const Topology topology = make_topology(name, n, 1);
        REQUIRE(static_cast<double>(topology.period()) <= most_rounds + 1e-9);
        // The composed construction is there because it never takes longer.
        if (rounds > 0) CHECK(topology.period() <= rounds);
        rounds = topology.period();
        std::vector<std::vector<double>> product(static_cast<std::size_t>(n));
        for (std::size_t i = 0; i < product.size(); ++i) {
          product[i].assign(product.size(), 0.0);
          product[i][i] = 1.0;  // column i
        }
        for (const MixingMatrix& matrix : topology.matrices) {
          REQUIRE(symmetric(matrix));
          REQUIRE(doubly_stochastic(matrix));
          for (const MixingRow& row : matrix) {
            REQUIRE(row.sends_to.size() <= static_cast<std::size_t>(k));
            REQUIRE(row.receives.size() <= static_cast<std::size_t>(k));
          }
          for (auto& column : product) column = mixed(matrix, column);
        }
        double furthest = 0.0;
        for (const auto& column : product) {
          for (const double value : column) {
            furthest = std::max(furthest, std::abs(value - 1.0 / n));
          }
        }
        REQUIRE(furthest < 1e-12);
      }
    }
  }
}

TEST_CASE("base graphs are exact from the first round of their cycle only", "[topology]") {
  const Topology topology = make_topology("base:2", 5, 1);
  Topology shifted = topology;
  std::rotate(shifted.matrices.begin(), shifted.matrices.begin() + 1, shifted.matrices.end());
  CHECK(analyse(topology).exact_rounds == 5);
  CHECK(cycle_contraction(topology) < 1e-12);
  CHECK(cycle_contraction(shifted) > 1e-3);
}
