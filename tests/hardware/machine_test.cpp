#include "trainyard/hardware/machine.hpp"

#include <algorithm>
#include <set>
#include <thread>

#include <sched.h>

#include "trainyard/base/error.hpp"

#include "support/catch.hpp"

using namespace trainyard;

namespace {

const ProcessingUnit& unit_of(const Machine& machine, int index) {
  return *std::ranges::find(machine.units, index, &ProcessingUnit::index);
}

}  // namespace

TEST_CASE("a two-socket server is understood", "[hardware]") {
  const Machine machine = synthetic_machine("pack:2 numa:4 core:16 pu:2");
  CHECK(machine.cores == 128);
  CHECK(machine.nodes == 8);
  CHECK(machine.units.size() == 256);
}

TEST_CASE("ranks get a core each before any core gets two", "[hardware]") {
  const Machine machine = synthetic_machine("pack:2 numa:4 core:16 pu:2");
  for (const Placement placement : {Placement::compact, Placement::scatter}) {
    for (const int ranks : {1, 8, 100, 128}) {
      CAPTURE(placement_text(placement), ranks);
      std::set<int> cores;
      for (const int unit : place_ranks(machine, ranks, placement)) {
        cores.insert(unit_of(machine, unit).core);
      }
      CHECK(cores.size() == static_cast<std::size_t>(ranks));
    }
    std::set<int> units;
    for (const int unit : place_ranks(machine, 256, placement)) units.insert(unit);
    CHECK(units.size() == 256);                                 // then hardware threads
    CHECK(place_ranks(machine, 300, placement).size() == 300);  // then they share
  }
}

TEST_CASE("compact fills a node, scatter takes the nodes in turn", "[hardware]") {
  const Machine machine = synthetic_machine("pack:2 numa:4 core:16 pu:2");
  const auto nodes = [&](Placement placement, int ranks) {
    std::vector<int> of_rank;
    for (const int unit : place_ranks(machine, ranks, placement)) {
      of_rank.push_back(unit_of(machine, unit).node);
    }
    return of_rank;
  };
  const auto compact = nodes(Placement::compact, 16);
  CHECK(std::ranges::count(compact, 0) == 16);
  CHECK(nodes(Placement::compact, 17).back() == 1);
  CHECK(nodes(Placement::scatter, 9) == std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7, 0});
  CHECK(place_ranks(machine, 9, Placement::none).empty());
}

TEST_CASE("who sits where, in one line", "[hardware]") {
  const Machine machine = synthetic_machine("pack:2 numa:2 core:4 pu:2");
  const auto seats = [&](int ranks, Placement placement) {
    return seats_text(machine, place_ranks(machine, ranks, placement));
  };
  CHECK(seats(1, Placement::compact) == "rank 0 on core 0 of node 0");
  CHECK(seats(6, Placement::compact) ==
        "ranks 0-3 on cores 0-3 of node 0, ranks 4-5 on cores 4-5 of node 1");
  CHECK(seats(3, Placement::scatter) ==
        "rank 0 on core 0 of node 0, rank 1 on core 4 of node 1, rank 2 on core 8 of node 2");
  CHECK(seats(17, Placement::compact).ends_with(", rank 16 on core 0 of node 0"));
  CHECK(seats(40, Placement::compact).ends_with("the others in the same order again"));
  CHECK(seats(3, Placement::none) == "ranks are not pinned");
}

TEST_CASE("unlike nodes: one has fewer cores", "[hardware]") {
  const Machine machine = synthetic_machine("numa:1 core:3 pu:1");
  CHECK(place_ranks(machine, 3, Placement::scatter).size() == 3);
}

TEST_CASE("this machine has at least one core, and a thread can be pinned to each", "[hardware]") {
  const Machine machine = this_machine();
  REQUIRE(machine.cores >= 1);
  REQUIRE(machine.nodes >= 1);
  for (const ProcessingUnit& unit : machine.units) {
    int allowed = 0;
    std::thread([&] {
      pin_this_thread(unit.index);
      cpu_set_t set;
      CPU_ZERO(&set);
      sched_getaffinity(0, sizeof set, &set);
      allowed = CPU_COUNT(&set);
    }).join();
    CHECK(allowed == 1);
  }
}

TEST_CASE("every node of this machine has a number of the system's", "[hardware]") {
  std::set<int> numbers;
  const Machine machine = this_machine();
  for (const ProcessingUnit& unit : machine.units) {
    const auto number = system_number_of_node(unit.node);
    REQUIRE(number);
    numbers.insert(*number);
  }
  CHECK(numbers.size() == static_cast<std::size_t>(machine.nodes));
  CHECK(!system_number_of_node(100'000));
}

TEST_CASE("an unknown placement is refused", "[hardware]") {
  CHECK_THROWS_AS(parse_placement("everywhere", "--placement:"), UsageError);
}
