// What the program says of this machine and of its ranks' threads.
#include <string>

#include <nlohmann/json.hpp>

#include "app/program.hpp"
#include "app/results.hpp"
#include "data/files.hpp"
#include "support/catch.hpp"
#include "support/control_group.hpp"

namespace trainyard {

namespace {

const Words wall_run{"run",      "--scheme", "ps-sync", "--workers", "2",
                     "--epochs", "0.5",      "--time",  "wall",      "--quiet"};

}  // namespace

TEST_CASE("machine measures only when it is asked", "[app]") {
  CHECK(run_program({"machine"}).output.find("cache line") == std::string::npos);
  const Outcome measured = run_program({"machine", "--measure"});
  CHECK(measured.status == 0);
  CHECK_THAT(measured.output, ContainsSubstring("between memory and all cores of a node"));
}

TEST_CASE("machine --json has the text's ranks, and measures only when it is asked", "[app]") {
  const Outcome text = run_program({"machine", "--workers", "3"});
  const Outcome outcome = run_program({"machine", "--workers", "3", "--json"});
  const Json document = Json::parse(outcome.output);
  CHECK(text.output.starts_with(document["description"].get<std::string>() + "\n"));
  CHECK(document["ranks"] == 3);
  CHECK(document["places"].size() == 3);
  CHECK(document["units"].size() >= document["cores"].get<std::size_t>());
  CHECK(document["measured"].is_null());
  const Outcome free = run_program({"machine", "--placement", "none", "--json"});
  CHECK(Json::parse(free.output)["places"].empty());
}

TEST_CASE("machine --measure --json has each pair of cores", "[app]") {
  const Json measured =
      Json::parse(run_program({"machine", "--measure", "--json"}).output)["measured"];
  const Json& latency = measured["latency_s"];
  if (latency["cores"].size() > 1) {
    CHECK(latency["rows"].size() == latency["cores"].size());
    CHECK(latency["rows"][0][0] == 0.0);
    CHECK_FALSE(measured["write_s"].empty());
  }
  REQUIRE_FALSE(measured["triad"].empty());
  CHECK(measured["triad"][0]["bytes_per_second"].get<double>() > 0.0);
}

TEST_CASE("machine measures the cores that it may use, be it one", "[app]") {
  const Outcome measured = run_program({"machine", "--measure"}, {.one_core = true});
  CHECK(measured.status == 0);
  CHECK_THAT(measured.output, ContainsSubstring("1 core,"));
  CHECK_THAT(measured.output, ContainsSubstring("nothing to measure between cores"));
  CHECK_THAT(measured.output, ContainsSubstring("STREAM"));
}

TEST_CASE("a quota of CPU time counts as the number of cores", "[app]") {
  const test::ControlGroup group("cpu",
                                 {{"cpu.cfs_period_us", "100000"}, {"cpu.cfs_quota_us", "50000"}});
  if (!group.is_there()) return;
  const TemporaryFolder folder;
  const auto limited = [&](const std::string& arguments) {
    return run_script(group.entering() + "exec $P " + arguments, folder.path());
  };
  const Outcome machine = limited("machine --workers 1");
  CHECK_THAT(machine.output, ContainsSubstring(", CPU quota 0.5\n"));
  CHECK_THAT(machine.output, ContainsSubstring("\n1 rank shares ") &&
                                 ContainsSubstring(" with a CPU quota of 0.5; --time virtual"));
  CHECK_THAT(limited("run --dataset blobs --scheme sequential --workers 1 --steps 2").errors,
             ContainsSubstring("time: virtual (1 rank on ") &&
                 ContainsSubstring(" with a CPU quota of 0.5)"));
  const Outcome wall = limited("run --workers 2 --time wall --steps 20 --quiet --json");
  CHECK(wall.status == 0);
  CHECK_THAT(wall.errors, ContainsSubstring("warning: 2 ranks share ") &&
                              ContainsSubstring(" with a CPU quota of 0.5, so computing"));
  CHECK_THAT(Json::parse(wall.output)["machine"].get<std::string>(),
             ContainsSubstring(", CPU quota 0.5"));
}

TEST_CASE("a run in wall says where its ranks ran", "[app]") {
  const Outcome outcome = run_program(wall_run);
  CHECK_THAT(outcome.output, ContainsSubstring("\nran on: rank"));
  CHECK(outcome.output.find("context switches") == std::string::npos);
}

TEST_CASE("with --counters a run has a table of its ranks, and JSON has it", "[app]") {
  const Outcome table = run_program(wall_run + Words{"--counters"});
  CHECK(table.status == 0);
  CHECK_THAT(table.output, ContainsSubstring("context switches"));
  CHECK_THAT(table.output, ContainsSubstring("\nall "));
  const Json run = Json::parse(run_program(wall_run + Words{"--counters", "--json"}).output);
  CHECK(run["counters"]["page_faults"].is_number());
  CHECK(run["ranks"]["context_switches"].size() == 3);
  CHECK(run["ranks"]["core"].size() == 3);
}

TEST_CASE("with --counters a comparison in wall has columns of them", "[app]") {
  const Outcome outcome =
      run_program({"compare", "--schemes", "ring,gossip", "--workers", "2", "--epochs", "0.5",
                   "--time", "wall", "--quiet", "--counters"});
  CHECK(outcome.status == 0);
  CHECK_THAT(outcome.output, ContainsSubstring("page faults"));
}

TEST_CASE("in simulated time --counters has no effect, and that is said", "[app]") {
  const Outcome outcome =
      run_program({"run", "--workers", "2", "--epochs", "0.1", "--time", "virtual", "--counters"});
  CHECK(outcome.status == 0);
  CHECK_THAT(outcome.errors, ContainsSubstring("note: --counters has no effect"));
  CHECK(outcome.output.find("context switches") == std::string::npos);
}

}  // namespace trainyard
