// When ranks are away.
#include "trainyard/network/outages.hpp"

#include <chrono>
#include <cmath>
#include <vector>

#include "support/catch.hpp"

namespace trainyard {
namespace {

using namespace std::chrono_literals;

std::vector<FaultTime> all_of(Outages outages, Time until) {
  std::vector<FaultTime> all;
  for (std::size_t i = 0; const FaultTime* one = outages.get(i, until); ++i) all.push_back(*one);
  return all;
}

}  // namespace

TEST_CASE("a machine that fails and is mended is up M/(M + R) of the time", "[network][faults]") {
  constexpr Time end = 1000h;
  const DrawnCrashes rule{.mean = 100s, .repair = 25s};
  std::vector<double> shares;
  double crashes = 0.0;
  for (int rank = 0; rank < 30; ++rank) {
    double down_s = 0.0;
    for (const FaultTime& one : all_of(Outages({}, rule, 7, rank), end)) {
      CHECK(one.until - one.from == rule.repair);
      down_s += to_seconds(std::min(one.until, end) - one.from);
      crashes += 1.0 / 30.0;
    }
    shares.push_back(1.0 - down_s / to_seconds(end));
  }
  double mean = 0.0, squares = 0.0;
  for (const double share : shares) mean += share / 30.0;
  for (const double share : shares) squares += (share - mean) * (share - mean);
  const double error = std::sqrt(squares / (30.0 * 29.0));
  CAPTURE(mean, error);
  CHECK(error < 1e-3);
  CHECK(std::abs(mean - 0.8) < 4.0 * error);
  CHECK(crashes == Approx(to_seconds(end) / 125.0).epsilon(0.01));
}

TEST_CASE("what is drawn is the seed's and the rank's", "[network][faults]") {
  const DrawnCrashes rule{.mean = 10s, .repair = 1s};
  const auto of = [&](std::uint64_t seed, int rank) {
    return all_of(Outages({}, rule, seed, rank), 100s);
  };
  CHECK(of(1, 0) == of(1, 0));
  CHECK(of(1, 0) != of(1, 1));
  CHECK(of(1, 0) != of(2, 0));
  CHECK(of(1, 0).size() > 3);
}

TEST_CASE("outages come in the order in which they begin", "[network][faults]") {
  const DrawnCrashes rule{.mean = 3s, .repair = 1s};
  const std::vector<FaultTime> named{{20s, 21s}, {2s, 30s}, {5s, Time::max()}};
  const std::vector<FaultTime> drawn = all_of(Outages({}, rule, 1, 0), 40s);
  const std::vector<FaultTime> both = all_of(Outages(named, rule, 1, 0), 40s);
  REQUIRE(both.size() == named.size() + drawn.size());
  CHECK(std::ranges::is_sorted(both, {}, &FaultTime::from));
  for (const FaultTime& one : named) CHECK(std::ranges::find(both, one) != both.end());
  for (const FaultTime& one : drawn) CHECK(std::ranges::find(both, one) != both.end());
  // One that is asked for early is not there yet.
  Outages outages(named, std::nullopt, 1, 0);
  CHECK(outages.get(0, 1s) == nullptr);
  CHECK(*outages.get(0, 2s) == FaultTime{2s, 30s});
  CHECK(outages.get(1, 2s) == nullptr);
  CHECK(outages.get(3, Time::max()) == nullptr);
}

TEST_CASE("of drawn crashes servers have none", "[network][faults]") {
  Faults faults;
  faults.drawn_crashes = DrawnCrashes{.mean = 1s, .repair = 1s};
  faults.crashes.push_back({.rank = 2, .when = {3s, 4s}});
  Outages worker = crashes_of(faults, 1, 2, 1), server = crashes_of(faults, 2, 2, 1);
  CHECK(worker.get(5, Time::max()) != nullptr);
  CHECK(*server.get(0, Time::max()) == FaultTime{3s, 4s});
  CHECK(server.get(1, Time::max()) == nullptr);
}

}  // namespace trainyard
