// Runs whose members change: who goes on, with what, and what it costs.
#include <chrono>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "trainyard/base/error.hpp"
#include "trainyard/run/plan.hpp"
#include "trainyard/run/resolve.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "run/small_runs.hpp"
#include "support/catch.hpp"

namespace trainyard {
namespace {

using namespace std::chrono_literals;

/// Four workers and 30 steps of a millisecond; a crash is noticed after five.
Configuration shrinking(const std::string& scheme, const std::string& faults) {
  Configuration c = small_configuration(scheme);
  c.steps = 30;
  c.epochs.reset();
  parse_faults(faults, "--fault", c.network.faults);
  c.network.faults.on_failure = OnFailure::shrink;
  c.network.faults.detection = 5ms;
  return c;
}

std::string refusal(const Configuration& c) {
  try {
    (void)run_small(c);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

/// A run of the same rows that begins with that model.
RunResult run_from(const VectorBuffer& model, const Configuration& c) {
  LoadedData data = small_data();
  auto start = std::make_shared<StartingModel>();
  start->model = "logistic";
  start->parameters = VectorBuffer::copy_of(model.view());
  data.start = start;
  return run_experiment(plan_run(resolve(c, {c.scheme}, data, {}), data), {});
}

Configuration of_fewer(Configuration c, int workers, std::uint64_t number, std::uint64_t steps) {
  c.network.faults = {};
  c.workers = workers;
  c.seed += number * 0x9E3779B97F4A7C15U;  // a formation draws anew
  c.steps = steps;
  return c;
}

}  // namespace

// The run in one piece against runs of the members alone, each begun with the model that the one
// before has left.
TEST_CASE("a run that shrinks and grows again has the bits of its parts", "[run][membership]") {
  const std::string scheme = GENERATE("ring", "ps-sync", "gossip");
  INFO(scheme);
  Configuration c = shrinking(scheme, "crash:2@10500us-18200us");
  // Replicas of gossip differ, but over a full graph, in their last bits.
  if (scheme == "gossip") c.ingredients["topology"] = "full";
  // Ten steps are whole; three workers begin at 15.5 ms, and the third step of theirs is under way
  // when the fourth worker is back.
  const RunResult result = run_small(c);
  const RunResult first = run_small(of_fewer(c, 4, 0, 10));
  const RunResult second = run_from(first.model, of_fewer(c, 3, 1, 3));
  const RunResult third = run_from(second.model, of_fewer(c, 4, 2, 17));
  CHECK(result.summary.seconds == Approx(0.0185 + 0.017).epsilon(1e-12));
  CHECK(result.summary.lost_s == Approx(0.0055));
  CHECK(result.summary.crashes == 1U);
  CHECK(result.summary.samples == (10U * 4 + 3 * 3 + 17 * 4) * 10U);
  CHECK(result.summary.samples_computed == result.summary.samples);
  if (scheme == "gossip") {
    CHECK(result.summary.train_loss == Approx(third.summary.train_loss).epsilon(1e-5));
  } else {
    CHECK(result.summary.model_hash == third.summary.model_hash);
  }
  check_adds_up(result);
}

TEST_CASE("a crash costs a part of a step, and until it is noticed", "[run][membership]") {
  struct Row {
    const char* faults;
    double seconds, lost_s;
    std::uint64_t crashes;
  };
  for (const auto& [faults, seconds, lost_s, crashes] : {
           Row{"crash:2@10500us", 0.0355, 0.0055, 1},
           Row{"crash:2@0s", 0.035, 0.005, 1},
           Row{"crash:2@100ms", 0.030, 0.0, 0},             // when it is over
           Row{"crash:2@10500us-11ms", 0.0355, 0.0055, 1},  // back before anybody knows
           Row{"crash:2@10500us+crash:1@12500us", 0.0375, 0.0075, 2},
           Row{"crash:2@10500us+crash:1@20200us", 0.0412, 0.0112, 2},
           Row{"crash:2@10500us+crash:1@10500us+crash:0@10500us", 0.0355, 0.0055, 3},
           Row{"crash:2@10500us-17500us+crash:1@16800us", 0.0408, 0.0108, 2},
           // It waits for the end of the step in which another one crashes.
           Row{"crash:2@10500us-17600us+crash:1@17900us", 0.0409, 0.0109, 2},
       }) {
    CAPTURE(faults);
    const RunResult result = run_small(shrinking("ring", faults));
    CHECK(result.summary.seconds == Approx(seconds).epsilon(1e-9));
    CHECK(result.summary.lost_s.value_or(0.0) == Approx(lost_s).margin(1e-12));
    CHECK(result.summary.crashes.value_or(0) == crashes);
    check_adds_up(result);
  }
}

TEST_CASE("who comes back fetches the model while the others wait", "[run][membership]") {
  Configuration c = shrinking("ring", "crash:2@10500us-18200us");
  c.optimizer.momentum = 0.5;
  c.optimizer.lr = 0.1;
  c.network.latency = 100us;  // of the fetch alone: with one worker nothing else is sent
  c.workers = 2;
  c.network.faults.crashes.front().rank = 1;
  c.network.bytes_per_second = 1e6;
  const RunResult result = run_small(c);
  // A step of two: two messages of half of 80 bytes, each way.
  const double step = 0.001 + 2 * (1e-4 + 40e-6), fetch = 1e-4 + 2 * 80e-6;
  const double whole = std::floor(0.0105 / step);
  const double alone = std::ceil((0.0182 - 0.0155) / 0.001);
  CHECK(result.summary.seconds ==
        Approx(0.0155 + alone * 0.001 + fetch + (30 - whole - alone) * step).epsilon(1e-9));
  CHECK(result.accounts[0].bytes_sent + result.accounts[1].bytes_sent ==
        result.accounts[0].bytes_received + result.accounts[1].bytes_received +
            result.summary.messages_dropped.value() * 40);
}

TEST_CASE("a worker keeps its own place in the network, and its pace", "[run][membership]") {
  Configuration c = shrinking("ring", "crash:1@20500us+slow-link:3:1");
  c.stragglers = {{3, 2.0}};
  // Ten steps of 2 ms, half of one, 5 ms, and twenty more of 2 ms.
  CHECK(run_small(c).summary.seconds == Approx(0.0255 + 0.040).epsilon(1e-9));
  c.stragglers = {{1, 2.0}};
  CHECK(run_small(c).summary.seconds == Approx(0.0255 + 0.020).epsilon(1e-9));
}

TEST_CASE("the table says whose members may change", "[run][membership]") {
  int may_change = 0;
  for (const Scheme& scheme : schemes()) {
    INFO(scheme.name);
    Configuration c =
        shrinking(scheme.name, "crash:1@5500us-16ms+crash:0@17300us+crash:3@30ms-31ms");
    c.line_time = Duration{0};
    c.network.latency = 50us;
    c.network.bytes_per_second = 1e8;
    if (!scheme.order.members_may_change) {
      CHECK_THAT(refusal(c), ContainsSubstring("--on-failure shrink: " + scheme.name));
      continue;
    }
    ++may_change;
    const RunResult result = run_small(c), again = run_small(c);
    CHECK(result.summary.crashes == 3U);
    CHECK(says(result, "3 crashes and 2 returns, with 2 of 4 workers at the fewest"));
    CHECK(result.summary.steps == 30.0);
    CHECK(result.summary.train_loss < 0.9 * result.metrics.front().train_loss);
    CHECK(result.summary.model_hash == again.summary.model_hash);
    CHECK(result.summary.seconds == again.summary.seconds);
    check_adds_up(result);
    std::uint64_t sent = 0, received = 0;
    for (const RankAccount& account : result.accounts) {
      sent += account.messages_sent;
      received += account.messages_received;
    }
    CHECK(sent == result.summary.messages);
    CHECK(sent - received == result.summary.messages_dropped);
  }
  CHECK(may_change == 24);  // docs/faults.md says so
}

TEST_CASE("a run by epochs has its minibatches, however many take part", "[run][membership]") {
  Configuration c = shrinking("ring", "crash:1@5500us-60ms+crash:2@20ms");
  c.steps.reset();
  c.epochs = 4.0;  // 240 minibatches
  const RunResult result = run_small(c);
  CHECK(result.summary.samples >= 2400U);
  CHECK(result.summary.samples < 2440U);
  CHECK(result.summary.epochs == Approx(static_cast<double>(result.summary.samples) / 600.0));
  for (std::size_t i = 1; i < result.metrics.size(); ++i) {
    CHECK(result.metrics[i].samples > result.metrics[i - 1].samples);
    CHECK(result.metrics[i].seconds > result.metrics[i - 1].seconds);
  }
}

// Goodput 1 − (n/M)(c/2 + detection): each crash throws away a step at a moment that has nothing to
// do with it, half of it on average.
TEST_CASE("a crash costs half a step and its detection on average", "[run][membership]") {
  Configuration c = shrinking("ring", "crash:worker-mtbf=2s,repair=1ms");
  c.steps = 30'000;
  c.evaluate_every = 1e6;
  c.network.faults.detection = 2ms;
  const RunResult result = run_small(c);
  const auto crashes = static_cast<double>(result.summary.crashes.value());
  INFO(crashes << " crashes");
  CHECK(crashes > 40);
  const double of_each = result.summary.lost_s.value() / crashes;
  const double error = 0.001 / std::sqrt(12.0 * crashes);  // of a step's part that is lost
  CHECK(std::abs(of_each - 0.0025) < 4.0 * error);
  const double seconds = result.summary.seconds;
  CHECK(std::abs(crashes - 4.0 * seconds / 2.0) < 4.0 * std::sqrt(crashes));
}

TEST_CASE("a run that cannot go on with its members ends", "[run][membership]") {
  const RunResult nobody =
      run_small(shrinking("ring", "crash:0@5ms+crash:1@5ms+crash:2@6ms+crash:3@21500us"));
  CHECK(says(nobody, "worker 3 crashed at 21.5 ms, and no worker is left"));
  CHECK(nobody.summary.seconds == Approx(0.0215));
  CHECK(nobody.summary.crashed);
  check_adds_up(nobody);
  CHECK(says(run_small(shrinking("ps-sync", "crash:4@5500us")),
             "server 0 crashed at 5.5 ms, whose part of the model nobody else has"));
  Configuration c = shrinking("gossip", "crash:1@5500us");
  c.ingredients["topology"] = "hypercube";
  CHECK(says(run_small(c), "and 3 workers cannot go on: --topology: hypercube"));
  c = shrinking("all-reduce", "crash:1@5500us");
  c.ingredients["collective"] = "ps-sharded";
  c.servers = 4;
  CHECK(says(run_small(c), "and 3 workers cannot go on: they have 3 servers"));
}

TEST_CASE("a run by the clock ends with its time, whoever crashes then", "[run][membership]") {
  Configuration c = shrinking("ring", "crash:2@30001us");
  c.steps.reset();
  c.seconds = 30ms;
  c.compute_time = 1100us;
  const RunResult result = run_small(c), whole = [&] {
    Configuration without = c;
    without.network.faults = {};
    return run_small(without);
  }();
  CHECK(result.summary.seconds == whole.summary.seconds);
  CHECK(result.summary.model_hash == whole.summary.model_hash);
  parse_faults("crash:2@28ms", "--fault", c.network.faults);
  CHECK(says(run_small(c), "the others had not noticed when the run's 30 ms were over"));
}

TEST_CASE("who joins has the draws that all have alike, and no residual of another",
          "[run][membership]") {
  Configuration c = shrinking("all-reduce", "crash:2@5500us-10ms");
  c.ingredients["aggregate"] = "bucketing:2+median";
  CHECK(run_small(c).summary.consensus_distance == 0.0);
  c = shrinking("ec-sgd", "crash:1@5500us-10ms");
  c.workers = 2;
  c.ingredients["codec"] = "top-k:10%";
  const RunResult result = run_small(c);
  CHECK(says(result, "1 crash and 1 return"));
  RunHooks hooks;
  std::uint64_t fetched = 0;
  hooks.finished = [&](const RunState& state) { fetched = state.kept_by(1).size(); };
  (void)run_small(c, hooks);
  CHECK(fetched == 2);  // its replica, and a residual that began anew
}

// Of 64 workers 32 are up, and one of them crashes each 16 us.
TEST_CASE("a run ends in which workers crash before any step is done", "[run][membership]") {
  Configuration c = shrinking("ring", "crash:worker-mtbf=500us,repair=500us");
  c.workers = 64;
  c.network.faults.detection = Duration{0};
  const RunResult run = run_small(c);
  CHECK(says(run, "the last of 1000 crashes in a row between which no step was done"));
  CHECK(run.summary.crashed);
  CHECK(run.summary.steps == 0.0);
  check_adds_up(run);
}

TEST_CASE("what its members cannot keep a shrinking run refuses", "[run][membership]") {
  const auto with = [](auto change) {
    Configuration c = shrinking("ring", "crash:1@5500us");
    change(c);
    return refusal(c);
  };
  CHECK_THAT(with([](Configuration& c) { c.time = TimeMode::wall; }),
             ContainsSubstring("goes by the simulated clock"));
  CHECK_THAT(with([](Configuration& c) { c.checkpoint_every = 1.0; }),
             ContainsSubstring("nobody makes or reads a checkpoint"));
  CHECK_THAT(with([](Configuration& c) { c.global_batch = 40; }),
             ContainsSubstring("--global-batch is divided once"));
  CHECK_THAT(with([](Configuration& c) { c.network.charge_control = true; }),
             ContainsSubstring("--charge-control"));
  Configuration lies = shrinking("ps-sync", "crash:1@5500us");
  lies.ingredients["byzantine"] = "1:sign-flip";
  CHECK_THAT(refusal(lies), ContainsSubstring("--byzantine 1:sign-flip"));
  Configuration coded = shrinking("streaming-diloco", "crash:1@5500us");
  coded.ingredients["codec"] = "sign";
  CHECK_THAT(refusal(coded), ContainsSubstring("with --codec sign each worker keeps the error"));
}

}  // namespace trainyard
