// Real data: training reaches the optima of the regularised objectives, which were found by another
// program with another method: tests/oracles/small_optima.py for the sets that are part of the
// repository, and a truncated Newton method in NumPy for the large ones.
#include <algorithm>
#include <filesystem>
#include <numeric>
#include <string>
#include <vector>

#include "trainyard/base/random.hpp"
#include "trainyard/data/partition.hpp"
#include "trainyard/data/read.hpp"
#include "trainyard/model/kernels.hpp"
#include "trainyard/model/model.hpp"

#include "support/catch.hpp"
#include "support/data_sets.hpp"
#include "support/oracles.hpp"

namespace trainyard {
namespace {

Dataset read_fashion(const std::filesystem::path& folder, const std::string& part) {
  ReadOptions options;
  options.format = Format::idx;
  options.labels_file = folder / (part + "-labels-idx1-ubyte.gz");
  options.scale = 1.0F / 255.0F;
  return read_dataset(folder / (part + "-images-idx3-ubyte.gz"), options);
}

/// The rows in a random order: minibatches of consecutive rows are then random ones.
Dataset shuffled(const Dataset& data) {
  std::vector<std::uint32_t> rows(data.rows);
  std::iota(rows.begin(), rows.end(), 0U);
  RandomStream(1, Purpose::partition).shuffle(rows);
  return copy_rows(data, rows);
}

struct Schedule {
  std::size_t epochs, batch;
  double step_size, decay;  // γ / (1 + decay · epochs so far)
  float at(std::size_t epoch) const {
    return static_cast<float>(step_size / (1.0 + decay * static_cast<double>(epoch)));
  }
};

/// body(batch, step size) for every minibatch of every epoch.
template <typename Body>
void for_each_step(const Dataset& data, const Schedule& schedule, const Body& body) {
  for (std::size_t epoch = 0; epoch < schedule.epochs; ++epoch) {
    for (std::size_t first = 0; first < data.rows; first += schedule.batch) {
      const RowRange range{&data, first, std::min(schedule.batch, data.rows - first)};
      body(Batch(&range, 1), schedule.at(epoch));
    }
  }
}

std::vector<float> start(const Model& model) {
  std::vector<float> parameters(model.dimension());
  model.initialize(parameters, 1);
  return parameters;
}

std::vector<float> train(const Model& model, const Dataset& data, const Schedule& schedule) {
  std::vector<float> parameters = start(model), gradient(parameters.size());
  Workspace workspace;
  for_each_step(data, schedule, [&](Batch batch, float step_size) {
    model.gradient(parameters, batch, gradient, workspace);
    kernels::axpy(-step_size, gradient, parameters);
  });
  return parameters;
}

std::vector<float> train_sparsely(const Model& model, const Dataset& data,
                                  const Schedule& schedule) {
  std::vector<float> parameters = start(model);
  const Model::SparseUpdate& update = *model.sparse_update();
  std::vector<float> residuals(update.residual_count(schedule.batch));
  for_each_step(data, schedule, [&](Batch batch, float step_size) {
    update.read(parameters, batch, residuals);
    update.write(parameters, batch, residuals, step_size);
  });
  return parameters;
}

double objective(const Model& model, const Dataset& data, std::span<const float> parameters) {
  Workspace workspace;
  const RowRange all{&data, 0, data.rows};
  return model.evaluate(parameters, {&all, 1}, workspace).loss_sum /
             static_cast<double>(data.rows) +
         model.penalty(parameters);
}

double accuracy(const Model& model, const Dataset& data, std::span<const float> parameters) {
  Workspace workspace;
  const RowRange all{&data, 0, data.rows};
  const Tally tally = model.evaluate(parameters, {&all, 1}, workspace);
  return static_cast<double>(tally.correct) / static_cast<double>(tally.rows);
}

TEST_CASE("logistic regression reaches the optima of the small sets", "[model]") {
  const nlohmann::json oracle = test::read_oracle("small_optima");
  REQUIRE(oracle["logistic"].size() >= 5);
  for (const nlohmann::json& known : oracle["logistic"]) {
    const auto file = known["file"].get<std::string>();
    const auto l2 = known["l2"].get<double>();
    INFO(file << ", l2 " << l2);
    const Dataset data = shuffled(read_dataset(test::small_sets() / file, {}));
    REQUIRE(data.rows == known["rows"]);
    REQUIRE(data.features == known["features"]);
    const auto model = make_model({"logistic", l2}, data);
    const auto optimum = known["objective"].get<double>();
    // Steps along the whole gradient gain a factor of 1 − γλ each in the flattest direction.
    if (l2 > 1e-3) {
      const std::vector<float> w = train(*model, data, {2500, data.rows, 0.5, 0.0});
      CHECK(objective(*model, data, w) == Approx(optimum).epsilon(0.0).margin(1e-7));
      CHECK(accuracy(*model, data, w) ==
            Approx(known["accuracy"].get<double>()).epsilon(0.0).margin(1e-9));
    }
    const double sparse_steps =
        objective(*model, data, train_sparsely(*model, data, {300, 1, 0.2, 0.5}));
    CHECK(sparse_steps - optimum < 1e-3);
    CHECK(sparse_steps - optimum > -1e-7);
  }
}

TEST_CASE("logistic regression reaches the optimum of a9a", "[model]") {
  const std::filesystem::path folder = test::large_sets_with("a9a");
  if (folder.empty()) return;
  const Dataset data = shuffled(read_dataset(folder / "a9a/a9a.gz", {}));
  const auto model = make_model({"logistic", 1e-4}, data);
  const double optimum = 0.3245069247;
  const double minibatches = objective(*model, data, train(*model, data, {100, 8, 0.4, 1.0}));
  CHECK(minibatches - optimum < 1e-4);
  CHECK(minibatches - optimum > -1e-6);
  const double sparse_steps =
      objective(*model, data, train_sparsely(*model, data, {100, 1, 0.1, 1.0}));
  CHECK(sparse_steps - optimum < 1e-4);
  CHECK(sparse_steps - optimum > -1e-6);
}

TEST_CASE("sparse steps reach the optima of other sets", "[model][slow]") {
  struct Target {
    std::string set, file;
    double l2, optimum;
    Schedule schedule;
  };
  const std::vector<Target> targets = {
      {"w8a", "w8a.gz", 1e-4, 0.1423985907, {100, 1, 0.5, 0.5}},
      {"rcv1-small", "rcv1_small.train.gz", 1e-4, 0.2083867413, {300, 1, 8.0, 0.05}},
      {"rcv1-small", "rcv1_small.train.gz", 1e-3, 0.4768138337, {300, 1, 4.0, 0.2}},
      {"news20-binary", "news20_binary.train.gz", 1e-4, 0.2980668167, {60, 1, 4.0, 0.5}},
  };
  for (const Target& target : targets) {
    INFO(target.file << ", l2 " << target.l2);
    const std::filesystem::path folder = test::large_sets_with(target.set);
    if (folder.empty()) continue;
    const Dataset data = shuffled(read_dataset(folder / target.set / target.file, {}));
    const auto model = make_model({"logistic", target.l2}, data);
    const double found = objective(*model, data, train_sparsely(*model, data, target.schedule));
    CHECK(found - target.optimum < 1e-3);
    CHECK(found - target.optimum > -1e-6);
  }
}

TEST_CASE("softmax and a network learn fashion-mnist", "[model][slow]") {
  const std::filesystem::path folder = test::large_sets_with("fashion-mnist");
  if (folder.empty()) return;
  const Dataset train_set = shuffled(read_fashion(folder / "fashion-mnist", "train"));
  const Dataset test_set = read_fashion(folder / "fashion-mnist", "t10k");
  const auto softmax = make_model({"softmax", 1e-4}, train_set);
  const std::vector<float> w = train(*softmax, train_set, {20, 32, 0.1, 0.1});
  CHECK(accuracy(*softmax, test_set, w) > 0.835);
  CHECK(objective(*softmax, train_set, w) - 0.396987 < 0.02);
  CHECK(objective(*softmax, train_set, w) - 0.396987 > -1e-6);
  const auto network = make_model({"mlp:128", 0.0}, train_set);
  CHECK(accuracy(*network, test_set, train(*network, train_set, {10, 32, 0.1, 0.1})) > 0.86);
}

}  // namespace
}  // namespace trainyard
