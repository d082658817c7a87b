#include "trainyard/runtime/pacer.hpp"

#include <atomic>
#include <thread>

#include "trainyard/run/plan.hpp"

#include "support/catch.hpp"
#include "support/training.hpp"

using namespace trainyard;
using test::quick;
using test::train;

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
