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

/// Weights are of those cases that have them.
ClassMeasures measured(const Json& one, std::size_t rows_at_once) {
  const auto weights = one.value("weights", std::vector<float>{});
  const auto classes = one["classes"].get<std::size_t>();
  const auto labels = one["labels"].get<std::vector<Label>>();
  const auto predicted = one["predicted"].get<std::vector<Label>>();
  const auto probabilities = one["probabilities"].get<std::vector<double>>();
  ClassMeasuring measuring(classes);
  for (std::size_t row = 0; row < labels.size(); row += rows_at_once) {
    const std::size_t count = std::min(rows_at_once, labels.size() - row);
    measuring.add(
        std::span(labels).subspan(row, count),
        std::span(probabilities).subspan(row * classes, count * classes),
        std::span(predicted).subspan(row, count),
        weights.empty() ? std::span<const float>{} : std::span(weights).subspan(row, count));
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

void check_weighted_calibration(const ClassMeasures& m, const Json& theirs) {
  std::size_t filled = 0;
  for (std::size_t bin = 0; bin < m.calibration.size(); ++bin) {
    check_same(m.calibration[bin].weight, theirs["weight"][bin]);
    if (m.calibration[bin].weight == 0.0) continue;
    check_same(m.calibration[bin].fraction, theirs["fraction"][filled]);
    check_same(m.calibration[bin].mean_probability, theirs["mean"][filled]);
    ++filled;
  }
  CHECK(filled == theirs["mean"].size());
}

void check_classes(const ClassMeasures& m, const Json& one) {
  CHECK(m.rows == one["labels"].size());
  check_same(m.accuracy, one["accuracy"]);
  check_same(m.loss, one["loss"]);
  check_same(m.brier, one["brier"]);
  for (std::size_t i = 0; i < m.confusion.size(); ++i) {
    check_same(m.confusion[i], one["confusion"][i]);
  }
  check_same(m.macro_precision, one["macro"][0]);
  check_same(m.macro_recall, one["macro"][1]);
  check_same(m.macro_f1, one["macro"][2]);
  for (std::size_t k = 0; k < m.classes.size(); ++k) {
    check_same(m.classes[k].rows, one["support"][k]);
    check_same(m.classes[k].precision, one["precision"][k]);
    check_same(m.classes[k].recall, one["recall"][k]);
    check_same(m.classes[k].f1, one["f1"][k]);
    check_same(m.classes[k].roc_auc, one["roc_auc"][k]);
    check_same(m.classes[k].average_precision, one["average_precision"][k]);
  }
  if (m.classes.size() > 2) check_same(m.roc_auc, one["macro_auc"]);
}

void check_real(const Json& one) {
  const auto labels = one["labels"].get<std::vector<float>>();
  const auto predictions = one["predictions"].get<std::vector<double>>();
  const auto weights = one.value("weights", std::vector<float>{});
  RealMeasuring measuring;
  const std::size_t half = labels.size() / 2;
  const auto part = [&](std::size_t first, std::size_t count) {
    measuring.add(
        std::span(labels).subspan(first, count), std::span(predictions).subspan(first, count),
        weights.empty() ? std::span<const float>{} : std::span(weights).subspan(first, count));
  };
  part(0, half);
  part(half, labels.size() - half);
  const RealMeasures m = measuring.finish();
  check_same(2.0 * m.loss, one["mse"]);
  check_same(m.rmse * m.rmse, one["mse"]);
  check_same(m.mae, one["mae"]);
  check_same(m.r2, one["r2"]);
}

}  // namespace

TEST_CASE("measures of classes are scikit-learn's", "[scoring]") {
  const Json all = test::read_oracle("measures");
  for (const Json& one : all["classes"]) {
    const ClassMeasures m = measured(one, 7);
    check_classes(m, one);
    CHECK(m.weight == static_cast<double>(m.rows));
    if (one.contains("calibration")) check_calibration(m, one["calibration"]);
  }
}

TEST_CASE("measures of rows with weights are scikit-learn's", "[scoring][weights]") {
  const Json all = test::read_oracle("measures");
  for (const Json& one : all["weighted"]) {
    const ClassMeasures m = measured(one, 7);
    check_classes(m, one);
    if (one.contains("calibration")) check_weighted_calibration(m, one["calibration"]);
  }
}

/// Rows that come without weights before others that have some.
TEST_CASE("rows without weights count once among those that have some", "[scoring][weights]") {
  const std::vector<Label> labels{0, 1, 1, 0}, predicted{0, 1, 0, 0};
  const std::vector<double> p{0.8, 0.2, 0.1, 0.9, 0.6, 0.4, 0.5, 0.5};
  const std::vector<float> ones{1.0F, 1.0F};
  ClassMeasuring mixed(2), plain(2);
  plain.add(labels, p, predicted);
  mixed.add(std::span(labels).first(2), std::span(p).first(4), std::span(predicted).first(2));
  mixed.add(std::span(labels).last(2), std::span(p).last(4), std::span(predicted).last(2), ones);
  const ClassMeasures a = plain.finish(), b = mixed.finish();
  CHECK(a.roc_auc == b.roc_auc);
  CHECK(a.average_precision == b.average_precision);
  CHECK(a.loss == b.loss);
  CHECK(a.confusion == b.confusion);
}

TEST_CASE("measures of real labels are scikit-learn's", "[scoring]") {
  const Json all = test::read_oracle("measures");
  for (const Json& one : all["real"]) check_real(one);
  for (const Json& one : all["weighted_real"]) check_real(one);
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
