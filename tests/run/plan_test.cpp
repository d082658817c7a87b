// A run's plan, of a configuration as it is asked for or as it was resolved before.
#include "trainyard/run/plan.hpp"

#include <filesystem>
#include <string>

#include "trainyard/base/error.hpp"
#include "trainyard/run/resolve.hpp"
#include "trainyard/run/run.hpp"
#include "trainyard/topology/topology.hpp"

#include "data/files.hpp"
#include "run/small_runs.hpp"
#include "support/catch.hpp"

namespace trainyard {

TEST_CASE("a prepared run is that of the resolved configuration", "[run]") {
  const LoadedData data = small_data();
  for (const char* scheme : {"ring", "gossip", "exact-diffusion", "choco", "ps-async", "hogwild"}) {
    CAPTURE(scheme);
    const Configuration c = small_configuration(scheme);
    const RunResult resolved = run_experiment(plan_run(resolve(c, {scheme}, data, {}), data), {});
    const RunResult prepared = run_experiment(prepare_run(c, data, {}), {});
    CHECK(prepared.summary.model_hash == resolved.summary.model_hash);
    CHECK(prepared.summary.bytes_sent == resolved.summary.bytes_sent);
    CHECK(prepared.summary.seconds == resolved.summary.seconds);
  }
}

// The graph was made for the check, and once more for the run.
TEST_CASE("the name of a graph is looked up once for a run", "[run]") {
  const TemporaryFolder folder;
  const LoadedData data = small_data();
  const auto file = folder.write("graph.txt", "0 1 0.5\n1 2 0.5\n2 3 0.5\n3 0 0.5\n");
  Configuration c = small_configuration("gossip");
  c.workers = 4;
  c.time = TimeMode::automatic;  // of which something is said, after the checks
  c.ingredients["topology"] = "file:" + file.string();
  const Configuration resolved = resolve(c, {c.scheme}, data, {});
  const Plan plan =
      prepare_run(c, data, [&](const std::string&) { std::filesystem::remove(file); });
  REQUIRE_FALSE(std::filesystem::exists(file));
  CHECK(plan.ingredients.get<Topology>("topology").matrices.front().size() == 4);
  CHECK_THROWS_AS(plan_run(resolved, data), UsageError);
}

}  // namespace trainyard
