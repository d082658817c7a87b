#include "trainyard/analysis/optimal_time.hpp"

#include <algorithm>
#include <cmath>

#include <nlohmann/json.hpp>

#include "trainyard/report/prediction_format.hpp"

#include "support/catch.hpp"
#include "support/training.hpp"

using namespace trainyard;

TEST_CASE("the optimal time of unequal workers", "[analysis]") {
  // 1, 2 and 4 s a gradient, σ²/ε = 2: 1·3, (1.5)⁻¹·4, (1.75)⁻¹·5.
  const OptimalTime found = optimal_time({4.0, 1.0, 2.0}, 2.0);
  REQUIRE(found.ways.size() == 3);
  CHECK(found.ways[0].asynchronous_s == Approx(3.0));
  CHECK(found.ways[1].asynchronous_s == Approx(8.0 / 3.0));
  CHECK(found.ways[2].asynchronous_s == Approx(20.0 / 7.0));
  CHECK(found.ways[found.best_asynchronous].workers == 2);
  // 1·3, 2·2, 4·(5/3).
  CHECK(found.ways[0].minibatch_s == Approx(3.0));
  CHECK(found.ways[1].minibatch_s == Approx(4.0));
  CHECK(found.ways[2].minibatch_s == Approx(20.0 / 3.0));
  CHECK(found.ways[found.best_minibatch].workers == 1);
  CHECK(found.threshold == 2);
}

TEST_CASE("without noise one worker is enough, and with much of it all are worth using",
          "[analysis]") {
  const std::vector<double> speeds{1.0, 1.5, 3.0, 50.0};
  CHECK(optimal_time(speeds, 0.0).ways[0].workers == 1);
  CHECK(optimal_time(speeds, 0.0).best_asynchronous == 0);
  CHECK(optimal_time(speeds, 0.0).threshold == 1);
  CHECK(optimal_time(speeds, 0.5).threshold == 1);
  const OptimalTime noisy = optimal_time(speeds, 1e6);
  CHECK(noisy.ways[noisy.best_asynchronous].workers == 4);
  // Twice as many workers that are alike halve what noise costs.
  CHECK(optimal_time({2.0, 2.0}, 10.0).ways.size() == 1);
  CHECK(optimal_time({2.0, 2.0}, 10.0).ways[0].asynchronous_s == Approx(12.0));
  CHECK(optimal_time({2.0}, 10.0).ways[0].asynchronous_s == Approx(22.0));
}

// Every m by itself, those within a group of workers that are alike included.
TEST_CASE("the best number of workers is that of all numbers", "[analysis]") {
  const std::vector<std::vector<double>> machines{{1.0, 1.0, 1.0, 2.5, 2.5, 9.0},
                                                  {0.3, 0.3, 0.4, 0.4, 0.4, 0.4, 1.0, 7.0, 7.0},
                                                  {5.0, 5.0, 5.0, 5.0, 6.0, 6.0, 6.0, 6.0}};
  for (const auto& speeds : machines) {
    for (const double ratio : {0.0, 0.3, 1.0, 2.0, 5.0, 17.0, 100.0, 1e4}) {
      CAPTURE(speeds.size(), ratio);
      double least = INFINITY, least_minibatch = INFINITY;
      for (std::size_t m = 1; m <= speeds.size(); ++m) {
        double inverse = 0.0;
        for (std::size_t i = 0; i < m; ++i) inverse += 1.0 / speeds[i];
        const double factor = 1.0 + ratio / static_cast<double>(m);
        least = std::min(least, static_cast<double>(m) / inverse * factor);
        least_minibatch = std::min(least_minibatch, speeds[m - 1] * factor);
      }
      const OptimalTime found = optimal_time(speeds, ratio);
      CHECK(found.ways[found.best_asynchronous].asynchronous_s == Approx(least).epsilon(1e-12));
      CHECK(found.ways[found.best_minibatch].minibatch_s == Approx(least_minibatch).epsilon(1e-12));
    }
  }
}

// Rennala's step, of B gradients: at most the least (B + m)/Σ 1/τ_i, which is the optimal time of
// σ²/ε = B, and no less than half of it.
TEST_CASE("a step of rennala takes the optimal time, up to the constant of the proof",
          "[analysis]") {
  const LoadedData data = test::dense_problem();
  const std::vector<double> slowness{1.0, 1.0, 1.3, 2.9, 2.9, 17.0};
  for (const int gradients : {1, 2, 5, 16, 64}) {
    Configuration c = test::quick("rennala-interrupt", static_cast<int>(slowness.size()), 50);
    c.hyperparameters["gradients"] = gradients;
    std::vector<double> compute_s;
    for (std::size_t i = 0; i < slowness.size(); ++i) {
      compute_s.push_back(1e-3 * slowness[i]);
      if (slowness[i] > 1.0) c.stragglers.push_back({static_cast<int>(i), slowness[i]});
    }
    const double step_s = test::train(c, data).summary.seconds / 50.0;
    const OptimalTime optimal = optimal_time(compute_s, gradients);
    const double bound = optimal.ways[optimal.best_asynchronous].asynchronous_s;
    CAPTURE(gradients, step_s, bound);
    CHECK(step_s <= bound);
    CHECK(step_s >= 0.25 * bound);
  }
}

TEST_CASE("the optimal time as a table and as JSON", "[analysis]") {
  PredictionSetting setting;
  setting.configuration.workers = 3;
  setting.configuration.compute_time = std::chrono::seconds(1);
  setting.configuration.stragglers = {{1, 2.0}, {2, 4.0}};
  const OptimalTime found = optimal_time({1.0, 2.0, 4.0}, 2.0);
  const auto document = nlohmann::json::parse(optimal_time_json(setting, 2.0, found));
  CHECK(document["noise_ratio"] == 2.0);
  CHECK(document["threshold"] == 2);
  CHECK(document["best_asynchronous_workers"] == 2);
  CHECK(document["best_minibatch_workers"] == 1);
  REQUIRE(document["rows"].size() == 3);
  CHECK(document["rows"][1]["workers"] == 2);
  CHECK(document["rows"][1]["slowest_s"] == 2.0);
  CHECK(document["rows"][1]["asynchronous_s"].get<double>() == Approx(8.0 / 3.0));
  CHECK(document["rows"][1]["minibatch_s"].get<double>() == Approx(4.0));
  const std::string table = optimal_time_table(setting, 2.0, found);
  CHECK_THAT(table, ContainsSubstring("2.667 s <"));
  CHECK_THAT(table, ContainsSubstring("3 s <"));
}
