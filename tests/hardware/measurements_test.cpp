#include "trainyard/hardware/measurements.hpp"

#include <array>
#include <chrono>
#include <cmath>
#include <vector>

#include "support/catch.hpp"

namespace trainyard {

TEST_CASE("a matrix of latencies has a row for each core, and is symmetric", "[hardware]") {
  const std::vector<ProcessingUnit> units = first_units(this_machine(), 4);
  const std::vector<std::vector<LineLatency>> pairs = line_latencies(units);
  REQUIRE(pairs.size() == units.size());
  for (std::size_t row = 0; row < units.size(); ++row) {
    REQUIRE(pairs[row].size() == units.size());
    for (std::size_t column = 0; column < units.size(); ++column) {
      const double there = pairs[row][column].seconds, back = pairs[column][row].seconds;
      const bool busy = std::isnan(there);  // with other programs all the time
      CHECK((busy || there > 0.0) == (row != column));
      CHECK((busy ? std::isnan(back) : there == back));
    }
  }
}

TEST_CASE("a machine of one core has no latency between cores", "[hardware]") {
  const std::vector<ProcessingUnit> units = first_units(this_machine(), 1);
  REQUIRE(units.size() == 1);
  const std::vector<std::vector<LineLatency>> pairs = line_latencies(units);
  REQUIRE(pairs.size() == 1);
  REQUIRE(pairs[0].size() == 1);
  CHECK(pairs[0][0].seconds == 0.0);
}

TEST_CASE("each pair of many cores has time to be measured", "[hardware]") {
  using namespace std::chrono_literals;
  CHECK(time_for_a_pair(1) == 5ms);
  CHECK(time_for_a_pair(2) == 5ms);
  CHECK(time_for_a_pair(4) == 5ms);          // 6 pairs
  CHECK(time_for_a_pair(16) == 5ms);         // 120 pairs
  CHECK(time_for_a_pair(64) / 1us == 1488);  // 3 s of 2016 pairs
}

TEST_CASE("a pair whose stretches do not end says how many round trips did", "[hardware]") {
  const std::vector<ProcessingUnit> units = first_units(this_machine(), 2);
  if (units.size() < 2) return;
  const LineLatency none =
      line_latency(units[0].index, units[1].index, std::chrono::nanoseconds(0));
  CHECK(std::isnan(none.seconds));
  CHECK(none.round_trips == 0);
}

TEST_CASE("a unit of each core is measured, and of many cores evenly some", "[hardware]") {
  const Machine machine = synthetic_machine("pack:2 numa:2 core:16 pu:2");
  CHECK(first_units(machine, 1000).size() == 64);
  const std::vector<ProcessingUnit> some = first_units(machine, 8);
  REQUIRE(some.size() == 8);
  std::vector<int> nodes;
  for (const ProcessingUnit& unit : some) {
    CHECK(unit.index % 2 == 0);  // the first of the core
    nodes.push_back(unit.node);
  }
  CHECK(nodes == std::vector<int>{0, 0, 1, 1, 2, 2, 3, 3});
}

TEST_CASE("writes and streams take time", "[hardware]") {
  const std::vector<ProcessingUnit> units = first_units(this_machine(), 2);
  const std::array first{units.front().index};
  CHECK(triad_bandwidth(first, std::size_t{1} << 20U) > 0.0);
  CHECK(triad_bytes(2) >= triad_bytes(1));
  if (units.size() < 2) return;
  const LineCost cost = line_cost(units[0].index, units[1].index);
  CHECK(cost.own_store > 0.0);
  CHECK(cost.shared_store > 0.0);
  CHECK(cost.own_add > 0.0);
  CHECK(cost.shared_add > 0.0);
  const std::array both{units[0].index, units[1].index};
  CHECK(triad_bandwidth(both, std::size_t{1} << 20U) > 0.0);
}

}  // namespace trainyard
