// What is said of measurements between cores, with figures that no machine here gives.
#include "trainyard/report/machine_format.hpp"

#include <limits>
#include <string>

#include <nlohmann/json.hpp>

#include "support/catch.hpp"

namespace trainyard {

namespace {

constexpr double nobody = std::numeric_limits<double>::quiet_NaN();

/// Three cores on two nodes; between the first and the last nobody answered in time.
MachineReport three_cores() {
  MachineReport report{.machine = {.units = {{0, 0, 0}, {1, 1, 0}, {2, 2, 1}},
                                   .cores = 3,
                                   .nodes = 2,
                                   .description = "three cores"},
                       .ranks = 4,
                       .places = {0, 1, 2, 0}};
  const LineLatency none{}, near{.seconds = 50e-9, .round_trips = 900, .took = 5e-3},
      far{.seconds = 200e-9, .round_trips = 300, .took = 5e-3},
      busy{.seconds = nobody, .round_trips = 7, .took = 2e-3};
  report.measured =
      MachineMeasurements{.units = report.machine.units,
                          .latencies = {{none, near, busy}, {near, none, far}, {busy, far, none}},
                          .costs = {{.core = 0, .other = 2, .cost = {1e-9, 2e-9, 5e-9, 30e-9}}},
                          .bandwidths = {{.node = 0, .cores = 2, .bytes_per_second = 2e10}}};
  return report;
}

}  // namespace

TEST_CASE("measurements of a machine as text", "[report]") {
  const std::string text = machine_text(three_cores());
  CHECK_THAT(text, ContainsSubstring("three cores\n\nrank  hardware thread  core  NUMA node\n"));
  CHECK_THAT(text, ContainsSubstring("\n   3                0     0          0\n"));
  CHECK_THAT(text, ContainsSubstring("\n4 ranks share 3 cores; --time virtual gives each"));
  CHECK_THAT(text, ContainsSubstring("core     0    1     2\n0        -   50  busy\n"));
  CHECK_THAT(text, ContainsSubstring("busy: 1 of 3 pairs; between cores 0 and 2 7 round trips "
                                     "ended in 2 ms, where 20 in a row are one figure\n"));
  CHECK_THAT(text, ContainsSubstring("\n0 and 2  "));
}

TEST_CASE("measurements of a machine as JSON", "[report]") {
  const auto document = nlohmann::json::parse(machine_json(three_cores()));
  CHECK(document["core_for_each"] == false);
  CHECK(document["places"][3]["unit"] == 0);
  const auto& measured = document["measured"];
  CHECK(measured["busy_pairs"] == 1);
  CHECK(measured["latency_s"]["rows"][0][2].is_null());
  CHECK(measured["latency_s"]["rows"][2][1] == 200e-9);
  CHECK(measured["write_s"][0]["cores"] == nlohmann::json{0, 2});
  CHECK(measured["write_s"][0]["shared_add"] == 30e-9);
  CHECK(measured["triad"][0]["bytes_per_second"] == 2e10);
}

}  // namespace trainyard
