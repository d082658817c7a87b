// Runs whose workers crash: what becomes of them, and what it costs.
#include <chrono>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "trainyard/analysis/checkpointing.hpp"
#include "trainyard/base/error.hpp"
#include "trainyard/configuration/settings_text.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "run/small_runs.hpp"
#include "support/catch.hpp"
#include "support/left_out.hpp"

namespace trainyard {
namespace {

using namespace std::chrono_literals;

/// Four workers and 30 steps of a millisecond, with a checkpoint after each five.
Configuration with_crashes(const std::string& scheme, const std::string& faults,
                           OnFailure on_failure) {
  Configuration c = small_configuration(scheme);
  c.steps = 30;
  c.checkpoint_every = 5.0 / 15.0;
  c.line_time = Duration{0};
  parse_faults(faults.empty() ? "none" : faults, "--fault", c.network.faults);
  c.network.faults.on_failure = on_failure;
  return c;
}

Configuration restarting(const std::string& scheme, const std::string& faults) {
  return with_crashes(scheme, faults, OnFailure::restart);
}

Configuration without_faults(Configuration c) {
  c.network.faults = {};
  return c;
}

}  // namespace

TEST_CASE("a run that crashes goes back to its last checkpoint", "[run][crash]") {
  struct Row {
    const char* faults;
    double checkpoint_ms;
    double seconds, lost_s;
    std::uint64_t crashes;
  };
  // Steps of 1 ms, checkpoints each 5: what is done at 12.5 ms is lost from 10 ms on.
  for (const auto& [faults, checkpoint_ms, seconds, lost_s, crashes] : {
           Row{"none", 0.0, 0.030, 0.0, 0}, Row{"crash:2@12500us-20ms", 0.0, 0.040, 0.010, 1},
           Row{"crash:2@10ms-10ms", 0.0, 0.035, 0.005, 1},  // before the second is made
           Row{"crash:2@100ms-200ms", 0.0, 0.030, 0.0, 0},  // when it is over
           Row{"crash:2@12500us-20ms+crash:1@24ms-25ms", 0.0, 0.045, 0.015, 2},
           Row{"crash:2@12500us-20ms+crash:1@16ms-22ms", 0.0, 0.042, 0.012, 2},  // while it waits
           Row{"none", 1.0, 0.035, 0.0, 0},  // five of them, none at the end
           // At 12 ms two have been made; from 20 ms on it takes 20 ms and three more.
           Row{"crash:2@12500us-20ms", 1.0, 0.043, 0.008, 1},
           Row{"crash:2@11500us-20ms", 1.0, 0.049, 0.014, 1},  // while the second is made
       }) {
    CAPTURE(faults, checkpoint_ms);
    Configuration c = restarting("ring", faults);
    if (checkpoint_ms > 0.0) c.checkpoint_time = Duration(1ms) * static_cast<int>(checkpoint_ms);
    const RunResult result = run_small(c);
    CHECK(result.summary.seconds == Approx(seconds).epsilon(1e-9));
    CHECK(result.summary.lost_s.value_or(0.0) == Approx(lost_s).margin(1e-12));
    CHECK(result.summary.crashes.value_or(0) == crashes);
    CHECK(result.summary.model_hash == run_small(without_faults(c)).summary.model_hash);
    check_adds_up(result);
  }
}

TEST_CASE("without checkpoints a run begins anew", "[run][crash]") {
  Configuration c = restarting("ring", "crash:0@12500us-20ms");
  c.checkpoint_every.reset();
  const RunResult result = run_small(c);
  CHECK(result.summary.seconds == Approx(0.050));
  CHECK(result.summary.lost_s == Approx(0.020));
  // 12 of the steps of all four were for nothing.
  CHECK(result.summary.samples_computed == (30U + 12U) * 40U);
  CHECK(result.summary.samples == 30U * 40U);
  CHECK(result.summary.model_hash == run_small(without_faults(c)).summary.model_hash);
}

TEST_CASE("whatever a scheme keeps is as it was at the checkpoint", "[run][crash]") {
  for (const Scheme& scheme : schemes()) {
    INFO(scheme.name);
    Configuration c = restarting(scheme.name, "crash:0@4ms-5ms+crash:0@17ms-19ms");
    c.network.latency = 50us;
    c.network.bytes_per_second = 1e8;
    if (!scheme.order.no_checkpoint.empty()) c.checkpoint_every.reset();
    const RunResult crashed = run_small(c), whole = run_small(without_faults(c));
    CHECK(crashed.summary.model_hash == whole.summary.model_hash);
    CHECK(crashed.summary.crashes >= 1U);
    // Its buckets are cut by a clock that goes on while the run stands.
    if (scheme.name != "fused-all-reduce") {
      CHECK(crashed.summary.seconds ==
            Approx(whole.summary.seconds + crashed.summary.lost_s.value_or(0.0)).epsilon(1e-9));
    }
    CHECK(crashed.metrics.size() == whole.metrics.size());
    check_adds_up(crashed);
  }
}

TEST_CASE("checkpoints by the clock are gone back to as well", "[run][crash]") {
  for (const Scheme& scheme : schemes()) {
    if (!scheme.order.no_checkpoint.empty()) continue;
    INFO(scheme.name);
    Configuration c = restarting(scheme.name, "crash:0@4ms-5ms+crash:0@17ms-19ms");
    c.network.latency = 50us;
    c.network.bytes_per_second = 1e8;
    c.checkpoint_every = Duration(6ms);
    const RunResult crashed = run_small(c), whole = run_small(without_faults(c));
    CHECK(crashed.summary.model_hash == whole.summary.model_hash);
    CHECK(crashed.summary.crashes >= 1U);
    if (scheme.name != "fused-all-reduce") {  // as above
      CHECK(crashed.summary.seconds ==
            Approx(whole.summary.seconds + crashed.summary.lost_s.value_or(0.0)).epsilon(1e-9));
    }
    check_adds_up(crashed);
  }
}

// Segments of τ, each but the last followed by a checkpoint of δ, that are begun anew after each
// failure, R later: Σ (M + R)(e^{x/M} − 1).
TEST_CASE("a year of failures takes as long as Daly's formula says", "[run][crash]") {
  const double mean_s = 0.025, repair_s = 0.00025, checkpoint_s = 0.0005, segment_s = 0.005;
  constexpr int segments = 40, seeds = 60;
  Configuration c = restarting("ring", "crash:worker-mtbf=25ms,repair=250us");
  c.workers = 1;
  c.batch = 40;
  c.steps = 5 * segments;
  c.epochs.reset();
  c.checkpoint_time = 500us;
  // Five steps, or the same by the clock.
  c.checkpoint_every = GENERATE(CheckpointInterval(5.0 / 15.0), CheckpointInterval(Duration(5ms)));
  std::vector<double> times;
  double crashes = 0.0, mean = 0.0, squares = 0.0;
  for (int seed = 1; seed <= seeds; ++seed) {
    c.seed = static_cast<std::uint64_t>(seed);
    const Summary summary = run_small(c).summary;
    times.push_back(summary.seconds);
    mean += summary.seconds / seeds;
    crashes += static_cast<double>(summary.crashes.value_or(0));
  }
  for (const double time : times) squares += (time - mean) * (time - mean);
  const double error = std::sqrt(squares / (seeds * (seeds - 1.0)));
  const double expected =
      (mean_s + repair_s) * ((segments - 1) * std::expm1((segment_s + checkpoint_s) / mean_s) +
                             std::expm1(segment_s / mean_s));
  CAPTURE(mean, error, expected, crashes);
  CHECK(crashes > 400.0);
  CHECK(error < 0.02 * expected);
  CHECK(std::abs(mean - expected) < 4.0 * error);
  const CheckpointTask task{checkpoint_s, repair_s, mean_s, segments * segment_s};
  CHECK(*checkpointed(task, segment_s).expected_s == Approx(expected).epsilon(5e-3));
}

TEST_CASE("where a crash stops a run, its results are kept", "[run][crash]") {
  Configuration c = with_crashes("ring", "crash:2@17500us", OnFailure::stop);
  c.checkpoint_every.reset();
  c.evaluate_every = 5.0 / 15.0;
  const RunResult result = run_small(c);
  CHECK(result.summary.seconds == Approx(0.0175));
  CHECK(result.summary.steps == 15.0);
  CHECK(says(result, "worker 2 crashed at 17.5 ms"));
  CHECK(result.summary.crashed);
  check_adds_up(result);
  c.network.faults = {};
  c.steps = 15;
  CHECK(result.summary.model_hash == run_small(c).summary.model_hash);
}

TEST_CASE("who crashes for good is waited for in vain, or not at all", "[run][crash]") {
  Configuration c = with_crashes("ring", "crash:2@17500us", OnFailure::wait);
  c.checkpoint_every.reset();
  c.evaluate_every = 5.0 / 15.0;
  const RunResult stuck = run_small(c);
  CHECK(stuck.summary.seconds == Approx(0.018));  // the others have done that step
  CHECK(stuck.summary.steps == 15.0);
  CHECK(stuck.accounts[2].compute == 17500us);  // in the midst of a minibatch
  CHECK(says(stuck, "worker 2 crashed at 17.5 ms for good"));
  CHECK(stuck.summary.crashed);
  CHECK(says(stuck, "waits for a message from rank"));
  c.network.faults.crashes.push_back({.rank = 1, .when = {17500us}});
  CHECK(says(run_small(c),
             "worker 2 crashed at 17.5 ms for good, worker 1 crashed at 17.5 ms for "
             "good, and are waited for in vain"));

  for (const char* scheme : {"ps-async", "downpour", "hogwild", "fedasync"}) {
    CAPTURE(scheme);
    c = with_crashes(scheme, "crash:2@17500us", OnFailure::wait);
    const RunResult result = run_small(c), whole = run_small(without_faults(c));
    CHECK_FALSE(says(result, "in vain"));
    CHECK(result.summary.seconds > 1.1 * whole.summary.seconds);
    CHECK(result.summary.epochs > 0.95 * whole.summary.epochs);
    check_adds_up(result);
  }
}

TEST_CASE("the table says who goes on without a worker", "[run][crash]") {
  for (const Scheme& scheme : schemes()) {
    if (scheme.name == "sequential") continue;  // there is no other
    for (const int worker : {0, 3}) {
      INFO(scheme.name << ", worker " << worker);
      Configuration c = with_crashes(scheme.name, "", OnFailure::wait);
      c.checkpoint_every.reset();
      c.network.latency = 50us;
      c.network.bytes_per_second = 1e8;
      c.network.faults.crashes = {{.rank = worker, .when = {5500us}}};
      CHECK(says(run_small(c), "is waited for in vain") != scheme.order.outlives_worker);
    }
  }
}

TEST_CASE("who comes back goes on where it was", "[run][crash]") {
  Configuration crashed = with_crashes("ring", "crash:2@3ms-13ms", OnFailure::wait);
  Configuration stalled = with_crashes("ring", "stall:2@3ms-13ms", OnFailure::wait);
  const RunResult a = run_small(crashed), b = run_small(stalled);
  CHECK(a.summary.seconds == b.summary.seconds);
  CHECK(a.summary.model_hash == b.summary.model_hash);
}

TEST_CASE("a run that never gets from one checkpoint to the next ends", "[run][crash]") {
  Configuration c = restarting("ring", "crash:worker-mtbf=100us,repair=10us");
  const RunResult result = run_small(c);
  CHECK(result.summary.steps == 0.0);
  CHECK(says(result, "crashes in a row"));
}

TEST_CASE("what ends a run that crashes is said, and counted once", "[run][crash]") {
  Configuration c = with_crashes("ring", "crash:1@12ms-1s+crash:2@30ms-2s", OnFailure::stop);
  const RunResult stopped = run_small(c);
  CHECK(stopped.summary.crashes == 1U);
  CHECK(stopped.summary.seconds == Approx(0.012));
  CHECK(crash_clauses(c) == ", on-failure stop, checkpoint-every 0.3333333333333333");

  c = restarting("ring", "crash:worker-mtbf=1ms,repair=10ms");
  c.workers = 16;
  c.batch = 1;
  CHECK(says(run_small(c), "all are never up at once"));

  c = restarting("ring", "crash:1@12ms-1s");
  c.steps.reset();
  c.epochs.reset();
  c.seconds = 20ms;
  const RunResult over = run_small(c);
  CHECK(says(over, "was not back when the run's 20 ms were over"));
  CHECK(over.summary.seconds <= 0.020);
  check_adds_up(over);
}

TEST_CASE("what coding took is not undone", "[run][crash]") {
  Configuration c = restarting("coded-all-reduce", "crash:1@13ms-14ms");
  c.ingredients["codec"] = "qsgd";
  c.encode_time = 10us;
  c.decode_time = 10us;
  const Summary crashed = run_small(c).summary, whole = run_small(without_faults(c)).summary;
  REQUIRE(whole.coding_s);
  CHECK(*crashed.coding_s > 1.05 * *whole.coding_s);
  const double gradients = static_cast<double>(crashed.gradients) / 4.0;
  // A crash cuts a minibatch in two, of which the first half is computed in vain, or a coding.
  CHECK(crashed.compute_s - *crashed.coding_s >= gradients * 0.001 - 1e-9);
  CHECK(crashed.compute_s - *crashed.coding_s <= (gradients + 1.0) * 0.001 + 0.0002);
}

TEST_CASE("that others went on without a worker is said", "[run][crash]") {
  CHECK(says(run_small(with_crashes("ps-async", "crash:2@17500us", OnFailure::wait)),
             "worker 2 crashed at 17.5 ms for good; the others went on"));
  CHECK(says(run_small(with_crashes("ps-async", "crash:0@9ms+crash:1@9ms+crash:2@9ms+crash:3@9ms",
                                    OnFailure::wait)),
             "no worker is left"));
}

TEST_CASE("a server that a scheme has not cannot crash", "[run][crash]") {
  for (const OnFailure rule : {OnFailure::wait, OnFailure::stop, OnFailure::restart}) {
    const RunResult run = run_small(with_crashes("ring", "crash:4@17500us-20ms", rule));
    CHECK(says(run, "note: --fault crash:4 has no effect: the ranks of this scheme are 0 to 3"));
    CHECK_FALSE(run.summary.crashed);
  }
  const RunResult waited = run_small(with_crashes("ring", "crash:4@17500us", OnFailure::wait));
  CHECK_FALSE(says(waited, "server 0 crashed"));
  const RunResult served = run_small(with_crashes("ps-sync", "crash:4@17500us", OnFailure::wait));
  CHECK(says(served, "server 0 crashed at 17.5 ms for good"));
}

TEST_CASE("who crashes for good while it is away is gone from then on", "[run][crash]") {
  for (const char* faults :
       {"crash:4@17500us+crash:4@12ms-30ms", "crash:4@12ms-17600us+crash:4@17500us"}) {
    CAPTURE(faults);
    Configuration c = with_crashes("ps-sync", faults, OnFailure::wait);
    c.checkpoint_every.reset();
    const RunResult run = run_small(c);
    CHECK(says(run, "server 0 crashed at 17.5 ms for good, and is waited for in vain"));
    CHECK(run.summary.seconds == Approx(0.0175));
    check_adds_up(run);
  }
  // A worker that makes up for 6 ms and would be at it until 18.
  Configuration c = with_crashes("ring", "crash:2@17500us+crash:2@11ms-17ms", OnFailure::wait);
  c.checkpoint_every.reset();
  const RunResult worker = run_small(c);
  CHECK(says(worker, "worker 2 crashed at 17.5 ms for good"));
  CHECK(worker.accounts[2].compute == 17500us);
}

// Its coordinator waits for all to say goodbye.
TEST_CASE("sandblaster ends when all but those who have crashed have left", "[run][crash]") {
  Configuration c = with_crashes("sandblaster", "crash:1@0s+crash:3@1ms", OnFailure::wait);
  c.checkpoint_every.reset();
  c.epochs.reset();
  c.seconds = 5ms;  // less than a pass
  const RunResult run = run_small(c);
  CHECK(says(run, "the others went on"));
  CHECK(run.summary.seconds < 0.010);
  check_adds_up(run);
}

TEST_CASE("where all workers are gone for good no leg follows", "[run][crash]") {
  for (const char* scheme : {"ring", "ps-sync", "ps-async"}) {
    CAPTURE(scheme);
    Configuration c = with_crashes(scheme, "crash:0@2500us", OnFailure::wait);
    c.workers = 1;
    c.checkpoint_every = 0.02;  // each step
    const RunResult run = run_small(c);
    CHECK(run.summary.steps == 2.0);
    check_adds_up(run);
  }
}

TEST_CASE("who is gone for good begins no later leg", "[run][crash]") {
  for (const char* scheme : {"gradient-coding", "uncoded", "ps-async"}) {
    for (const char* crash : {"crash:2@0s", "crash:2@4200us"}) {
      CAPTURE(scheme, crash);
      Configuration c = with_crashes(scheme, crash, OnFailure::wait);
      c.checkpoint_every = 0.1;
      const RunResult run = run_small(c);
      CHECK(run.summary.epochs > 0.9 * *c.epochs);
      CHECK(run.accounts[2].compute <= 4300us);
      check_adds_up(run);
    }
  }
}

TEST_CASE("crashes that make no sense are refused by name", "[run][crash]") {
  const auto refusal = [](const Configuration& c) -> std::string {
    try {
      (void)run_small(c);
    } catch (const OptionError& error) {
      return error.what();
    }
    return "";
  };
  Configuration c = restarting("ring", "crash:2@17ms");
  CHECK_THAT(refusal(c), ContainsSubstring("--fault: crash:2 does not say when it is back"));
  c = restarting("ring", "crash:2@17ms-18ms");
  c.time = TimeMode::wall;
  c.compute_time.reset();
  CHECK_THAT(refusal(c), ContainsSubstring("--on-failure restart: goes by the simulated clock"));
  c = with_crashes("ring", "crash:2@17ms", OnFailure::wait);
  c.time = TimeMode::wall;
  c.compute_time.reset();
  CHECK_THAT(refusal(c), ContainsSubstring("--fault"));
  c = restarting("ring", "crash:9@17ms-18ms");
  CHECK_THAT(refusal(c), ContainsSubstring("rank 9"));
  c = restarting("ring", "crash:1@17ms-18ms");
  c.trace = "trace.json";
  c.checkpoint_every.reset();
  CHECK_THAT(refusal(c), ContainsSubstring("--trace"));
}

}  // namespace trainyard
