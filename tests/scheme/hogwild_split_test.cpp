// hogwild-split: Hogwild whose most used lines each worker keeps for itself.
#include <cmath>
#include <vector>

#include "trainyard/run/plan.hpp"
#include "trainyard/run/resolve.hpp"
#include "trainyard/runtime/hot_lines.hpp"

#include "support/catch.hpp"
#include "support/training.hpp"

using namespace trainyard;
using test::quick;
using test::train;

namespace {

Configuration split(int workers, std::uint64_t steps, double uses) {
  Configuration c = quick("hogwild-split", workers, steps);
  c.batch = 1;
  c.hyperparameters = {{"exchange-uses", uses}};
  return c;
}

std::string hash_of(const Configuration& c, const LoadedData& data) {
  return train(c, data).summary.model_hash;
}

/// A line for each row, which no other row uses.
LoadedData rows_apart() {
  LoadedData data{"apart", generate_sparse_logistic(60, 16, 4, 3), {}};
  for (std::size_t row = 0; row < 60; ++row) {
    for (std::size_t i = data.train.row_begin[row]; i < data.train.row_begin[row + 1]; ++i) {
      data.train.columns[i] += static_cast<std::uint32_t>(16 * row);
    }
  }
  data.train.features = std::size_t{16} * 60;
  return data;
}

/// How many of the model's lines are hot.
std::pair<std::size_t, std::size_t> hot_of_all(const Configuration& c, const LoadedData& data) {
  const Plan plan = plan_run(resolve(c, {c.scheme}, data, {}), data);
  if (plan.hot == nullptr) return {0, 1};
  return {plan.hot->blocks.size(), plan.hot->slots.size()};
}

}  // namespace

TEST_CASE("without hot lines hogwild-split is Hogwild, bit for bit", "[scheme]") {
  for (const bool sparse : {true, false}) {
    const LoadedData data = sparse ? rows_apart() : test::dense_problem();
    Configuration c = split(5, 100, 16.0);
    c.compute_noise.exponential = 0.3;
    CHECK(hot_of_all(c, data).first == 0);
    const RunResult without = train(c, data);
    c.scheme = "hogwild";
    c.hyperparameters = {};
    const RunResult hogwild = train(c, data);
    CHECK(without.summary.model_hash == hogwild.summary.model_hash);
    CHECK(without.staleness.mean() == hogwild.staleness.mean());
  }
}

TEST_CASE("hot lines are another run, and the same one each time", "[scheme]") {
  const LoadedData data = test::sparse_problem();
  Configuration c = split(8, 300, 8);
  c.l2 = 1e-3;
  c.compute_noise.exponential = 0.3;
  const auto [hot, all] = hot_of_all(c, data);
  CHECK(hot > 3);
  CHECK(hot < all);
  const std::string first = hash_of(c, data);
  CHECK(hash_of(c, data) == first);
  c.hyperparameters["exchange-uses"] = 9;
  CHECK(hash_of(c, data) != first);
}

TEST_CASE("the model of hogwild-split has what is not sent yet", "[scheme]") {
  // No line has its turn in fewer than C steps: each worker is serial SGD on its share from zero,
  // and the model is the sum of what they come to. Of local-sgd it is their mean.
  const LoadedData data = test::sparse_problem();
  Configuration c = split(3, 15, 16);
  const auto [hot, all] = hot_of_all(c, data);
  REQUIRE(hot == all);
  const RunResult sum = train(c, data);
  // Each hot line is reconciled once, when its worker ends; by then the others have taken all of
  // their steps but perhaps the last.
  REQUIRE(sum.summary.staleness.has_value());
  CHECK(sum.staleness.max() == 30);
  CHECK(sum.staleness.mean() >= 28.0);
  c.scheme = "local-sgd";
  c.hyperparameters = {{"period", 15.0}};
  const RunResult mean = train(c, data);
  double largest = 0.0;
  for (std::size_t j = 0; j < sum.model.size(); ++j) {
    CHECK(sum.model.view().floats()[j] ==
          Approx(3.0 * mean.model.view().floats()[j]).epsilon(1e-5).margin(1e-7));
    largest = std::max<double>(largest, std::abs(sum.model.view().floats()[j]));
  }
  CHECK(largest > 0.01);
}

TEST_CASE("a hot line is as stale as others take steps between its turns", "[scheme]") {
  // Sixteen features are one line, which every row uses: its turn comes in every C-th step.
  const LoadedData data{"one-line", generate_sparse_logistic(400, 16, 10, 3), {}};
  for (const int workers : {2, 4}) {
    CAPTURE(workers);
    const RunResult result = train(split(workers, 200, 20), data);
    CHECK(result.staleness.max() <= 20U * static_cast<unsigned>(workers - 1));
    CHECK(result.staleness.mean() == Approx(20.0 * (workers - 1)).epsilon(0.05));
  }
}

TEST_CASE("hogwild-split learns what Hogwild does, also on threads", "[scheme]") {
  const LoadedData data = test::sparse_problem(2000);
  for (const TimeMode time : {TimeMode::simulated, TimeMode::wall}) {
    for (const char* model : {"logistic", "softmax"}) {
      CAPTURE(time_mode_text(time), model);
      Configuration c = split(2, 10000, 32);
      c.model = model;
      c.l2 = 1e-4;
      c.time = time;
      CHECK(hot_of_all(c, data).first > 3);
      const RunResult found = train(c, data);
      c.scheme = "hogwild";
      c.hyperparameters = {};
      c.time = TimeMode::simulated;
      const RunResult hogwild = train(c, data);
      CHECK(hogwild.summary.train_loss < 0.8 * hogwild.metrics.front().train_loss);
      // Threads that others keep from their cores get ahead of each other by much.
      CHECK(found.summary.train_loss <
            (time == TimeMode::wall ? 1.4 : 1.05) * hogwild.summary.train_loss);
    }
  }
}
