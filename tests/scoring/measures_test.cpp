// Against scikit-learn's figures (tests/oracles/measures.py).
#include "trainyard/scoring/measures.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "support/catch.hpp"
#include "support/oracles.hpp"

namespace trainyard {

namespace {

using Json = nlohmann::json;

constexpr double margin = 1e-9;

void check_same(const std::optional<double>& ours, const Json& theirs) {
  CHECK(ours.has_value() == !theirs.is_null());
  if (ours && !theirs.is_null()) CHECK(std::abs(*ours - theirs.get<double>()) < margin);
}

ClassMeasures measured(const Json& one, std::size_t rows_at_once) {
  const auto classes = one["classes"].get<std::size_t>();
  const auto labels = one["labels"].get<std::vector<Label>>();
  const auto predicted = one["predicted"].get<std::vector<Label>>();
  const auto probabilities = one["probabilities"].get<std::vector<double>>();
  ClassMeasuring measuring(classes);
  for (std::size_t row = 0; row < labels.size(); row += rows_at_once) {
    const std::size_t count = std::min(rows_at_once, labels.size() - row);
    measuring.add(std::span(labels).subspan(row, count),
                  std::span(probabilities).subspan(row * classes, count * classes),
                  std::span(predicted).subspan(row, count));
  }
  return measuring.finish();
}

void check_calibration(const ClassMeasures& m, const Json& theirs) {
  std::size_t filled = 0;
  for (std::size_t bin = 0; bin < m.calibration.size(); ++bin) {
    CHECK(m.calibration[bin].rows == theirs["rows"][bin].get<std::size_t>());
    if (m.calibration[bin].rows == 0) continue;
    check_same(m.calibration[bin].fraction, theirs["fraction"][filled]);
    check_same(m.calibration[bin].mean_probability, theirs["mean"][filled]);
    ++filled;
  }
  CHECK(filled == theirs["mean"].size());
}

}  // namespace

TEST_CASE("measures of classes are scikit-learn's", "[scoring]") {
  const Json all = test::read_oracle("measures");
  for (const Json& one : all["classes"]) {
    const ClassMeasures m = measured(one, 7);
    CHECK(m.rows == one["labels"].size());
    check_same(m.accuracy, one["accuracy"]);
    check_same(m.loss, one["loss"]);
    check_same(m.brier, one["brier"]);
    CHECK(m.confusion == one["confusion"].get<std::vector<std::size_t>>());
    check_same(m.macro_precision, one["macro"][0]);
    check_same(m.macro_recall, one["macro"][1]);
    check_same(m.macro_f1, one["macro"][2]);
    for (std::size_t k = 0; k < m.classes.size(); ++k) {
      CHECK(m.classes[k].rows == one["support"][k].get<std::size_t>());
      check_same(m.classes[k].precision, one["precision"][k]);
      check_same(m.classes[k].recall, one["recall"][k]);
      check_same(m.classes[k].f1, one["f1"][k]);
      check_same(m.classes[k].roc_auc, one["roc_auc"][k]);
      check_same(m.classes[k].average_precision, one["average_precision"][k]);
    }
    if (m.classes.size() > 2) check_same(m.roc_auc, one["macro_auc"]);
    if (one.contains("calibration")) check_calibration(m, one["calibration"]);
  }
}

TEST_CASE("measures of real labels are scikit-learn's", "[scoring]") {
  const Json all = test::read_oracle("measures");
  for (const Json& one : all["real"]) {
    const auto labels = one["labels"].get<std::vector<float>>();
    const auto predictions = one["predictions"].get<std::vector<double>>();
    RealMeasuring measuring;
    const std::size_t half = labels.size() / 2;
    measuring.add(std::span(labels).first(half), std::span(predictions).first(half));
    measuring.add(std::span(labels).subspan(half), std::span(predictions).subspan(half));
    const RealMeasures m = measuring.finish();
    check_same(2.0 * m.loss, one["mse"]);
    check_same(m.rmse * m.rmse, one["mse"]);
    check_same(m.mae, one["mae"]);
    check_same(m.r2, one["r2"]);
  }
}

TEST_CASE("values without probabilities rank rows and have no loss", "[scoring]") {
  ClassMeasuring measuring(2, ClassMeasuring::Ranks::values);
  const std::vector<Label> labels{0, 1, 1, 0}, predicted{0, 1, 0, 0};
  const std::vector<double> values{2.0, -2.0, -3.0, 3.0, 1.0, -1.0, 0.5, -0.5};
  measuring.add(labels, values, predicted);
  const ClassMeasures m = measuring.finish();
  CHECK_FALSE(m.loss);
  CHECK_FALSE(m.brier);
  CHECK(m.calibration.empty());
  CHECK(m.accuracy == 0.75);
  // Of class 1: 3 and -1 against -2 and -0.5: three of four pairs.
  CHECK(m.roc_auc == 0.75);
}

TEST_CASE("labels that are all alike have no R²", "[scoring]") {
  RealMeasuring measuring;
  const std::vector<float> labels{2.0F, 2.0F};
  const std::vector<double> predictions{1.0, 3.0};
  measuring.add(labels, predictions);
  const RealMeasures m = measuring.finish();
  CHECK_FALSE(m.r2);
  CHECK(m.mae == 1.0);
  CHECK(m.loss == 0.5);
}

}  // namespace trainyard
