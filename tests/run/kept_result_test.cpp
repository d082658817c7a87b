// What is kept of a run is all that is told of it.
#include "trainyard/run/kept_result.hpp"

#include <string>
#include <variant>

#include "trainyard/report/summary_format.hpp"
#include "trainyard/run/figures.hpp"
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
  CHECK(again.summary.kept_epoch == result.summary.kept_epoch);  // which no JSON has
  CHECK(again.staleness.packed() == result.staleness.packed());
  CHECK(again.places == result.places);
  CHECK(again.counts == result.counts);
}

/// What full_result() lacks, each another number.
void fill(Summary& s) {
  double number = 0.1;
  for (auto* figure : {&s.target_accuracy,
                       &s.target_gradient,
                       &s.target_interval_s,
                       &s.speed_up,
                       &s.speed_up_pass_time,
                       &s.speed_up_passes,
                       &s.validation_loss,
                       &s.validation_accuracy,
                       &s.test_metric,
                       &s.validation_metric,
                       &s.kept_epoch,
                       &s.squared_gradient_norm,
                       &s.suboptimality,
                       &s.optimum_distance,
                       &s.transient_iterations,
                       &s.train_r_squared,
                       &s.test_r_squared,
                       &s.optimum_loss,
                       &s.linear_rate,
                       &s.linear_rate_error,
                       &s.compute_stretch,
                       &s.coding_s,
                       &s.lines_s,
                       &s.lost_s,
                       &s.compression,
                       &s.coding_error,
                       &s.energy_j}) {
    *figure = number *= 1.1;
  }
  s.gradient_noise = {1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7, 18};
  s.counts = ThreadCounts{1, 2, 3, 4, 5, 6};
  s.messages_dropped = 7;
  s.tries_lost = 8;
  s.crashes = 2;
  s.moves = 9;
  s.machine = "a machine";
  s.ran_on = "its cores";
  s.metric = "auc";
  s.within = "one machine";
  s.ports = "circuit";
  s.partition = "iid";
  s.stragglers = "0:2";
  s.settings = {{"topology", "torus"}};
  s.varied = {{"latency", "1ms"}, {"lr", "2"}};
  s.tuned = {{"lr", "0.25"}};
  s.notes = {{"ring", "note: a"}, {"", "warning: b"}};
  s.diverged = s.interrupted = s.crashed = true;
  s.gradients = std::uint64_t{1} << 60U;
}

}  // namespace

TEST_CASE("every figure of a result is kept to the bit, and every one that lacks", "[run]") {
  RunResult full = full_result("ring"), bare = bare_result("gossip");
  check_kept(bare);
  fill(full.summary);
  for (const Figure& figure : figures()) {
    INFO(figure.key);
    CHECK(!std::holds_alternative<std::monostate>(figure.of(full.summary)));
  }
  check_kept(full);
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
