// Schemes that bound how far workers drift apart: ssp, ssp-strict, essp by clocks, value-bound by
// values.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "trainyard/run/plan.hpp"
#include "trainyard/runtime/trace.hpp"

#include "support/catch.hpp"
#include "support/golden.hpp"
#include "support/training.hpp"

using namespace trainyard;
using test::quick;
using test::train;

namespace {

/// How many steps the fastest worker was ahead of the slowest: at most, when it had done one, and
/// when it was sent the model for the next.
struct Spread {
  int at_completion = 0, at_start = 0;
};

/// From the first server's messages: a push is a step done, its answer lets the next begin.
Spread spread_of(const Trace& trace) {
  struct Event {
    Time at;
    bool starts;
    int worker;
  };
  std::vector<Event> events;
  for (const Transfer& message : trace.messages) {
    if (message.to != trace.workers && message.from != trace.workers) continue;
    if (message.from < trace.workers) {
      events.push_back({message.posted, false, message.from});
    } else {
      events.push_back({message.end, true, message.to});
    }
  }
  std::ranges::stable_sort(events, [](const Event& a, const Event& b) {
    return a.at != b.at ? a.at < b.at : a.starts < b.starts;
  });
  Spread spread;
  std::vector<int> done(static_cast<std::size_t>(trace.workers), 0);
  for (const Event& event : events) {
    int& own = done[static_cast<std::size_t>(event.worker)];
    if (!event.starts) ++own;
    const int ahead = own - *std::ranges::min_element(done);
    int& most = event.starts ? spread.at_start : spread.at_completion;
    most = std::max(most, ahead);
  }
  return spread;
}

Spread spread_of(const Configuration& c, const LoadedData& data) {
  TraceRecorder recorder({0, 1'000'000});
  RunHooks hooks;
  hooks.recorder = &recorder;
  return spread_of(*run_experiment(plan_run(resolve(c, {c.scheme}, data, {}), data), hooks).trace);
}

}  // namespace

TEST_CASE("with a worker four times as slow nobody is beyond the bound, nor far from it",
          "[scheme]") {
  const LoadedData data = test::dense_problem();
  for (const char* scheme : {"ssp", "ssp-strict", "essp"}) {
    for (const int bound : {0, 1, 3}) {
      for (const auto& [time, servers] :
           {std::pair{TimeMode::simulated, 1}, std::pair{TimeMode::simulated, 3},
            std::pair{TimeMode::wall, 1}, std::pair{TimeMode::wall, 3}}) {
        CAPTURE(scheme, bound, time_mode_text(time), servers);
        Configuration c = quick(scheme, 4, 60);
        c.time = time;
        c.servers = servers;
        c.network.latency = std::chrono::microseconds(10);
        c.hyperparameters["staleness"] = bound;
        c.stragglers = {{2, 4.0}};
        const Spread spread = spread_of(c, data);
        CHECK(spread.at_completion <= bound + 1);
        // A scatter is no start of anything.
        if (std::string(scheme) != "essp") CHECK(spread.at_start <= bound);
        if (time == TimeMode::simulated) CHECK(spread.at_completion == bound + 1);
      }
    }
  }
  Configuration unbounded = quick("ssp", 4, 60);
  unbounded.hyperparameters["staleness"] = 1e9;
  unbounded.stragglers = {{2, 4.0}};
  CHECK(spread_of(unbounded, data).at_completion > 20);
}

TEST_CASE("a lasting slowdown is waited for, however large the bound", "[scheme]") {
  const LoadedData data = test::dense_problem();
  for (const char* scheme : {"ssp", "ssp-strict", "essp"}) {
    for (const double bound : {0.0, 2.0, 10.0}) {
      CAPTURE(scheme, bound);
      Configuration c = quick(scheme, 4, 500);
      c.hyperparameters["staleness"] = bound;
      c.stragglers = {{1, 2.0}};
      CHECK(train(c, data).summary.seconds == Approx(500 * 2e-3).epsilon(1e-9));
    }
  }
}

TEST_CASE("a passing slowdown is made up for within the bound", "[scheme]") {
  const LoadedData data = test::dense_problem();
  for (const char* scheme : {"ssp", "essp"}) {
    CAPTURE(scheme);
    Configuration c = quick(scheme, 4, 500);
    c.compute_noise.exponential = 1.0;
    double before = 1e9;
    for (const double bound : {0.0, 1.0, 4.0, 16.0}) {
      c.hyperparameters["staleness"] = bound;
      const double time = train(c, data).summary.seconds;
      CHECK(time < before);
      before = time;
    }
  }
}

TEST_CASE("essp without staleness is synchronous SGD on the sum, however slow the network",
          "[scheme][rule:essp]") {
  const auto golden = test::golden_trajectories();
  const Dataset data = test::golden_data(golden);
  for (const int servers : {1, 2}) {
    Configuration c = test::golden_configuration(golden, "essp");
    c.servers = servers;
    c.hyperparameters["staleness"] = 0;
    for (const auto& [t, state] : golden["psgd_sum"]["states"].items()) {
      CAPTURE(servers, t);
      c.steps = std::stoull(t);
      test::check_close(test::run_on_quadratic(c, data).model, state);
    }
  }
  const LoadedData problem = test::dense_problem();
  Configuration c = quick("ssp-strict", 5, 80);
  c.network = {.latency = std::chrono::microseconds(300), .bytes_per_second = 1e6};
  c.compute_noise.exponential = 0.5;
  c.servers = 3;
  c.hyperparameters["staleness"] = 0;
  const double strict = train(c, problem).summary.train_loss;
  c.scheme = "essp";
  CHECK(train(c, problem).summary.train_loss == Approx(strict).epsilon(1e-5));
}

TEST_CASE("a lone essp worker sees its own updates before the server's model comes back",
          "[scheme]") {
  const LoadedData data = test::dense_problem();
  for (const int servers : {1, 3}) {
    CAPTURE(servers);
    Configuration c = quick("sequential", 1, 100);
    c.l2 = 1e-3;
    c.optimizer.lr = 1.0;
    const double serial = train(c, data).summary.train_loss;
    c.scheme = "essp";
    c.servers = servers;
    c.hyperparameters["staleness"] = 7;
    c.network.latency = std::chrono::microseconds(2300);  // more than two steps
    const Summary s = train(c, data).summary;
    CHECK(s.train_loss == Approx(serial).epsilon(1e-6));
    CHECK(s.staleness->max == 0);
  }
}

TEST_CASE("a value bound of nothing has the workers take turns, whatever their speeds",
          "[scheme]") {
  const auto golden = test::golden_trajectories();
  const Dataset data = test::golden_data(golden);
  Configuration c = test::golden_configuration(golden, "value-bound");
  c.hyperparameters["value-bound"] = 0;
  c.stragglers = {{0, 3.0}, {3, 1.7}};
  for (const auto& [t, state] : golden["asgd_roundrobin_plain"]["states"].items()) {
    CAPTURE(t);
    test::check_close(test::run_on_quadratic(c, data, std::stoull(t)).model, state);
  }
}

TEST_CASE("without a value bound it is ps-async", "[scheme][rule:value-bound]") {
  const LoadedData data = test::dense_problem();
  for (const int servers : {1, 3}) {
    CAPTURE(servers);
    Configuration c = quick("ps-async", 5, 100);
    c.servers = servers;
    c.stragglers = {{2, 3.3}};
    c.network = {.latency = std::chrono::microseconds(100), .bytes_per_second = 1e7};
    const Summary async = train(c, data).summary;
    c.scheme = "value-bound";
    c.hyperparameters["value-bound"] = 1e300;
    const Summary bounded = train(c, data).summary;
    CHECK(bounded.model_hash == async.model_hash);
    CHECK(bounded.seconds == async.seconds);
    CHECK(bounded.staleness->mean == async.staleness->mean);
  }
}

TEST_CASE("a value bound makes workers wait while the model moves fast", "[scheme]") {
  const LoadedData data = test::dense_problem();
  Configuration c = quick("value-bound", 5, 200);
  c.optimizer.lr = 0.5;
  c.stragglers = {{2, 6.0}};
  double slower = 1e9;
  std::uint64_t staler = 0;
  for (const double bound : {0.0, 0.3, 1e300}) {
    CAPTURE(bound);
    c.hyperparameters["value-bound"] = bound;
    const Summary s = train(c, data).summary;
    CHECK(s.seconds < slower);
    CHECK(s.staleness->max > staler);
    slower = s.seconds;
    staler = s.staleness->max;
  }
}

TEST_CASE("a value bound holds nobody up at the end of a run", "[scheme]") {
  const LoadedData data = test::dense_problem();
  for (const TimeMode time : {TimeMode::simulated, TimeMode::wall}) {
    for (const int servers : {1, 3}) {
      CAPTURE(time_mode_text(time), servers);
      Configuration c = quick("value-bound", 5, 600);  // on threads, in lots of two
      c.time = time;
      c.servers = servers;
      c.hyperparameters["value-bound"] = 0.0;
      c.stragglers = {{2, 3.0}};
      CHECK(train(c, data).summary.samples == 600U * 5U * 4U);
    }
  }
}
