// mpca-sgd against its rule written out, and that averaging never holds anybody up.
#include <algorithm>
#include <cmath>
#include <vector>

#include "support/catch.hpp"
#include "support/golden.hpp"
#include "support/replicas.hpp"
#include "support/training.hpp"

using namespace trainyard;

namespace {

using Doubles = std::vector<double>;

struct Rule {
  int period = 3;
  double penalty = 0.3, extrapolation = 1.0, lr = 0.1;
};

/// Rounds in which all take their snapshots after the same step, and worker i has the mean in time
/// for the gradient delays[i] steps later. REQUIRES: one worker, or period > the largest delay.
std::vector<Doubles> by_the_rule(const std::vector<Doubles>& h, const std::vector<Doubles>& b,
                                 int steps, const Rule& rule, const std::vector<int>& delays) {
  const std::size_t n = h.size(), d = h[0].size();
  std::vector<Doubles> x(n, Doubles(d, 0.0));
  std::vector<Doubles> means{Doubles(d, 0.0)};
  std::vector<int> taken_at{0};
  const int length = std::max(rule.period, *std::ranges::max_element(delays) + 1);  // of a round
  for (int step = 0; step < steps; ++step) {
    for (std::size_t i = 0; i < n; ++i) {
      std::size_t k = means.size() - 1;
      if (k > 0 && step - taken_at[k] < delays[i]) --k;
      for (std::size_t j = 0; j < d; ++j) {
        double gradient = h[i][j] * (x[i][j] - b[i][j]);
        if (k > 0) {
          const int period = taken_at[k] - taken_at[k - 1];
          const double age = std::min(step - taken_at[k], 2 * period);
          const double slope = (means[k][j] - means[k - 1][j]) / period;
          const double now = means[k][j] + rule.extrapolation * age * slope;
          gradient += rule.penalty * (x[i][j] - now);
        }
        x[i][j] -= rule.lr * gradient;
      }
    }
    if (step + 1 - taken_at.back() < (means.size() == 1 ? rule.period : length)) continue;
    Doubles mean(d, 0.0);
    for (const Doubles& replica : x) {
      for (std::size_t j = 0; j < d; ++j) mean[j] += replica[j] / static_cast<double>(n);
    }
    means.push_back(mean);
    taken_at.push_back(step + 1);
  }
  return x;
}

const std::vector<Doubles> curvatures{{1.0, 0.25}, {0.5, 0.75}, {2.0, 0.125},
                                      {1.5, 1.0},  {0.25, 0.5}, {1.0, 1.0}};
const std::vector<Doubles> minima{{1.0, -3.0}, {5.0, 0.5}, {-2.0, 8.0},
                                  {12.0, 2.5}, {0.5, 0.0}, {3.0, -7.0}};

void check_rule(const Rule& rule, const std::vector<int>& delays, const Network& network,
                int steps) {
  const auto count = static_cast<std::ptrdiff_t>(delays.size());
  const std::vector<Doubles> h(curvatures.begin(), curvatures.begin() + count);
  const std::vector<Doubles> b(minima.begin(), minima.begin() + count);
  Configuration c;
  c.scheme = "mpca-sgd";
  c.workers = static_cast<int>(count);
  c.steps = static_cast<std::uint64_t>(steps);
  c.optimizer.lr = rule.lr;
  c.network = network;
  c.hyperparameters = {
      {"period", rule.period}, {"penalty", rule.penalty}, {"extrapolation", rule.extrapolation}};
  const auto expected = by_the_rule(h, b, steps, rule, delays);
  const test::Replicas found = test::run_on_quadratic(c, test::quadratic_data(h, b));
  for (std::size_t i = 0; i < h.size(); ++i) test::check_close(found.workers[i], expected[i]);
}

}  // namespace

TEST_CASE("mpca-sgd follows its rule", "[scheme][rule:mpca-sgd]") {
  for (const std::size_t n : {1U, 2U, 3U, 4U, 5U, 6U}) {
    for (const int period : {1, 2, 7}) {
      for (const double penalty : {0.0, 0.3}) {
        for (const double extrapolation : {0.0, 1.0, 0.5}) {
          CAPTURE(n, period, penalty, extrapolation);
          check_rule({period, penalty, extrapolation}, std::vector<int>(n, 0), {}, 40);
        }
      }
    }
  }
}

TEST_CASE("a mean of mpca-sgd that comes late is extrapolated from its snapshots on", "[scheme]") {
  // A message takes 0.9 steps. One worker: up and down.
  const Network network{.latency = std::chrono::microseconds(900)};
  check_rule({.period = 3}, {1}, network, 40);
  // Three: the master's children are workers 1 and 0, and worker 2 is worker 1's. Up it takes two
  // messages, as 2 reports to 1 while 0 does to the master; down worker 1 is served first.
  check_rule({.period = 5}, {3, 2, 3}, network, 40);
}

TEST_CASE("a mean of mpca-sgd is extrapolated by two periods at most", "[scheme]") {
  // The first one was three steps in the making and comes 39 steps later, to a replica that moved
  // fast at first. All later ones are 40 steps apart.
  const Network network{.latency = std::chrono::microseconds(19900)};
  check_rule({.period = 3}, {39}, network, 43);
  check_rule({.period = 3}, {39}, network, 200);
}

TEST_CASE("nobody waits for the averages of mpca-sgd, however slow the network", "[scheme]") {
  const LoadedData data = test::dense_problem(400, 20);
  for (const int n : {1, 2, 3, 7, 8, 9}) {
    for (const double latency : {0.0, 0.3e-3, 50e-3}) {
      for (const double seconds_a_model : {1e-6, 1e-3, 20e-3}) {
        CAPTURE(n, latency, seconds_a_model);
        Configuration c = test::quick("mpca-sgd", n, 0);
        c.steps.reset();
        c.seconds = seconds(0.4);
        c.network = {.latency = seconds(latency),
                     .bytes_per_second = 20 * sizeof(float) / seconds_a_model};
        const Summary s = test::train(c, data).summary;
        // A step a millisecond. What is on its way to the master then still arrives.
        CHECK(s.samples == 400U * 4U * static_cast<unsigned>(n));
        CHECK(s.compute_s == Approx(0.4).epsilon(1e-12));
        CHECK(s.seconds <= 0.4 + 2 * n * (latency + seconds_a_model));
        // A round is n messages up and n down, of which the last one may be cut short.
        const auto both_ways = static_cast<std::uint64_t>(2 * n);
        CHECK(s.messages > 0);
        CHECK(s.messages <= 40 * both_ways);
        if (latency == 0.0 && seconds_a_model == 1e-6) CHECK(s.messages > 38 * both_ways);
        CHECK(s.bytes_sent == s.messages * 20 * sizeof(float));
      }
    }
  }
}

TEST_CASE("a slow worker makes the averages of mpca-sgd rarer and holds up nobody", "[scheme]") {
  const LoadedData data = test::dense_problem(400, 20);
  const auto run = [&](double slowdown) {
    Configuration c = test::quick("mpca-sgd", 4, 400);
    c.hyperparameters["period"] = 2;
    c.network.latency = std::chrono::microseconds(10);
    if (slowdown > 1.0) c.stragglers = {{1, slowdown}};
    return test::train(c, data).summary;
  };
  const Summary alike = run(1.0), slow = run(10.0);
  CHECK(slow.wait_s / slow.seconds < 0.01);
  // Three go on as before while the fourth does a tenth.
  CHECK(slow.samples_per_second > 0.75 * alike.samples_per_second);
  CHECK(slow.messages < alike.messages / 2);
  CHECK(slow.messages > 0);
}

TEST_CASE("the penalty of mpca-sgd keeps unlike replicas together", "[scheme]") {
  const Dataset data = test::unlike_data(5);
  const auto apart = [&](double penalty) {
    Configuration c;
    c.scheme = "mpca-sgd";
    c.workers = 5;
    c.steps = 400;
    c.optimizer.lr = 0.05;
    c.hyperparameters = {{"period", 4.0}, {"penalty", penalty}, {"extrapolation", 1.0}};
    const test::Replicas found = test::run_on_quadratic(c, data);
    double distance = 0.0;
    for (const Doubles& replica : found.workers) {
      distance += std::hypot(replica[0] - found.model[0], replica[1] - found.model[1]);
    }
    return distance;
  };
  CHECK(apart(1.0) < 0.6 * apart(0.1));
  CHECK(apart(10.0) < 0.2 * apart(0.1));
  CHECK(apart(0.1) < apart(0.0));
}

TEST_CASE("mpca-sgd learns and averages on threads", "[scheme]") {
  // A step takes long beside the time for which a thread may have a core to itself.
  const LoadedData data = test::dense_problem(2000, 2000);
  for (const int n : {1, 3}) {
    CAPTURE(n);
    Configuration c = test::quick("mpca-sgd", n, 200);
    c.batch = 400;
    c.time = TimeMode::wall;
    const RunResult threads = test::train(c, data);
    CHECK(threads.summary.train_loss < 0.9 * threads.metrics.front().train_loss);
    CHECK(threads.summary.messages > 0);
  }
}
