// The parameter server as a store of keys and values.
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "trainyard/scheme/scheme.hpp"

#include "support/catch.hpp"
#include "support/golden.hpp"
#include "support/model_difference.hpp"
#include "support/training.hpp"

using namespace trainyard;
using test::quick;
using test::relative_difference;
using test::train;

namespace {

Configuration delayed(int workers, std::uint64_t steps, double delay, double significance = 0.0) {
  Configuration c = quick("key-value", workers, steps);
  c.hyperparameters = {{"staleness", delay}, {"significance", significance}};
  return c;
}

/// Of this data numbers are pushed in full, at any threshold that a test below uses, or in part.
std::uint64_t bytes_of(double significance, const LoadedData& data) {
  return train(delayed(4, 50, 0.0, significance), data).summary.bytes_sent;
}

}  // namespace

TEST_CASE("key-value without delay is ps-sync but for the order of summation",
          "[scheme][rule:key-value]") {
  const auto golden = test::golden_trajectories();
  for (const int servers : {1, 3}) {
    Configuration c = test::golden_configuration(golden, "key-value");
    c.servers = servers;
    c.hyperparameters["staleness"] = 0.0;
    test::check_synchronous(golden, c, "psgd_mean");
    c.network = {.latency = std::chrono::milliseconds(1), .charge_control = true};
    test::check_synchronous(golden, c, "psgd_mean");
  }
  for (const LoadedData& data : {test::dense_problem(), test::sparse_problem()}) {
    for (const int n : {1, 2, 5}) {
      CAPTURE(data.name, n);
      Configuration c = delayed(n, 60, 0.0);
      c.l2 = 1e-3;
      c.servers = 2;
      c.sparse_wire = SparseWire::off;  // a list has a fingerprint, and ps-sync's a header
      const RunResult store = train(c, data);
      c.time = TimeMode::wall;
      const RunResult on_threads = train(c, data);
      c.scheme = "ps-sync";
      const RunResult sync = train(c, data);
      CHECK(relative_difference(store, sync) < 1e-5);
      CHECK(store.summary.staleness->max == static_cast<std::uint64_t>(n - 1));
      CHECK(relative_difference(on_threads, sync) < 1e-5);
      CHECK(on_threads.summary.bytes_sent == sync.summary.bytes_sent);
    }
  }
}

// As ps-async with a step of γ/n: equal workers are served in turn, each gradient applied where it
// comes, each answer given at once.
TEST_CASE("key-value without bound is ps-async with a step of γ/n", "[scheme]") {
  const LoadedData data = test::dense_problem();
  for (const int n : {1, 2, 4}) {
    CAPTURE(n);
    Configuration c = delayed(n, 40, 1e12);
    c.network = {.latency = std::chrono::microseconds(100), .bytes_per_second = 1e7};
    const RunResult store = train(c, data);
    c.scheme = "ps-async";
    c.optimizer.lr /= n;
    const RunResult async = train(c, data);
    CHECK(relative_difference(store, async) < 1e-5);
    CHECK(store.summary.seconds == async.summary.seconds);
    CHECK(store.summary.bytes_sent == async.summary.bytes_sent);
    CHECK(store.staleness.mean() == async.staleness.mean());
  }
}

TEST_CASE("a delay of τ steps is the farthest that a worker runs ahead", "[scheme]") {
  // Worker 0 takes as long as five and a half steps of the others. They do their first 1 + τ steps,
  // and from then on one of them each time it has done one.
  const LoadedData data = test::dense_problem();
  for (const double delay : {0.0, 1.0, 3.0}) {
    CAPTURE(delay);
    Configuration c = delayed(3, 20, delay);
    c.stragglers = {{0, 5.5}};
    const RunResult bounded = train(c, data);
    CHECK(bounded.summary.seconds == Approx(20 * 5.5e-3).epsilon(1e-9));
    // Of the others' steps the model misses: both workers' τ, and those of this very step.
    CHECK(bounded.summary.staleness->max == static_cast<std::uint64_t>(2 * (delay + 1)));
  }
}

TEST_CASE("the filter saves bytes and loses nothing", "[scheme]") {
  const LoadedData data = test::dense_problem(400, 60);
  const std::uint64_t whole = bytes_of(0.0, data);
  CHECK(whole == 50U * 4U * 2U * 60U * 4U);
  // All keys are listed once, and their fingerprint goes with every push.
  CHECK(bytes_of(1e-30, data) == whole + 4U * (60U * 4U) + 50U * 4U * 8U);
  CHECK(bytes_of(0.3, data) < 0.8 * static_cast<double>(whole));

  const RunResult plain = train(delayed(4, 300, 0.0), data);
  const RunResult listed = train(delayed(4, 300, 0.0, 1e-30), data);
  CHECK(listed.summary.model_hash == plain.summary.model_hash);
  for (const TimeMode time : {TimeMode::simulated, TimeMode::wall}) {
    Configuration c = delayed(4, 300, 2.0, 0.3);
    c.time = time;
    c.servers = 3;
    CHECK(train(c, data).summary.train_loss == Approx(plain.summary.train_loss).epsilon(0.1));
  }
}

TEST_CASE("the filter's held gradients are a state of the run", "[scheme]") {
  // One quadratic, x ← x − ½ g, g = x − 1 from 0: −1 is below 1.5 and waits; then −2 is sent, and x
  // is 1. There the gradient is 0.
  const Dataset data = test::quadratic_data({{1.0}}, {{1.0}});
  Configuration c;
  c.scheme = "key-value";
  c.workers = 1;
  c.optimizer.lr = 0.5;
  c.hyperparameters = {{"staleness", 0.0}, {"significance", 1.5}};
  for (const auto& [steps, x] : {std::pair{1U, 0.0}, std::pair{2U, 1.0}, std::pair{5U, 1.0}}) {
    c.steps = steps;
    test::check_close(test::run_on_quadratic(c, data).model, {x});
  }
}

TEST_CASE("one step of key-value takes what its closed form says", "[scheme]") {
  const LoadedData data = test::dense_problem(50, 840);
  for (const int n : {1, 2, 5}) {
    for (const double delay : {0.0, 1.0}) {
      for (const bool half : {false, true}) {
        CAPTURE(n, delay, half);
        Configuration c = delayed(n, 1, delay);
        c.hyperparameters["wire"] = half ? 1 : 0;
        c.compute_time = seconds(3.0);
        c.network = {.latency = seconds(1.5), .bytes_per_second = 840 * 4 / 5.0};
        const int messages = delay == 0.0 ? 2 * n : n + 1;
        const double takes = 3.0 + messages * (half ? 1.5 + 2.5 : 1.5 + 5.0);
        CHECK(train(c, data).summary.seconds == Approx(takes).epsilon(1e-12));
        const auto closed_form =
            find_scheme("key-value")
                .cost.time({.workers = n,
                            .parameters = 840,
                            .compute = *c.compute_time,
                            .message = FloatMessages{c.network},
                            .message_of_bytes = ByteMessages{c.network},
                            .ingredients = {},
                            .hyperparameters =
                                with_fallbacks(find_scheme("key-value"), c.hyperparameters, n)});
        REQUIRE(closed_form);
        CHECK(to_seconds(*closed_form) == Approx(takes).epsilon(1e-12));
      }
    }
  }
}

TEST_CASE("key-value in 16 bits sends half the bytes both ways, and learns as well", "[scheme]") {
  const LoadedData data = test::dense_problem(400, 60);
  for (const int n : {1, 2, 5}) {
    for (const int servers : {1, 3}) {
      CAPTURE(n, servers);
      Configuration c = delayed(n, 200, 0.0);
      c.servers = servers;
      const RunResult plain = train(c, data);
      c.hyperparameters["wire"] = 1;
      const RunResult half = train(c, data);
      CHECK(half.summary.model_hash != plain.summary.model_hash);
      CHECK(half.summary.messages == plain.summary.messages);
      CHECK(2 * half.summary.bytes_sent == plain.summary.bytes_sent);
      CHECK(half.summary.train_loss == Approx(plain.summary.train_loss).epsilon(1e-2));
      CHECK(half.summary.train_loss < 0.8 * half.metrics.front().train_loss);
      c.time = TimeMode::wall;
      const RunResult wall = train(c, data);
      CHECK(wall.summary.bytes_sent == half.summary.bytes_sent);
      CHECK(wall.summary.train_loss == Approx(plain.summary.train_loss).epsilon(1e-2));
      c.optimizer.lr = 1e38;
      c.l2 = 1.0;
      CHECK(train(c, data).summary.diverged);
    }
  }
}

TEST_CASE("in 16 bits the filter sends half the bytes of values, and keys as they are",
          "[scheme]") {
  const LoadedData data = test::dense_problem(400, 60);
  Configuration c = delayed(4, 50, 0.0, 1e-30);
  c.hyperparameters["wire"] = 1;
  // As above: all keys are listed once, and their fingerprint goes with every push.
  CHECK(train(c, data).summary.bytes_sent ==
        50U * 4U * 2U * 60U * 2U + 4U * (60U * 4U) + 50U * 4U * 8U);

  const RunResult plain = train(delayed(4, 300, 0.0), data);
  for (const TimeMode time : {TimeMode::simulated, TimeMode::wall}) {
    c = delayed(4, 300, 2.0, 0.3);
    c.hyperparameters["wire"] = 1;
    c.time = time;
    c.servers = 3;
    CHECK(train(c, data).summary.train_loss == Approx(plain.summary.train_loss).epsilon(0.1));
  }
}

// One quadratic, x ← x − g, g = y + 2049 from 0, where y is x as it was pulled. From 2048 to 4096
// every second whole number has 16 bits, and 2049, between two of them, becomes 2048, with the even
// fraction. Without the filter: x = −2048; then g = 1, x = −2049, pulled as −2048; then g = 1
// again, x = −2050; then g = −1. With it what is rounded off goes out with the second gradient:
// 2049 − 2048 + 1 = 2, x = −2050; then g = −1, x = −2049, pulled as −2048; then g = 1.
TEST_CASE("what 16 bits round off waits in the filter, and is gone without it", "[scheme]") {
  const Dataset data = test::quadratic_data({{1.0}}, {{-2049.0}});
  Configuration c;
  c.scheme = "key-value";
  c.workers = 1;
  c.optimizer.lr = 1.0;
  for (const auto& [significance, models] :
       {std::pair{0.0, std::vector{-2048.0, -2049.0, -2050.0, -2049.0}},
        std::pair{1e-30, std::vector{-2048.0, -2050.0, -2049.0, -2050.0}}}) {
    c.hyperparameters = {{"staleness", 0.0}, {"significance", significance}, {"wire", 1.0}};
    for (std::size_t steps = 1; steps <= models.size(); ++steps) {
      CAPTURE(significance, steps);
      c.steps = steps;
      test::check_close(test::run_on_quadratic(c, data).model, {models[steps - 1]});
    }
  }
}
