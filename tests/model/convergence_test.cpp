// Real data: training reaches the optima that ../shared/data/README.md gives, which were found by
// another program with another method.
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

namespace trainyard {
namespace {

const std::filesystem::path data_dir = std::filesystem::path(TRAINYARD_SHARED_DIR) / "data";

bool missing(const std::string& file) {
  if (std::filesystem::exists(data_dir / file)) return false;
  WARN("skipped: " << (data_dir / file).string() << " is not there");
  return true;
}

Dataset read_libsvm(const std::string& file) {
  return read_dataset(data_dir / file, {});
}

Dataset read_fashion(const std::string& part) {
  ReadOptions options;
  options.format = Format::idx;
  options.labels_file = data_dir / "fashion-mnist" / (part + "-labels-idx1-ubyte.gz");
  options.scale = 1.0F / 255.0F;
  return read_dataset(data_dir / "fashion-mnist" / (part + "-images-idx3-ubyte.gz"), options);
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

TEST_CASE("logistic regression reaches the optimum of a9a", "[model]") {
  if (missing("a9a/a9a.gz")) return;
  const Dataset data = shuffled(read_libsvm("a9a/a9a.gz"));
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
    std::string file;
    double l2, optimum;
    Schedule schedule;
  };
  const std::vector<Target> targets = {
      {"w8a/w8a.gz", 1e-4, 0.1423985907, {100, 1, 0.5, 0.5}},
      {"rcv1-small/rcv1_small.train.gz", 1e-4, 0.2083867413, {300, 1, 8.0, 0.05}},
      {"rcv1-small/rcv1_small.train.gz", 1e-3, 0.4768138337, {300, 1, 4.0, 0.2}},
      {"news20-binary/news20_binary.train.gz", 1e-4, 0.2980668167, {60, 1, 4.0, 0.5}},
  };
  for (const Target& target : targets) {
    INFO(target.file << ", l2 " << target.l2);
    if (missing(target.file)) continue;
    const Dataset data = shuffled(read_libsvm(target.file));
    const auto model = make_model({"logistic", target.l2}, data);
    const double found = objective(*model, data, train_sparsely(*model, data, target.schedule));
    CHECK(found - target.optimum < 1e-3);
    CHECK(found - target.optimum > -1e-6);
  }
}

TEST_CASE("softmax and a network learn fashion-mnist", "[model][slow]") {
  if (missing("fashion-mnist/train-images-idx3-ubyte.gz")) return;
  const Dataset train_set = shuffled(read_fashion("train"));
  const Dataset test_set = read_fashion("t10k");
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
