// Downpour against ps-async, against the paper's algorithm written out, and against what it sends.
#include <algorithm>
#include <cmath>
#include <utility>

#include "trainyard/run/plan.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "support/catch.hpp"
#include "support/golden.hpp"
#include "support/training.hpp"

using namespace trainyard;

namespace {

using Doubles = std::vector<double>;

struct Recorded {
  RunResult result;
  Trace trace;
};

Recorded recorded(const Configuration& c, const LoadedData& data) {
  TraceRecorder recorder({.first = 0, .last = 1000});
  RunHooks hooks;
  hooks.recorder = &recorder;
  RunResult result = run_experiment(plan_run(resolve(c, {c.scheme}, data, {}), data), hooks);
  const std::shared_ptr<const Trace> trace = result.trace;
  return {std::move(result), *trace};
}

constexpr double lr = 0.05, decay = 0.1;

/// After so many passes over the data.
double step_size(double epochs) {
  return lr / (1.0 + decay * epochs);
}

/// Algorithm 7.1 of the paper, for workers with a row each that are served in turn, each step of
/// all of them at one moment. `apply` is the server's optimizer.
template <typename Apply>
Doubles by_the_paper(const std::vector<Doubles>& h, const std::vector<Doubles>& b, int steps,
                     int fetch, int push, const Apply& apply) {
  const std::size_t n = h.size(), d = h.front().size();
  Doubles model(d, 0.0);
  std::vector<Doubles> parameters(n, model), accrued(n, model);
  std::vector<int> gradients(n, 0);  // accrued
  int pushed = 0;
  for (int step = 0; step < steps; ++step) {
    for (std::size_t i = 0; i < n; ++i) {
      Doubles& x = parameters[i];
      for (std::size_t j = 0; j < d; ++j) {
        const double gradient = h[i][j] * (x[j] - b[i][j]);
        accrued[i][j] += gradient;
        x[j] -= step_size(step) * gradient;
      }
      ++gradients[i];
      if (step % push == 0) {
        apply(model, accrued[i], step_size(static_cast<double>(pushed) / static_cast<double>(n)));
        pushed += std::exchange(gradients[i], 0);
        std::ranges::fill(accrued[i], 0.0);
      }
      // At the beginning of the next step, in which nobody's push comes between.
      if ((step + 1) % fetch == 0) x = model;
    }
  }
  return model;
}

}  // namespace

TEST_CASE("downpour that fetches and pushes in every step is ps-async, message by message",
          "[scheme]") {
  for (const LoadedData& data : {test::dense_problem(), test::sparse_problem()}) {
    for (const int servers : {1, 3}) {
      for (const bool adagrad : {false, true}) {
        CAPTURE(data.name, servers, adagrad);
        Configuration c = test::quick("ps-async", 5, 60);
        c.servers = servers;
        c.stragglers = {{2, 2.5}};
        c.evaluate_every = 0.3;
        c.optimizer.lr_decay = 0.5;
        if (adagrad) c.optimizer.kind = OptimizerKind::adagrad;
        c.network = {.latency = std::chrono::microseconds(300), .bytes_per_second = 1e6};
        c.network.jitter = {.kind = Jitter::Kind::exponential,
                            .scale = std::chrono::microseconds(100)};
        const Recorded async = recorded(c, data);
        c.scheme = "downpour";
        const Recorded found = recorded(c, data);
        CHECK(found.result.summary.model_hash == async.result.summary.model_hash);
        CHECK(found.result.summary.seconds == async.result.summary.seconds);
        CHECK(found.result.summary.staleness->mean == async.result.summary.staleness->mean);
        REQUIRE(found.result.metrics.size() == async.result.metrics.size());
        CHECK(found.result.metrics.back().train_loss == async.result.metrics.back().train_loss);
        REQUIRE(async.trace.messages.size() > 500);
        REQUIRE(found.trace.messages.size() == async.trace.messages.size());
        CHECK(std::ranges::equal(found.trace.messages, async.trace.messages,
                                 [](const Transfer& a, const Transfer& b) {
                                   return a.from == b.from && a.to == b.to && a.bytes == b.bytes &&
                                          a.start == b.start && a.end == b.end;
                                 }));
      }
    }
  }
}

TEST_CASE("downpour follows the paper's algorithm", "[scheme][rule:downpour]") {
  const std::vector<Doubles> h{{1.0, 0.25, 4.0}, {0.5, 0.75, 1.0}, {2.0, 0.125, 0.5}};
  const std::vector<Doubles> b{{1.0, -2.0, 0.5}, {-1.0, 3.0, 0.25}, {4.0, 0.5, -2.0}};
  const Dataset data = test::quadratic_data(h, b);
  Configuration c;
  c.scheme = "downpour";
  c.workers = 3;
  c.optimizer.lr = lr;
  c.optimizer.lr_decay = decay;
  for (const int fetch : {1, 2, 5}) {
    for (const int push : {1, 3, 5}) {
      for (const int steps : {1, 4, 31}) {
        for (const int servers : {1, 2}) {
          CAPTURE(fetch, push, steps, servers);
          c.servers = servers;
          c.steps = static_cast<std::uint64_t>(steps);
          c.hyperparameters = {{"fetch-period", fetch}, {"push-period", push}};
          c.optimizer.kind = OptimizerKind::sgd;
          const auto plain = [](Doubles& x, const Doubles& u, double step) {
            for (std::size_t j = 0; j < x.size(); ++j) x[j] -= step * u[j];
          };
          test::check_close(test::run_on_quadratic(c, data).model,
                            by_the_paper(h, b, steps, fetch, push, plain));
          // DistBelief's Adagrad: on the server, over what is pushed.
          c.optimizer.kind = OptimizerKind::adagrad;
          Doubles squares(3, 0.0);
          const auto adagrad = [&squares](Doubles& x, const Doubles& u, double step) {
            for (std::size_t j = 0; j < x.size(); ++j) {
              squares[j] += u[j] * u[j];
              x[j] -= step * u[j] / (std::sqrt(squares[j]) + 1e-10);
            }
          };
          test::check_close(test::run_on_quadratic(c, data).model,
                            by_the_paper(h, b, steps, fetch, push, adagrad));
        }
      }
    }
  }
}

TEST_CASE("downpour sends a model every n_push steps and gets one every n_fetch", "[scheme]") {
  const LoadedData data = test::dense_problem(400, 20);
  Configuration c = test::quick("downpour", 4, 60);
  c.hyperparameters = {{"fetch-period", 6.0}, {"push-period", 4.0}};
  const RunResult result = test::train(c, data);
  CHECK(result.summary.parameters == 20);
  CHECK(result.summary.bytes_sent == 4 * (60 / 4 + 60 / 6) * 20 * sizeof(float));
  c.network = {.latency = std::chrono::milliseconds(5), .bytes_per_second = 1e6};
  c.hyperparameters = {{"fetch-period", 1000.0}, {"push-period", 1000.0}};
  CHECK(test::train(c, data).summary.seconds == Approx(60e-3));  // a push is not waited for
}

TEST_CASE("downpour's first worker takes the steps of a warm start alone", "[scheme]") {
  const Dataset data = test::unlike_data(4);
  Configuration c;
  c.scheme = "downpour";
  c.workers = 4;
  c.optimizer.lr = 0.05;
  c.hyperparameters["warm-start"] = 10;
  // By hand: x ← x − γ h (x − b) with the first row, and then all four at once at that model.
  Doubles x(2, 0.0);
  const auto gradient = [&](std::size_t row, std::size_t j, double at) {
    const auto values = data.dense_row(row);
    return static_cast<double>(values[j]) * (at - static_cast<double>(values[2 + j]));
  };
  for (std::uint64_t step = 1; step <= 10; ++step) {
    for (std::size_t j = 0; j < 2; ++j) x[j] -= 0.05 * gradient(0, j, x[j]);
    test::check_close(test::run_on_quadratic(c, data, step).model, x);
  }
  const Doubles warm = x;
  for (std::size_t row = 0; row < 4; ++row) {
    for (std::size_t j = 0; j < 2; ++j) x[j] -= 0.05 * gradient(row, j, warm[j]);
  }
  test::check_close(test::run_on_quadratic(c, data, 14).model, x);
}

TEST_CASE("downpour's other workers join after a warm start, or at its end", "[scheme]") {
  const LoadedData problem = test::dense_problem();
  for (const int servers : {1, 3}) {
    Configuration c = test::quick("downpour", 4, 60);
    c.servers = servers;
    c.hyperparameters["warm-start"] = 40;
    // 40 ms alone, and 50 for the other 200 minibatches.
    CHECK(test::train(c, problem).summary.seconds == Approx(90e-3));
    c.hyperparameters["fetch-period"] = 3;
    CHECK(test::train(c, problem).summary.seconds == Approx(90e-3));
    c.hyperparameters["warm-start"] = 1000;  // never: the first one does all of them
    CHECK(test::train(c, problem).summary.seconds == Approx(240e-3));
    c.time = TimeMode::wall;
    for (const double steps : {1.0, 40.0, 1000.0}) {
      c.hyperparameters["warm-start"] = steps;
      const RunResult result = test::train(c, problem);
      CHECK(result.summary.samples == 60U * 4U * 4U);
      CHECK(result.summary.train_loss < result.metrics.front().train_loss);
    }
  }
}
