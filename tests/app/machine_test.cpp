// What the program says of this machine and of its ranks' threads.
#include <string>

#include <nlohmann/json.hpp>

#include "app/program.hpp"
#include "app/results.hpp"
#include "support/catch.hpp"

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

TEST_CASE("machine measures the cores that it may use, be it one", "[app]") {
  const Outcome measured = run_program({"machine", "--measure"}, {.one_core = true});
  CHECK(measured.status == 0);
  CHECK_THAT(measured.output, ContainsSubstring("1 core,"));
  CHECK_THAT(measured.output, ContainsSubstring("nothing to measure between cores"));
  CHECK_THAT(measured.output, ContainsSubstring("STREAM"));
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
