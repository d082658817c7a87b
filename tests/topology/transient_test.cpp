#include "trainyard/topology/transient.hpp"

#include <cmath>

#include "trainyard/topology/matcha.hpp"
#include "trainyard/topology/spectrum.hpp"

#include "support/catch.hpp"

namespace trainyard {

namespace {

/// How fast it grows with n, as the exponent of a power.
double exponent(const std::string& name, int few, int many) {
  const auto small = transient(make_topology(name, few, 1));
  const auto large = transient(make_topology(name, many, 1));
  return std::log(large->alike / small->alike) / std::log(static_cast<double>(many) / few);
}

}  // namespace

TEST_CASE("transient iterations are n³ρ⁴/(1 − ρ)² and n³ρ⁴/(1 − ρ)⁴ of a static graph",
          "[topology]") {
  // The ring of 8: ρ = 1/3 + 2/3 cos 45°.
  const double rho = 1.0 / 3.0 + 2.0 / 3.0 * std::sqrt(0.5);
  const auto ring = transient(make_topology("ring", 8, 1));
  CHECK(ring->rho == Approx(rho));
  CHECK(ring->alike == Approx(512.0 * std::pow(rho, 4) / std::pow(1.0 - rho, 2)));
  CHECK(ring->unlike == Approx(512.0 * std::pow(rho, 4) / std::pow(1.0 - rho, 4)));
  // The static exponential graph of 16: ρ = 3/5.
  CHECK(transient(make_topology("static-exp", 16, 1))->alike ==
        Approx(4096.0 * std::pow(0.6, 4) / 0.16));
}

TEST_CASE("who averages over all has no transient, and who never agrees has no end of it",
          "[topology]") {
  CHECK(transient(make_topology("full", 8, 1))->alike == 0.0);
  CHECK(transient(make_topology("ring", 1, 1))->alike == 0.0);
  CHECK_FALSE(transient(2, 1, 1.0, 1.0));
}

TEST_CASE("transient iterations grow as published: n⁷ of a ring, n³log²n of exponential graphs",
          "[topology]") {
  CHECK(exponent("ring", 64, 128) == Approx(7.0).margin(0.1));
  // n³ times (log2 n + 1)², whose ρ⁴ tends to 1 slowly.
  const auto at = [](const char* name, int n) {
    return transient(make_topology(name, n, 1))->alike;
  };
  const double static_exp = at("static-exp", 256) / at("static-exp", 64);
  CHECK(static_exp == Approx(64.0 * std::pow(7.0 / 9.0 / (5.0 / 7.0), 4) * std::pow(9.0 / 7.0, 2)));
  // Exact after log2 n rounds, so that 1 − ρ of a round counts as 1/log2 n.
  const auto one_peer = transient(make_topology("one-peer-exp", 64, 1));
  CHECK(one_peer->gap == Approx(1.0 / 6.0));
  CHECK(one_peer->alike == Approx(std::pow(64.0, 3) * std::pow(5.0 / 6.0, 4) * 36.0));
}

TEST_CASE("rounds that are drawn count by their mean square", "[topology]") {
  const Topology base = make_topology("ring", 8, 1);
  const Topology drawn = drawn_rounds(plan_matcha(base, 0.5), 8, 3);
  REQUIRE(drawn.period() > 100);
  CHECK(transient(drawn)->gap == Approx(1.0 - rms_contraction(drawn)));
}

TEST_CASE("push-sum over directed graphs has no figure of it, nor what takes long", "[topology]") {
  CHECK(transient(make_topology("ring", 256, 1)));
  CHECK_FALSE(transient(make_topology("ring", 300, 1)));  // 300³ > 2·10⁷
  const Topology directed{
      "made up",
      {equal_shares(3, {{1, 0, 0.0}, {2, 0, 0.0}, {0, 1, 0.0}, {0, 2, 0.0}, {1, 2, 0.0}})}};
  CHECK_FALSE(transient(directed));
}

}  // namespace trainyard
