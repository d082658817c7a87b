// hogwild-split: Hogwild whose most used lines each worker keeps for itself.
#include <cmath>
#include <string>
#include <vector>

#include "trainyard/base/random.hpp"
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

namespace {

/// Rows as a9a has them: 14 fields with a few words each, of which one is in most rows, so that
/// eight lines hold all features and every row touches them.
LoadedData few_features() {
  constexpr std::uint32_t fields = 14, words = 9;
  constexpr std::size_t rows = 8'000;
  LoadedData data{"fields", {}, {}};
  Dataset& train = data.train;
  train.rows = rows;
  train.features = fields * words;
  train.classes = 2;
  train.sparse = true;
  train.labels = AlignedBuffer<Label>(rows);
  train.row_begin = AlignedBuffer<std::uint64_t>(rows + 1);
  train.columns = AlignedBuffer<std::uint32_t>(rows * fields);
  train.values = AlignedBuffer<float>(rows * fields);
  RandomStream random(1, Purpose::data_generator);
  std::vector<double> weights(train.features);
  for (double& weight : weights) weight = 0.5 * random.normal();
  train.row_begin[0] = 0;
  for (std::size_t row = 0; row < rows; ++row) {
    double margin = 0.0;
    for (std::uint32_t field = 0; field < fields; ++field) {
      const std::uint32_t word =
          random.uniform() < 0.6 ? 0 : static_cast<std::uint32_t>(random.below(words));
      const std::size_t at = row * fields + field;
      train.columns[at] = field * words + word;
      train.values[at] = 1.0F;
      margin += weights[train.columns[at]];
    }
    train.labels[row] = random.uniform() < 1.0 / (1.0 + std::exp(-margin)) ? 1 : 0;
    train.row_begin[row + 1] = (row + 1) * fields;
  }
  return data;
}

double loss_of(const std::string& scheme, const LoadedData& data, double uses, std::size_t batch,
               double lr) {
  Configuration c = quick(scheme, 8, 3 * data.train.rows / 8 / batch);
  c.batch = batch;
  c.optimizer.lr = lr;
  if (uses > 0.0) c.hyperparameters = {{"exchange-uses", uses}};
  return train(c, data).summary.train_loss;
}

}  // namespace

TEST_CASE("as many uses as do no harm: within 5 % of hogwild's loss on few features and on text",
          "[scheme]") {
  const LoadedData few = few_features();
  const LoadedData text{"text", generate_sparse_logistic(8'000, 2'000, 64, 1), {}};
  for (const std::size_t batch : {1U, 8U}) {
    CAPTURE(batch);
    const double on_few = loss_of("hogwild", few, 0.0, batch, 0.05);
    CHECK(loss_of("hogwild-split", few, 0.0, batch, 0.05) <= 1.05 * on_few);
    // What it was: gradients that are hundreds of updates old.
    CHECK(loss_of("hogwild-split", few, 64.0, batch, 0.05) > 1.2 * on_few);
    for (const double lr : {0.1, 0.5, 2.0}) {
      CAPTURE(lr);
      CHECK(loss_of("hogwild-split", text, 0.0, batch, lr) <=
            1.05 * loss_of("hogwild", text, 0.0, batch, lr));
    }
  }
}

TEST_CASE("how many uses were chosen is said, and whether any line is kept apart", "[scheme]") {
  const LoadedData text{"text", generate_sparse_logistic(8'000, 2'000, 64, 1), {}};
  const auto notes_of = [](Configuration c, const LoadedData& data) {
    std::string all;
    for (const Note& note : train(c, data).summary.notes) all += note.text + "\n";
    return all;
  };
  Configuration c = split(8, 20, 0.0);
  c.optimizer.lr = 0.1;
  CHECK(notes_of(c, text).find("hot lines are exchanged after ") != std::string::npos);
  const LoadedData few = few_features();
  c.optimizer.lr = 5.0;
  CHECK(notes_of(c, few).find("no line is kept apart, so that this is hogwild") !=
        std::string::npos);
  c.hyperparameters = {{"exchange-uses", 16.0}};
  CHECK(notes_of(c, few).find("line") == std::string::npos);
}
