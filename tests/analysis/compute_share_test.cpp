// The bandwidth that a share of computing needs, against its formula worked out elsewhere, and
// against schemes as they are played.
#include "trainyard/analysis/compute_share.hpp"

#include <string>
#include <vector>

#include "trainyard/analysis/prediction.hpp"

#include "support/catch.hpp"

namespace trainyard {

namespace {

const std::vector<double> shares{0.5, 0.8, 0.9, 0.95, 0.99};

/// Two replicas, 16 bits a parameter.
ShareTask replicas(double parameters, double compute_s) {
  return {.workers = 2, .bytes = 2.0 * parameters, .compute_s = compute_s};
}

void check_gigabits(const ShareTask& task, double period, const std::vector<double>& expected) {
  for (std::size_t i = 0; i < shares.size(); ++i) {
    CAPTURE(period, shares[i]);
    CHECK(8e-9 * bandwidth_for_share(task, {.period = period}, shares[i]).value() ==
          Approx(expected[i]).margin(0.006));
  }
}

}  // namespace

/// B = 16N/(Hc(1/u − 1) + 2c/3), in Gbit/s, by another program.
TEST_CASE("the bandwidth for a share of computing is the closed form's", "[analysis]") {
  check_gigabits(replicas(1e9, 0.1), 1, {96.0, 174.55, 205.71, 222.44, 236.42});
  check_gigabits(replicas(1e9, 0.1), 100, {1.59, 6.23, 13.58, 26.98, 95.42});
  check_gigabits(replicas(1e10, 0.8), 1, {120.0, 218.18, 257.14, 278.05, 295.52});
  check_gigabits(replicas(1e10, 0.8), 100, {1.99, 7.79, 16.98, 33.73, 119.28});
  check_gigabits(replicas(1e11, 4.9), 1, {195.92, 356.22, 419.83, 453.96, 482.49});
  check_gigabits(replicas(1e11, 4.9), 100, {3.24, 12.72, 27.72, 55.07, 194.74});
}

TEST_CASE("fragments are as many times shorter and more frequent", "[analysis]") {
  const ShareTask task = replicas(1e9, 0.1);
  const Meetings fragments{.period = 100.0, .fragments = 8.0};
  // S/8 in 12.5 steps' share of waiting and two thirds of a step.
  CHECK(bandwidth_for_share(task, fragments, 0.8).value() ==
        Approx(2.5e8 / (12.5 * 0.1 * 0.25 + 0.2 / 3.0)));
  Meetings late = fragments;
  late.delay = 2.0;
  CHECK(bandwidth_for_share(task, late, 0.8).value() ==
        Approx(2.5e8 / (12.5 * 0.1 * 0.25 + 0.2 / 3.0 + 0.2)));
}

TEST_CASE("latency is waited for, too, and may leave no time at all", "[analysis]") {
  ShareTask task{.workers = 4, .bytes = 1e6, .compute_s = 0.01, .latency_s = 1e-3};
  CHECK(bandwidth_for_share(task, {}, 0.5).value() == Approx(1.5e6 / (0.01 + 0.02 / 3.0 - 6e-3)));
  task.latency_s = 3e-3;
  CHECK_FALSE(bandwidth_for_share(task, {}, 0.5).has_value());
  task.workers = 1;
  CHECK(bandwidth_for_share(task, {}, 0.5).value() == 0.0);
}

/// local-sgd:ring hides nothing: the same but for the two thirds of a step.
TEST_CASE("a scheme that is played computes for as much of its time", "[analysis]") {
  PredictionSetting setting;
  Configuration& c = setting.configuration;
  c.workers = 4;
  c.compute_time = seconds(0.01);
  c.network.latency = Duration{0};
  c.hyperparameters["period"] = 50.0;
  setting.parameters = 250'000;
  for (const double share : {0.5, 0.9}) {
    CAPTURE(share);
    const double hidden = 2.0 / 3.0 * 0.01, window = 50.0 * 0.01 * (1.0 / share - 1.0);
    const ShareTask task{.workers = 4, .bytes = 1e6, .compute_s = 0.01};
    const double needed = bandwidth_for_share(task, {.period = 50.0}, share).value();
    c.network.bytes_per_second = needed * (window + hidden) / window;
    const auto contestants = predicted_contestants("local-sgd:ring");
    REQUIRE(contestants.size() == 1);
    CHECK(0.01 / predict(contestants.front(), setting).step_s == Approx(share).epsilon(1e-4));
  }
}

}  // namespace trainyard
