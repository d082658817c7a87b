#include "run/best_model.hpp"

#include <atomic>
#include <limits>
#include <vector>

#include "trainyard/base/error.hpp"
#include "trainyard/data/partition.hpp"
#include "trainyard/model/model.hpp"
#include "trainyard/report/run_folder.hpp"
#include "trainyard/run/evaluation.hpp"
#include "trainyard/run/plan.hpp"
#include "trainyard/run/resolve.hpp"
#include "trainyard/run/target.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "data/files.hpp"
#include "run/small_runs.hpp"
#include "support/catch.hpp"

namespace trainyard {

namespace {

/// A network that learns its few training rows by heart: validation rows look worse after a while.
LoadedData few_rows() {
  DatasetRequest request;
  request.dataset = "dense-logistic:400";
  request.validation = "0.7";
  return load_dataset(request);
}

Configuration overfitting(const std::string& scheme) {
  Configuration c = small_configuration(scheme);
  c.dataset = "dense-logistic:400";
  c.validation = "0.7";
  c.model = "mlp:32";
  c.epochs = 60.0;
  c.optimizer.lr = 0.1;
  c.patience = 4;
  return c;
}

RunResult run_on(const LoadedData& data, const Configuration& c) {
  return run_experiment(prepare_run(c, data, {}), {});
}

double validation_loss_of(const RunResult& result, const LoadedData& data) {
  const auto model = make_model({result.resolved.model, result.resolved.l2}, data.train);
  const std::atomic<bool> never{false};
  const GracePeriod grace(never);
  const auto tally = evaluate_all(*model, result.model.view(), data.validation, grace);
  return tally->loss_sum / static_cast<double>(tally->rows);
}

Metrics seen(std::optional<double> loss) {
  Metrics metrics;
  metrics.validation_loss = loss;
  return metrics;
}

}  // namespace

/// Without them step sizes were tuned to 0.0004, where nothing is learnt, as any step towards the
/// weighted objective first raises the unweighted loss.
TEST_CASE("the validation loss is taken with the weights of classes, and nothing else is",
          "[run][weights]") {
  DatasetRequest request;
  request.dataset = "blobs:400";
  request.validation = "0.3";
  const LoadedData plain = load_dataset(request);
  request.class_weight = "0:5,3:0.25";
  const LoadedData data = load_dataset(request);
  Configuration c = small_configuration("sequential");
  c.dataset = "blobs:400";
  c.validation = "0.3";
  c.class_weight = request.class_weight;
  const RunResult result = run_on(data, c);
  const auto model = make_model({result.resolved.model, result.resolved.l2}, data.train);
  const std::atomic<bool> never{false};
  const GracePeriod grace(never);
  double loss = 0.0, weight = 0.0, correct = 0.0;
  const auto classes = rows_by_class(plain.validation);
  for (std::size_t k = 0; k < classes.size(); ++k) {
    const Dataset rows = copy_rows(plain.validation, classes[k]);
    const Tally tally = evaluate_all(*model, result.model.view(), rows, grace).value();
    const double of_class = k == 0 ? 5.0 : k == 3 ? 0.25 : 1.0;
    loss += of_class * tally.loss_sum;
    weight += of_class * static_cast<double>(rows.rows);
    correct += tally.correct;
  }
  CHECK(result.summary.validation_loss.value() == Approx(loss / weight).epsilon(1e-9));
  CHECK(result.summary.validation_accuracy.value() ==
        Approx(correct / static_cast<double>(plain.validation.rows)).epsilon(1e-12));
}

TEST_CASE("patience counts the evaluations since the best one", "[run]") {
  Configuration c;
  c.patience = 2;
  BestModel best(c);
  const double nothing = std::numeric_limits<double>::quiet_NaN();
  std::vector<float> model{0.0F};
  const auto look = [&](std::optional<double> loss) {
    model[0] += 1.0F;
    best.look(seen(loss), std::span<const float>(model));
    return best.is_over();
  };
  CHECK_FALSE(look(std::nullopt));
  CHECK_FALSE(look(0.9));
  CHECK_FALSE(look(0.9));  // no better
  CHECK_FALSE(look(0.5));
  CHECK_FALSE(look(nothing));
  CHECK(look(0.6));
  CHECK(best.best() == 3);
  CHECK(best.take_model().view().as<float>()[0] == 4.0F);
}

TEST_CASE("of equal measures the lower loss is better, and an untrained model is never the best",
          "[run]") {
  Configuration c;
  c.patience = 2;
  c.metric = MeasureKind::f1;
  const std::vector<float> model{1.0F};
  const auto best_of = [&](const std::vector<std::pair<double, double>>& seen_of) {
    BestModel best(c);
    for (const auto& [f1, loss] : seen_of) {
      Metrics metrics = seen(loss);
      metrics.validation_metric = f1;
      best.look(metrics, std::span<const float>(model));
    }
    return best.best();
  };
  CHECK(best_of({{0.5, 0.7}, {0.0, 0.6}, {0.0, 0.5}, {0.0, 0.55}}) == 2);
  c.start = "results/ring";  // which has been trained
  CHECK(best_of({{0.5, 0.7}, {0.0, 0.6}, {0.0, 0.5}, {0.0, 0.55}}) == 0);
}

TEST_CASE("with patience the model of the best evaluation is kept, whoever trains it", "[run]") {
  const LoadedData data = few_rows();
  for (const char* scheme : {"sequential", "ring", "ps-async", "gossip", "local-sgd", "hogwild"}) {
    CAPTURE(scheme);
    const RunResult result = run_on(data, overfitting(scheme));
    std::size_t best = 0;
    for (std::size_t i = 1; i < result.metrics.size(); ++i) {
      if (*result.metrics[i].validation_loss < *result.metrics[best].validation_loss) best = i;
    }
    CHECK(best > 0);
    CHECK(result.metrics.size() - 1 - best >= 4);
    CHECK(result.summary.epochs < 60.0);
    CHECK(result.summary.kept_epoch == result.metrics[best].epoch);
    CHECK(result.summary.train_loss == result.metrics[best].train_loss);
    CHECK(result.summary.validation_loss == result.metrics[best].validation_loss);
    CHECK(validation_loss_of(result, data) == result.summary.validation_loss);
  }
}

TEST_CASE("a run from the kept model begins where that one stood", "[run]") {
  const LoadedData data = few_rows();
  Configuration c = overfitting("ring");
  c.metric = MeasureKind::auc;
  const RunResult first = run_on(data, c);
  REQUIRE(first.summary.validation_metric);
  const TemporaryFolder folder;
  RunFolder(folder.path(), "ring", first.resolved, false).finish(first);
  c.start = folder.path() / "ring";
  c.model = "";
  c.patience.reset();
  c.epochs = 1.0;
  const LoadedData again = load_dataset(dataset_request(c));
  CHECK(fingerprint_of(again.train) == fingerprint_of(data.train));
  CHECK(fingerprint_of(again.validation) == fingerprint_of(data.validation));
  const RunResult second = run_on(again, c);
  CHECK(second.resolved.model == "mlp:32");
  CHECK(second.metrics.front().train_loss == first.summary.train_loss);
  CHECK(second.metrics.front().validation_loss == first.summary.validation_loss);
  CHECK(second.metrics.front().validation_metric == first.summary.validation_metric);
  CHECK(second.summary.train_loss != first.summary.train_loss);

  CHECK(dataset_request(c) == dataset_request(c));
  c.model = "logistic";
  CHECK_THROWS_AS(resolve(c, {c.scheme}, again, {}), OptionError);
  c.model = "";
  c.scaling = FeatureScaling::standard;
  CHECK_THROWS_AS(load_dataset(dataset_request(c)), OptionError);
  c.scaling = FeatureScaling::none;
  c.dataset = "blobs:100";
  CHECK_THROWS_AS(load_dataset(dataset_request(c)), DataError);
}

TEST_CASE("an accuracy is looked for on validation rows where there are any", "[run]") {
  const LoadedData data = few_rows();
  Configuration c = overfitting("sequential");
  c.patience.reset();
  c.target_accuracy = 0.6;
  const RunResult result = run_on(data, c);
  CHECK(target_text(*target_of(result.resolved)) == "validation accuracy 0.6");
  CHECK(*result.metrics.back().validation_accuracy >= 0.6);
  for (std::size_t i = 0; i + 1 < result.metrics.size(); ++i) {
    CHECK(*result.metrics[i].validation_accuracy < 0.6);
  }
}

TEST_CASE("rows to look at are needed, and a measure that they have", "[run]") {
  const auto refused = [](const Configuration& c, const LoadedData& data) {
    CHECK_THROWS_AS(resolve(c, {c.scheme}, data, {}), OptionError);
  };
  LoadedData data = few_rows();
  Configuration c = overfitting("ring");
  c.metric = MeasureKind::r2;
  refused(c, data);
  c.metric = MeasureKind::auc;
  CHECK_NOTHROW(resolve(c, {c.scheme}, data, {}));
  data.validation = Dataset();
  refused(c, data);  // patience
  c.patience.reset();
  CHECK_NOTHROW(resolve(c, {c.scheme}, data, {}));  // it has test rows
  data.test = Dataset();
  refused(c, data);
}

TEST_CASE("the rows of a test are said to be no test of what they chose", "[run]") {
  const LoadedData data = few_rows();
  Configuration c = overfitting("ring");
  c.target_accuracy = 0.9;
  std::string said;
  const Remark remark = [&](const std::string& text) { said += text + "\n"; };
  (void)resolve(c, {c.scheme}, data, remark);
  CHECK(said.find("looked for on the test rows") == std::string::npos);
  c.validation = "";
  LoadedData without{"rows", copy_rows(data.train, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10}),
                     copy_rows(data.train, {11, 12})};
  c.workers = 2;
  c.batch = 2;
  c.patience.reset();
  (void)resolve(c, {c.scheme}, without, remark);
  CHECK(said.find("looked for on the test rows") != std::string::npos);
}

}  // namespace trainyard
