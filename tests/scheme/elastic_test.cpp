// Elastic schemes: what the springs keep, where they are stable, and that replicas that only meet
// every τ steps go on learning where gradients that do would not.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "trainyard/scheme/scheme.hpp"

#include "support/catch.hpp"
#include "support/golden.hpp"
#include "support/training.hpp"

using namespace trainyard;

namespace {

using Doubles = std::vector<double>;

/// n workers on ½ h (x − b_i)².
Dataset one_curvature(double h, const Doubles& b) {
  std::vector<Doubles> curvatures(b.size(), {h}), minima;
  for (const double value : b) minima.push_back({value});
  return test::quadratic_data(curvatures, minima);
}

Configuration elastic(const char* scheme, int n, std::uint64_t steps) {
  Configuration c;
  c.scheme = scheme;
  c.workers = n;
  c.steps = steps;
  return c;
}

/// From starts that differ, where there are no gradients.
test::Replicas without_gradients(const Configuration& c, const std::vector<Doubles>& starts) {
  const Dataset data = test::quadratic_data(std::vector<Doubles>(starts.size(), Doubles(2, 0.0)),
                                            std::vector<Doubles>(starts.size(), Doubles(2, 0.0)));
  return test::run_on_quadratic(c, data, {}, {.starts = starts});
}

const std::vector<Doubles> four_starts{{1.0, -3.0}, {5.0, 0.5}, {-2.0, 8.0}, {12.0, 2.5}};

double sum_of(const std::vector<Doubles>& states, std::size_t j) {
  return std::accumulate(states.begin(), states.end(), 0.0,
                         [j](double sum, const Doubles& state) { return sum + state[j]; });
}

double statistics_of(const std::vector<Doubles>& states, std::size_t j) {
  const auto [low, high] =
      std::ranges::minmax(states, {}, [j](const Doubles& state) { return state[j]; });
  return high[j] - low[j];
}

}  // namespace

TEST_CASE("springs between replicas and centre keep their sum, and bring all together",
          "[scheme]") {
  for (const char* scheme : {"easgd", "easgd-async", "eamsgd"}) {
    for (const auto& [period, exchange] :
         {std::pair{1, 0.0}, std::pair{3, 0.0}, std::pair{3, 1.0}}) {
      for (const std::uint64_t steps : {1U, 2U, 7U, 300U}) {
        CAPTURE(scheme, period, exchange, steps);
        Configuration c = elastic(scheme, 4, steps);
        c.hyperparameters["period"] = period;
        c.hyperparameters["exchange"] = exchange;
        const test::Replicas found = without_gradients(c, four_starts);
        for (std::size_t j = 0; j < 2; ++j) {
          CHECK(sum_of(found.workers, j) + found.model[j] ==
                Approx(sum_of(four_starts, j)).epsilon(1e-12));
          if (steps < 300) continue;
          CHECK(statistics_of(found.workers, j) < 1e-6);
          CHECK(found.model[j] == Approx(sum_of(four_starts, j) / 5).epsilon(1e-6));
        }
      }
    }
  }
}

TEST_CASE("springs of two rates keep a c + b Σx", "[scheme]") {
  const double a = 0.8, b = 0.2;  // times n
  for (const char* scheme : {"easgd", "easgd-async", "eamsgd"}) {
    for (const double exchange : {0.0, 1.0}) {
      for (const std::uint64_t steps : {1U, 2U, 7U, 300U}) {
        CAPTURE(scheme, exchange, steps);
        Configuration c = elastic(scheme, 4, steps);
        c.hyperparameters = {
            {"period", 1.0}, {"moving-rate", b}, {"worker-rate", a}, {"exchange", exchange}};
        const test::Replicas found = without_gradients(c, four_starts);
        for (std::size_t j = 0; j < 2; ++j) {
          CHECK(a * found.model[j] + b * sum_of(found.workers, j) ==
                Approx(b * sum_of(four_starts, j)).epsilon(1e-12));
        }
        if (steps > 1) continue;  // the centre is at 0
        for (std::size_t j = 0; j < 2; ++j) {
          CHECK(found.workers[0][j] == Approx((1 - a / 4) * four_starts[0][j]).epsilon(1e-12));
        }
      }
    }
  }
}

TEST_CASE("in the blocking order the centre moves by differences from what was read", "[scheme]") {
  // Equal workers: all read the centre in one instant, and then it moves by all differences. With a
  // = 0.5 / 3, b = 0.3 / 3.
  const std::vector<Doubles> h{{1.0, 0.25}, {0.5, 0.75}, {2.0, 0.125}};
  const std::vector<Doubles> b{{1.0, -2.0}, {-1.0, 3.0}, {4.0, 0.5}};
  const double lr = 0.03;
  for (const char* scheme : {"easgd", "easgd-async"}) {
    for (const int period : {1, 4}) {
      for (const int servers : {1, 2}) {
        CAPTURE(scheme, period, servers);
        std::vector<Doubles> x(3, Doubles(2, 0.0));
        Doubles center(2, 0.0);
        for (int step = 1; step <= 30; ++step) {
          for (std::size_t j = 0; j < 2; ++j) {
            const double read = center[j];
            for (std::size_t i = 0; i < 3; ++i) {
              const double difference = step % period == 0 ? x[i][j] - read : 0.0;
              x[i][j] -= lr * h[i][j] * (x[i][j] - b[i][j]) + 0.5 / 3 * difference;
              center[j] += 0.3 / 3 * difference;
            }
          }
        }
        Configuration c = elastic(scheme, 3, 30);
        c.servers = servers;
        c.optimizer.lr = lr;
        c.hyperparameters = {
            {"period", period}, {"moving-rate", 0.3}, {"worker-rate", 0.5}, {"exchange", 1.0}};
        const test::Replicas found = test::run_on_quadratic(c, test::quadratic_data(h, b));
        for (std::size_t i = 0; i < 3; ++i) test::check_close(found.workers[i], x[i]);
        test::check_close(found.model, center);
      }
    }
  }
}

TEST_CASE("a blocking exchange is waited for before computing, an overlapped one meanwhile",
          "[scheme]") {
  const LoadedData data = test::dense_problem();
  Configuration c = elastic("easgd-async", 1, 1);
  c.batch = 4;
  c.time = TimeMode::simulated;
  c.compute_time = std::chrono::milliseconds(10);
  c.evaluate_every = 1e6;
  c.hyperparameters["period"] = 1;
  c.network = {.latency = std::chrono::milliseconds(3), .bytes_per_second = 1e12};
  for (const std::uint64_t steps : {1U, 2U, 5U}) {
    c.steps = steps;
    const auto n = static_cast<double>(steps);
    c.hyperparameters["exchange"] = 0;
    CHECK(test::train(c, data).summary.seconds == Approx(10e-3 * n).epsilon(1e-6));
    c.hyperparameters["exchange"] = 1;
    CHECK(test::train(c, data).summary.seconds == Approx(13e-3 * n).epsilon(1e-6));
    CHECK(test::train(c, data).summary.messages == 2 * steps);
  }
}

TEST_CASE("a blocking exchange works on threads", "[scheme]") {
  const LoadedData data = test::dense_problem();
  for (const char* scheme : {"easgd", "easgd-async", "eamsgd"}) {
    for (const int servers : {1, 3}) {
      CAPTURE(scheme, servers);
      Configuration c = test::quick(scheme, 4, 60);
      c.time = TimeMode::wall;
      c.servers = servers;
      c.optimizer.lr = 0.02;
      c.hyperparameters = {{"period", 3.0}, {"exchange", 1.0}};
      const RunResult result = test::train(c, data);
      CHECK(result.summary.train_loss < result.metrics.front().train_loss);
      const double exchanges = 4.0 * 60 / 3;  // 20 floats up and 20 down
      CHECK(static_cast<double>(result.summary.bytes_sent) == Approx(exchanges * 160).epsilon(0.1));
    }
  }
}

TEST_CASE("elastic averaging is stable up to its limit, and not beyond", "[scheme]") {
  // One curvature h = 1, η = γh; catalogue §4.1.
  struct Row {
    const char* scheme;
    int workers;
    double limit;  // of a
  };
  const double eta = 0.5;
  const double in_turn = (4 - 2 * eta) / (4 - eta);
  for (const Row& row :
       {Row{"easgd", 4, (4 - 2 * eta) / (2 + 4 * (2 - eta))},
        Row{"easgd", 7, (4 - 2 * eta) / (2 + 7 * (2 - eta))}, Row{"easgd-async", 1, in_turn},
        Row{"easgd-async", 4, in_turn}, Row{"easgd-async", 7, in_turn}}) {
    for (const double share : {0.98, 1.02}) {
      CAPTURE(row.scheme, row.workers, share);
      Doubles minima(static_cast<std::size_t>(row.workers), 3.0);
      minima.front() = 6.0;
      Configuration c = elastic(row.scheme, row.workers, 4000);
      c.optimizer.lr = eta;
      c.hyperparameters = {{"period", 1.0}, {"moving-rate", share * row.limit * row.workers}};
      const double center = test::run_on_quadratic(c, one_curvature(1.0, minima)).model[0];
      CHECK((std::abs(center - 3.0) < 4.0) == (share < 1.0));
    }
  }
}

TEST_CASE("replicas that exchange every τ steps are stable where pushed gradients are not",
          "[scheme]") {
  const Dataset data = one_curvature(1.0, {1.0, 2.0, 3.0, 6.0});
  for (const int period : {1, 10}) {
    Configuration c = elastic("downpour", 4, 1000);
    c.optimizer.lr = 0.2;
    c.hyperparameters = {{"fetch-period", period}, {"push-period", period}};
    const double pushed = test::run_on_quadratic(c, data).model[0];
    c.scheme = "easgd-async";
    c.hyperparameters = {{"period", period}};
    const double elastic = test::run_on_quadratic(c, data).model[0];
    CAPTURE(period, pushed, elastic);
    CHECK((std::abs(pushed - 3.0) < 3.0) == (period == 1));
    CHECK(std::abs(elastic - 3.0) < 1.0);
  }
}

TEST_CASE("eamsgd follows its rule, replicas and centre", "[scheme][rule:eamsgd]") {
  const std::vector<Doubles> h{{1.0, 0.25}, {0.5, 0.75}, {2.0, 0.125}};
  const std::vector<Doubles> b{{1.0, -2.0}, {-1.0, 3.0}, {4.0, 0.5}};
  const double lr = 0.03, beta = 0.6, a = beta / 3;
  for (const double delta : {0.0, 0.9}) {
    for (const int period : {1, 2, 5}) {
      for (const int steps : {1, 2, 40}) {
        CAPTURE(delta, period, steps);
        std::vector<Doubles> x(3, Doubles(2, 0.0)), v = x;
        Doubles center(2, 0.0);
        for (int step = 0; step < steps; ++step) {
          for (std::size_t i = 0; i < 3; ++i) {
            for (std::size_t j = 0; j < 2; ++j) {
              const double before = x[i][j];
              if ((step + 1) % period == 0) {
                const double pull = a * (before - center[j]);
                x[i][j] -= pull;
                center[j] += pull;
              }
              const double gradient = h[i][j] * (before + delta * v[i][j] - b[i][j]);
              v[i][j] = delta * v[i][j] - lr * gradient;
              x[i][j] += v[i][j];
            }
          }
        }
        Configuration c = elastic("eamsgd", 3, static_cast<std::uint64_t>(steps));
        c.optimizer.lr = lr;
        c.hyperparameters = {{"period", period}, {"moving-rate", beta}, {"delta", delta}};
        const Dataset data = test::quadratic_data(h, b);
        const test::Replicas found = test::run_on_quadratic(c, data);
        for (std::size_t i = 0; i < 3; ++i) test::check_close(found.workers[i], x[i]);
        test::check_close(found.model, center);
        if (delta > 0.0) continue;
        c.scheme = "easgd-async";
        test::check_close(test::run_on_quadratic(c, data).model, center);
      }
    }
  }
}

TEST_CASE("a worker's elasticity below the centre's is remarked upon", "[scheme]") {
  const LoadedData data = test::dense_problem();
  const auto notes = [&](const std::string& scheme, Hyperparameters given) {
    Configuration c = test::quick(scheme, 2, 20);
    c.hyperparameters = std::move(given);
    std::string all;
    (void)resolve(c, {scheme}, data, [&](const std::string& text) { all += text + "\n"; });
    return all;
  };
  for (const char* scheme : {"easgd", "easgd-async", "eamsgd"}) {
    CHECK_THAT(notes(scheme, {{"worker-rate", 0.1}, {"moving-rate", 0.9}}),
               ContainsSubstring("with --worker-rate 0.1 below --moving-rate 0.9"));
    CHECK_THAT(notes(scheme, {{"worker-rate", 0.9}, {"moving-rate", 0.1}}),
               !ContainsSubstring("worker-rate"));
    CHECK_THAT(notes(scheme, {{"moving-rate", 0.4}}), !ContainsSubstring("worker-rate"));
  }
}
