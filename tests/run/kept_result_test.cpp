// What is kept of a run is all that is told of it.
#include "trainyard/run/kept_result.hpp"

#include <string>

#include "trainyard/report/summary_format.hpp"
#include "trainyard/runtime/trace.hpp"

#include "data/files.hpp"
#include "report/results.hpp"
#include "run/small_runs.hpp"
#include "support/catch.hpp"

namespace trainyard {

namespace {

/// Through a file, as another process has it.
RunResult kept(RunResult& result) {
  const TemporaryFolder folder;
  Archive written;
  exchange_result(written, result);
  written.write(folder.path() / "result.npz");
  Archive read = Archive::read(folder.path() / "result.npz");
  RunResult again;
  again.resolved.given = result.resolved.given;
  exchange_result(read, again);
  return again;
}

void check_kept(RunResult& result) {
  const RunResult again = kept(result);
  CHECK(run_json(again) == run_json(result));
  CHECK(again.staleness.packed() == result.staleness.packed());
  CHECK(again.places == result.places);
  CHECK(again.counts == result.counts);
}

}  // namespace

TEST_CASE("every figure of a result is kept to the bit, and every one that lacks", "[run]") {
  RunResult full = full_result("ring"), bare = bare_result("gossip");
  check_kept(full);
  check_kept(bare);
  full.summary.train_loss = 0.1 + 0.2;
  CHECK(kept(full).summary.train_loss == 0.1 + 0.2);
}

TEST_CASE("what a run tells is kept, with its first steps", "[run]") {
  for (const char* scheme : {"ring", "ps-async", "choco"}) {
    INFO(scheme);
    Configuration c = small_configuration(scheme);
    c.network.latency = std::chrono::microseconds(100);
    c.gradient_noise = true;
    TraceRecorder recorder({.first = 0, .last = 2});
    RunHooks hooks;
    hooks.recorder = &recorder;
    RunResult result = run_small(c, hooks);
    REQUIRE(result.trace);
    CHECK(!result.trace->messages.empty());
    check_kept(result);
  }
}

TEST_CASE("on threads the places of ranks are kept", "[run]") {
  Configuration c = small_configuration("ring");
  c.time = TimeMode::wall;
  c.compute_time.reset();
  c.workers = 2;
  c.counters = true;
  RunResult result = run_small(c);
  CHECK(!result.places.empty());
  check_kept(result);
}

}  // namespace trainyard
