#include "run/observation.hpp"

#include <vector>

#include "trainyard/run/plan.hpp"
#include "trainyard/run/resolve.hpp"

#include "data/files.hpp"
#include "support/catch.hpp"
#include "support/training.hpp"

namespace trainyard {

namespace {

RunResult result_of(TimeMode time, bool counters, Placement placement = Placement::compact) {
  Configuration c = test::quick("ps-sync", 3, 20);
  c.time = time;
  c.counters = counters;
  c.placement = placement;
  const LoadedData data = test::dense_problem();
  return run_experiment(plan_run(resolve(c, {c.scheme}, data, {}), data), {});
}

}  // namespace

TEST_CASE("a run in wall says of each rank where it ran", "[run]") {
  const Machine machine = this_machine();
  const RunResult result = result_of(TimeMode::wall, false);
  const std::vector<int> places = place_ranks(machine, 4, Placement::compact);
  REQUIRE(result.places.size() == places.size());
  for (std::size_t rank = 0; rank < places.size(); ++rank) {
    CHECK(result.places[rank].pinned);
    CHECK(result.places[rank].unit == places[rank]);
    CHECK(result.places[rank].core);
    CHECK(result.places[rank].node);
    CHECK(result.places[rank].moves == 0U);
  }
  CHECK(result.summary.ran_on == seats_text(machine, places) + "; never moved");
  CHECK(result.summary.moves == 0U);
  CHECK(result.counts.empty());
  CHECK(!result.summary.counts);
  CHECK(!result.summary.energy_j);
}

TEST_CASE("ranks that are not pinned are somewhere at the end", "[run]") {
  const RunResult result = result_of(TimeMode::wall, false, Placement::none);
  REQUIRE(result.places.size() == 4);
  if (this_machine().units.size() > 1) CHECK(!result.places[0].pinned);
  REQUIRE(result.summary.ran_on);
  CHECK_THAT(*result.summary.ran_on, ContainsSubstring("of node "));
}

TEST_CASE("counters are of each rank and of all together", "[run]") {
  const RunResult result = result_of(TimeMode::wall, true);
  REQUIRE(result.counts.size() == 4);
  REQUIRE(result.summary.counts);
  CHECK(result.summary.counts == sum_of(result.counts));
  for (const ThreadCounts& counts : result.counts) {
    CHECK(counts.context_switches);
    CHECK(counts.page_faults);
  }
}

TEST_CASE("how much memory lies where its rank ran is said where there are several nodes",
          "[run]") {
  const Machine two = synthetic_machine("pack:2 numa:1 core:4 pu:1");
  CHECK(memory_text(two, {.at_home = 98, .elsewhere = 2}) ==
        "; 98 % of the memory that they keep is on their node");
  CHECK(memory_text(two, {.at_home = 3, .elsewhere = 0}) ==
        "; 100 % of the memory that they keep is on their node");
  CHECK(memory_text(two, {.at_home = 999, .elsewhere = 1}).starts_with("; 99 % "));
  CHECK(memory_text(two, {}).empty());
  CHECK(memory_text(synthetic_machine("core:4 pu:1"), {.at_home = 98, .elsewhere = 2}).empty());
}

TEST_CASE("where too few files may be open the last ranks go uncounted", "[run]") {
  for (const std::size_t ranks : {1, 4, 250, 256, 1000}) {
    CAPTURE(ranks);
    const std::size_t room = room_of_meters(ranks);
    CHECK(ranks_metered(ranks, room) == ranks);
    CHECK(ranks_metered(ranks, 2 * room) == ranks);
    CHECK(ranks_metered(ranks, room - 1) == ranks - 1);
    CHECK(ranks_metered(ranks, 0) == 0);
  }
  CHECK(ranks_metered(300, 1024 - 4) < 300);
  CHECK(ranks_metered(300, 1024 - 4) > 240);
}

TEST_CASE("simulated time has no threads to be looked at", "[run]") {
  const RunResult result = result_of(TimeMode::simulated, true);
  CHECK(result.places.empty());
  CHECK(result.counts.empty());
  CHECK(!result.summary.ran_on);
  CHECK(!result.summary.moves);
  CHECK(!result.summary.counts);
  CHECK(!result.summary.energy_j);
}

TEST_CASE("where ranks ran, in one line", "[run]") {
  const Machine machine = synthetic_machine("pack:2 numa:1 core:4 pu:1");
  const auto sits = [](int unit) {
    return ThreadPlace{.unit = unit, .core = unit, .node = unit / 4, .moves = 0, .pinned = true};
  };
  const auto roams = [&](int unit, std::optional<std::uint64_t> moves) {
    ThreadPlace place = sits(unit);
    place.pinned = false;
    place.moves = moves;
    return place;
  };
  CHECK(ran_on_text(machine, std::vector{sits(0), sits(1), sits(2)}) ==
        "ranks 0-2 on cores 0-2 of node 0; never moved");
  CHECK(ran_on_text(machine, std::vector{roams(0, 3), roams(5, 4), roams(5, 0)}) ==
        "not pinned: at the end 1 rank on 1 core of node 0, 2 ranks on 1 core of node 1; moved 7 "
        "times");
  CHECK(ran_on_text(machine, std::vector{roams(0, 1), sits(0)}) ==
        "not pinned: at the end 2 ranks on 1 core of node 0; moved once");
  CHECK(ran_on_text(machine, std::vector{roams(0, std::nullopt)}) ==
        "not pinned: at the end 1 rank on 1 core of node 0; how often they moved is not known");
  CHECK(ran_on_text(machine, std::vector{ThreadPlace{}}) ==
        "not pinned, and where they were is not known; how often they moved is not known");
}

TEST_CASE("what a quota of CPU time holds back is counted while the ranks run", "[run]") {
  const TemporaryFolder root;
  ThrottleMeter none(root.path());
  none.start();
  none.stop();
  CHECK(none.note().empty());

  root.write("proc/self/cgroup", "0::/job\n");
  root.write("sys/fs/cgroup/job/cpu.max", "150000 100000\n");
  const auto held_back = [&](const std::string& microseconds) {
    root.write("sys/fs/cgroup/job/cpu.stat", "throttled_usec " + microseconds + "\n");
  };
  held_back("5000000");  // before the run
  ThrottleMeter meter(root.path());
  meter.start();
  held_back("6000000");
  meter.stop();
  held_back("9000000");  // in an evaluation
  meter.start();
  held_back("9250000");
  meter.stop();
  CHECK(meter.seconds() == 1.25);
  CHECK(meter.note() ==
        "note: the CPU quota of 1.5 cores held this control group back for 1.25 s, added up over "
        "hardware threads, while the run went on; that time is part of its ranks' compute and "
        "wait");
}

}  // namespace trainyard
