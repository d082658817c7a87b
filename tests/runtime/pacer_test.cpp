#include "trainyard/runtime/pacer.hpp"

#include <algorithm>
#include <atomic>
#include <numeric>
#include <thread>
#include <vector>

#include "trainyard/run/plan.hpp"
#include "trainyard/runtime/shared_steps.hpp"

#include "scheme/own_row.hpp"
#include "support/catch.hpp"
#include "support/training.hpp"

using namespace trainyard;
using test::compute_only;
using test::mine;
using test::quick;
using test::train;

namespace {

/// Of programs of the tests' own, which are plain functions: what each rank noted, and the user.
std::vector<std::vector<std::uint64_t>> noted;
std::atomic<bool> interrupted{false};

void note_minibatches(Worker& worker) {
  auto& own = noted[static_cast<std::size_t>(worker.comm().rank())];
  while (worker.next_step()) {
    own.push_back(worker.minibatches().number());
    worker.compute_gradient();
  }
}

void interrupt_in_second_step(Worker& worker) {
  while (worker.next_step()) {
    worker.compute_gradient();
    if (worker.step() == 1) interrupted = true;
  }
}

void descend_on_shared(Worker& worker) {
  SharedSteps shared(worker);
  while (worker.next_step()) shared.descend(SharedAccess::racy);
}

Scheme free_row(void (*program)(Worker&)) {
  Scheme scheme = mine(program);
  scheme.order.pace = Pace::free;
  return scheme;
}

RunResult run_mine(const Scheme& scheme, const Configuration& asked, const LoadedData& data,
                   const RunHooks& hooks = {}, std::optional<std::uint64_t> minibatches = {}) {
  Configuration c = resolve(asked, {asked.scheme}, data, {});
  c.scheme = scheme.name;
  Plan plan = plan_run(scheme, c, data);
  plan.limits.minibatches = minibatches;
  return run_experiment(plan, hooks);
}

/// The minibatches of each rank of a run of two.
std::vector<std::vector<std::uint64_t>> minibatches_of_two(
    const Scheme& scheme, std::uint64_t steps, std::optional<std::uint64_t> minibatches = {}) {
  noted.assign(2, {});
  Configuration c = quick("sequential", 2, steps);
  c.time = TimeMode::wall;
  run_mine(scheme, c, test::dense_problem(), {}, minibatches);
  return noted;
}

}  // namespace

TEST_CASE("steps: every worker of a lockstep scheme takes exactly that many", "[runtime]") {
  const LoadedData data = test::dense_problem();
  for (const char* scheme : {"sequential", "ps-sync", "ring", "gossip", "ps-async", "hogwild"}) {
    CAPTURE(scheme);
    const Summary s = train(quick(scheme, 3, 17), data).summary;
    CHECK(s.steps == 17);
    CHECK(s.samples == 17U * 3U * 4U);
    CHECK(s.epochs == Approx(17.0 * 12 / 400));
  }
}

TEST_CASE("seconds: steps that have begun are finished, no later one begins", "[runtime]") {
  const LoadedData data = test::dense_problem();
  for (const char* scheme : {"sequential", "ps-sync", "ring", "gossip", "ps-async", "hogwild"}) {
    CAPTURE(scheme);
    Configuration c = quick(scheme, 3, 1'000'000);
    c.seconds = seconds(0.1005);  // a step of 3 workers is 1 ms, of the sequential one 3 ms
    const Summary s = train(c, data).summary;
    CHECK(s.seconds >= 0.1);
    CHECK(s.seconds <= 0.104);
  }
}

TEST_CASE("a target loss ends the run soon after it is reached", "[runtime]") {
  const LoadedData data = test::dense_problem();
  for (const char* scheme : {"sequential", "ps-sync", "ring", "gossip", "ps-async", "hogwild"}) {
    for (const TimeMode time : {TimeMode::simulated, TimeMode::wall}) {
      CAPTURE(scheme, time_mode_text(time));
      Configuration c = quick(scheme, 3, 5000);
      c.time = time;
      c.evaluate_every = 0.5;
      c.target_loss = 0.6;
      const RunResult result = train(c, data);
      REQUIRE(result.summary.seconds_to_target);
      CHECK(result.summary.steps < 5000);
      CHECK(result.metrics.size() >= 2);
      CHECK(result.metrics[result.metrics.size() - 3 + (result.metrics.size() < 3 ? 1 : 0)]
                .train_loss > 0.6);
    }
  }
}

TEST_CASE("looking neither moves the clock nor changes the model", "[runtime]") {
  const LoadedData data = test::dense_problem();
  for (const char* scheme : {"sequential", "ps-sync", "ring", "gossip", "ps-async", "hogwild"}) {
    CAPTURE(scheme);
    Configuration c = quick(scheme, 4, 100);
    c.network.latency = seconds(1e-4);
    c.stragglers = {{1, 2.5}};  // so that replicas reach a step at different times
    const RunResult seldom = train(c, data);
    c.evaluate_every = 0.04;
    const RunResult often = train(c, data);
    CHECK(often.metrics.size() > 20);
    CHECK(often.summary.model_hash == seldom.summary.model_hash);
    CHECK(often.summary.seconds == seldom.summary.seconds);
    CHECK(often.summary.bytes_sent == seldom.summary.bytes_sent);
  }
}

TEST_CASE("an interrupt ends the run with what it has", "[runtime]") {
  const LoadedData data = test::dense_problem();
  for (const TimeMode time : {TimeMode::simulated, TimeMode::wall}) {
    for (const char* scheme : {"ring", "ps-sync", "ps-async", "gossip", "hogwild", "ps-backup",
                               "gradient-coding", "uncoded", "essp", "value-bound"}) {
      CAPTURE(scheme, time_mode_text(time));
      Configuration c = quick(scheme, 3, 100'000'000);
      c.time = time;
      c.evaluate_every = 1.0;
      std::atomic<bool> interrupted{false};
      RunHooks hooks;
      hooks.interrupted = &interrupted;
      hooks.evaluated = [&](const Metrics& metrics) {
        if (metrics.epoch >= 3.0) interrupted = true;
      };
      const RunResult result =
          run_experiment(plan_run(resolve(c, {c.scheme}, data, {}), data), hooks);
      CHECK(result.summary.interrupted);
      CHECK(result.summary.epochs >= 3.0);
      CHECK(result.model.size() == 20);
    }
  }
}

TEST_CASE("a diverging run says so and ends", "[runtime]") {
  const LoadedData data = test::dense_problem();
  Configuration c = quick("ring", 2, 100000);
  c.optimizer.lr = 1e9;
  c.evaluate_every = 0.1;
  const Summary s = train(c, data).summary;
  CHECK(s.diverged);
  CHECK(s.steps < 100);
}

TEST_CASE("an interrupt on threads does not wait for a slow network or a straggler", "[runtime]") {
  const LoadedData data = test::dense_problem();
  for (const char* scheme : {"ring", "ps-sync", "ps-async", "gossip", "ps-backup",
                             "gradient-coding", "uncoded", "essp", "value-bound"}) {
    for (const bool slow_network : {true, false}) {
      CAPTURE(scheme, slow_network);
      // So many that no machine does them in 30 ms: `uncoded` goes on without its straggler, and
      // does 1000 in less.
      Configuration c = quick(scheme, 3, 100'000'000);
      c.time = TimeMode::wall;
      if (slow_network) {
        c.network = {.latency = std::chrono::hours(1)};
      } else {
        c.stragglers = {{1, 1e6}};
      }
      std::atomic<bool> interrupted{false};
      std::jthread user([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(30));
        interrupted = true;
      });
      RunHooks hooks;
      hooks.interrupted = &interrupted;
      const RunResult result =
          run_experiment(plan_run(resolve(c, {c.scheme}, data, {}), data), hooks);
      CHECK(result.summary.interrupted);
      CHECK(result.summary.seconds < 3600);
    }
  }
}

TEST_CASE("in wall the times of evaluations never go back, nor beyond the end", "[runtime]") {
  const LoadedData data = test::dense_problem();
  for (const char* scheme : {"sequential", "ring", "ps-async"}) {
    CAPTURE(scheme);
    Configuration c = quick(scheme, 2, 500);
    c.time = TimeMode::wall;
    c.evaluate_every = 0.2;
    const RunResult result = train(c, data);
    REQUIRE(result.metrics.size() > 10);
    for (std::size_t i = 1; i < result.metrics.size(); ++i) {
      CHECK(result.metrics[i].seconds >= result.metrics[i - 1].seconds);
    }
    CHECK(result.metrics.back().seconds <= result.summary.seconds);
  }
}

TEST_CASE("free: each minibatch of the common count is one worker's, in lots and at their end",
          "[runtime]") {
  // In `wall` lots of a 256th of the steps: 513 of four, and one of two.
  const auto numbers = minibatches_of_two(free_row(note_minibatches), 1027);
  std::vector<std::uint64_t> all = numbers[0], expected(2054);
  all.insert(all.end(), numbers[1].begin(), numbers[1].end());
  std::ranges::sort(all);
  std::iota(expected.begin(), expected.end(), 0U);
  CHECK(all == expected);
}

TEST_CASE("free: a team's numbers go up by the team, in a last lot that is not full as well",
          "[runtime]") {
  Scheme scheme = free_row(note_minibatches);
  scheme.cast = [](const CastSetting& setting) {
    return Cast{.workers = setting.workers, .tensor_size = 2};
  };
  // Lots of four: four minibatches, and three, of which the second step has but one.
  CHECK(minibatches_of_two(scheme, 512, 7)[0] == std::vector<std::uint64_t>{0, 2, 4, 6});
}

TEST_CASE("lockstep: the number of a minibatch is that of the step's first", "[runtime]") {
  const auto numbers = minibatches_of_two(mine(note_minibatches), 4);
  CHECK(numbers == std::vector<std::vector<std::uint64_t>>(2, {0, 2, 4, 6}));
}

TEST_CASE("lockstep: one worker on a shared model has the step sizes of serial SGD", "[runtime]") {
  const LoadedData data = test::dense_problem();
  Scheme scheme = mine(descend_on_shared);
  scheme.cast = cast::shared;
  scheme.optimizers.range = OptimizerRange::plain;
  Configuration c = quick("sequential", 1, 300);
  c.batch = 1;
  c.optimizer.lr_decay = 0.5;
  const RunResult serial = train(c, data);
  CHECK(run_mine(scheme, c, data).summary.model_hash == serial.summary.model_hash);
}

TEST_CASE("an interrupt is heeded by the next step, far from any look", "[runtime]") {
  const LoadedData data = test::dense_problem();
  for (const TimeMode time : {TimeMode::simulated, TimeMode::wall}) {
    for (const Pace pace : {Pace::lockstep, Pace::free}) {  // free: in lots of 8 in `wall`
      CAPTURE(time_mode_text(time), static_cast<int>(pace));
      Scheme scheme = mine(interrupt_in_second_step);
      scheme.order.pace = pace;
      Configuration c = quick("sequential", 1, 2048);
      c.time = time;
      interrupted = false;
      RunHooks hooks;
      hooks.interrupted = &interrupted;
      const Summary s = run_mine(scheme, c, data, hooks).summary;
      CHECK(s.interrupted);
      CHECK(s.samples == 2U * 4U);
    }
  }
}

TEST_CASE("a look that ends the run ends it there, whoever is ahead", "[runtime]") {
  const LoadedData data = test::dense_problem();
  const Scheme scheme = mine(compute_only);
  Configuration c = quick("sequential", 2, 40);
  c.stragglers = {{1, 1.45}};
  c.evaluate_every = 0.2;  // 10 steps of two workers and four rows, of 400
  c.target_loss = run_mine(scheme, c, data).metrics[1].train_loss;
  // The look is when worker 1 has done 10 steps, after 14.5 ms: worker 0 is in its 15th.
  const Summary s = run_mine(scheme, c, data).summary;
  CHECK(s.samples == 2U * 10U * 4U);
  CHECK(s.samples_computed == (14U + 10U) * 4U);
  CHECK(s.seconds == Approx(0.0145));
  CHECK(s.compute_s == Approx(0.0145));
}

TEST_CASE("lockstep: looks are after every so many steps, and at the end", "[runtime]") {
  const LoadedData data = test::dense_problem();
  for (const char* scheme : {"ring", "gossip"}) {
    CAPTURE(scheme);
    Configuration c = quick(scheme, 5, 23);
    c.evaluate_every = 0.2;  // 4 steps of 20 rows, of 400
    const RunResult result = train(c, data);
    std::vector<double> steps;
    for (const Metrics& metrics : result.metrics) steps.push_back(metrics.step);
    CHECK(steps == std::vector<double>{0, 4, 8, 12, 16, 20, 23});
  }
}

TEST_CASE("a step that is sat out is nobody's before it is done", "[runtime]") {
  RunState state({.workers = 2, .dimension = 1});
  Pacer pacer({.limits = {.steps = 3}, .workers = 2}, state, {}, interrupted);
  pacer.sit_out(0);
  CHECK(pacer.worker_steps_done() == 0);
}
