#include "trainyard/scoring/measures.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "trainyard/base/error.hpp"

namespace trainyard {

namespace {

double ratio(double part, double whole) {
  return whole == 0.0 ? 0.0 : part / whole;
}

/// Harmonic mean.
double f1_of(double precision, double recall) {
  return ratio(2.0 * precision * recall, precision + recall);
}

std::size_t at(std::size_t row, std::size_t column, std::size_t columns) {
  return row * columns + column;
}

}  // namespace

ClassMeasuring::ClassMeasuring(std::size_t classes, Ranks ranks)
    : classes_(classes),
      ranks_(ranks),
      occurs_(classes, false),
      rankings_(classes == 2 ? 1 : classes) {
  constexpr std::size_t bins = 10;
  require(classes >= 2, "measures of fewer than two classes");
  sums_.confusion.assign(classes * classes, 0.0);
  if (classes == 2 && ranks == Ranks::probabilities) sums_.calibration.resize(bins);
}

void ClassMeasuring::add(std::span<const Label> labels, std::span<const double> probabilities,
                         std::span<const Label> predicted, std::span<const float> weights) {
  require(probabilities.size() == labels.size() * classes_ && predicted.size() == labels.size() &&
              (weights.empty() || weights.size() == labels.size()),
          "probabilities of other rows");
  if (!weights.empty() && !weighted_) rank_by_weight();
  for (std::size_t row = 0; row < labels.size(); ++row) {
    const std::span<const double> p = probabilities.subspan(row * classes_, classes_);
    require(std::ranges::all_of(p, [](double x) { return std::isfinite(x); }),
            "a ranking of what is no number");
    const auto label = static_cast<std::size_t>(labels[row]);
    const auto said = static_cast<std::size_t>(predicted[row]);
    const double weight = weights.empty() ? 1.0 : static_cast<double>(weights[row]);
    ++sums_.rows;
    sums_.weight += weight;
    sums_.confusion[at(label, said, classes_)] += weight;
    occurs_[label] = occurs_[said] = true;
    rank(labels[row], p, weight);
    if (ranks_ == Ranks::probabilities) add_probabilities(label, p, weight);
  }
}

void ClassMeasuring::add_probabilities(std::size_t label, std::span<const double> p,
                                       double weight) {
  constexpr double least = std::numeric_limits<double>::epsilon();
  losses_ -= weight * std::log(std::max(p[label], least));
  double distance = 0.0;
  for (std::size_t k = 0; k < classes_; ++k) {
    const double off = p[k] - (k == label ? 1.0 : 0.0);
    distance += off * off;
  }
  distances_ += weight * (classes_ == 2 ? distance / 2.0 : distance);
  if (classes_ == 2) calibrate(static_cast<Label>(label), p[1], weight);
}

/// Rows so far had none, and weigh 1.
void ClassMeasuring::rank_by_weight() {
  weighted_ = true;
  for (Ranking& ranking : rankings_) {
    for (const double value : ranking.own) ranking.weighted_own.push_back({value, 1.0});
    for (const double value : ranking.others) ranking.weighted_others.push_back({value, 1.0});
    ranking.own.clear();
    ranking.others.clear();
  }
}

void ClassMeasuring::rank(Label label, std::span<const double> probabilities, double weight) {
  const std::size_t first = classes_ == 2 ? 1 : 0;
  for (std::size_t i = 0; i < rankings_.size(); ++i) {
    const bool is_own = static_cast<std::size_t>(label) == first + i;
    Ranking& ranking = rankings_[i];
    const double value = probabilities[first + i];
    if (weighted_) {
      (is_own ? ranking.weighted_own : ranking.weighted_others).push_back({value, weight});
    } else {
      (is_own ? ranking.own : ranking.others).push_back(value);
    }
  }
}

/// scikit-learn's calibration_curve: bins begin at 0, 0.1, …, and a probability on an edge belongs
/// to the bin that ends there.
void ClassMeasuring::calibrate(Label label, double probability, double weight) {
  const double bins = static_cast<double>(sums_.calibration.size());
  const auto place = static_cast<std::size_t>(std::max(std::ceil(probability * bins) - 1.0, 0.0));
  CalibrationBin& bin = sums_.calibration[std::min(place, sums_.calibration.size() - 1)];
  ++bin.rows;
  bin.weight += weight;
  bin.mean_probability += weight * probability;
  bin.fraction += label == 1 ? weight : 0.0;
}

namespace {

OneClassMeasures measures_of_class(std::size_t k, std::span<const double> confusion,
                                   std::size_t classes) {
  OneClassMeasures of;
  for (std::size_t other = 0; other < classes; ++other) {
    of.rows += confusion[at(k, other, classes)];
    of.predicted += confusion[at(other, k, classes)];
  }
  const double hits = confusion[at(k, k, classes)];
  of.precision = ratio(hits, of.predicted);
  of.recall = ratio(hits, of.rows);
  of.f1 = f1_of(of.precision, of.recall);
  return of;
}

/// A class of rows that all weigh 0 is one of those that occur, as in scikit-learn.
void take_macro_means(const std::vector<bool>& occurs, ClassMeasures& measures) {
  double classes = 0.0;
  for (std::size_t k = 0; k < measures.classes.size(); ++k) {
    const OneClassMeasures& of = measures.classes[k];
    if (!occurs[k]) continue;
    classes += 1.0;
    measures.macro_precision += of.precision;
    measures.macro_recall += of.recall;
    measures.macro_f1 += of.f1;
  }
  measures.macro_precision /= classes;
  measures.macro_recall /= classes;
  measures.macro_f1 /= classes;
}

/// The mean of an area over classes, or of class 1 alone where there are two.
std::optional<double> mean_area(const std::vector<OneClassMeasures>& classes,
                                std::optional<double> OneClassMeasures::*area) {
  if (classes.size() == 2) return classes[1].*area;
  double sum = 0.0;
  for (const OneClassMeasures& of : classes) {
    if (!(of.*area)) return std::nullopt;
    sum += *(of.*area);
  }
  return sum / static_cast<double>(classes.size());
}

double weight_of_all(const RankedValues& values) {
  return static_cast<double>(values.size());
}
double weight_of_all(const WeightedValues& values) {
  double sum = 0.0;
  for (const WeightedValue& one : values) sum += one.weight;
  return sum;
}

template <typename Values>
void rank_class(OneClassMeasures& of, Values& own, Values& others) {
  if (weight_of_all(own) == 0.0 || weight_of_all(others) == 0.0) return;
  RankingMeasures ranking = ranking_measures(own, others);
  of.roc_auc = ranking.roc_auc;
  of.average_precision = ranking.average_precision;
  of.curve = std::move(ranking.curve);
}

double& value_in(double& value) {
  return value;
}
double& value_in(WeightedValue& one) {
  return one.value;
}

/// Those of class 1 of two, and of class 0 from the other end: not by p₀, which is 1 where p₁ still
/// differs.
template <typename Values>
void rank_two_classes(ClassMeasures& measures, Values& own, Values& others) {
  rank_class(measures.classes[1], own, others);
  for (Values* const values : {&own, &others}) {
    for (auto& one : *values) value_in(one) = -value_in(one);
  }
  rank_class(measures.classes[0], others, own);
  measures.classes[0].curve.clear();  // its thresholds have the wrong sign
}

}  // namespace

ClassMeasures ClassMeasuring::finish() {
  ClassMeasures measures = std::exchange(sums_, {});
  require(measures.weight > 0.0, "measures of no rows");
  double hits = 0.0;
  for (std::size_t k = 0; k < classes_; ++k) {
    hits += measures.confusion[at(k, k, classes_)];
    measures.classes.push_back(measures_of_class(k, measures.confusion, classes_));
  }
  measures.accuracy = hits / measures.weight;
  if (ranks_ == Ranks::probabilities) {
    measures.loss = losses_ / measures.weight;
    measures.brier = distances_ / measures.weight;
  }
  take_macro_means(occurs_, measures);
  const auto take = [&](std::size_t k, auto& own, auto& others) {
    if (classes_ == 2) return rank_two_classes(measures, own, others);
    rank_class(measures.classes[k], own, others);
  };
  for (std::size_t k = 0; k < rankings_.size(); ++k) {
    Ranking& ranking = rankings_[k];
    if (weighted_) {
      take(k, ranking.weighted_own, ranking.weighted_others);
    } else {
      take(k, ranking.own, ranking.others);
    }
    ranking = {};
  }
  measures.roc_auc = mean_area(measures.classes, &OneClassMeasures::roc_auc);
  measures.average_precision = mean_area(measures.classes, &OneClassMeasures::average_precision);
  for (CalibrationBin& bin : measures.calibration) {
    if (bin.weight == 0.0) continue;
    bin.mean_probability /= bin.weight;
    bin.fraction /= bin.weight;
  }
  return measures;
}

void RealMeasuring::add(std::span<const float> labels, std::span<const double> predictions,
                        std::span<const float> weights) {
  require(
      labels.size() == predictions.size() && (weights.empty() || weights.size() == labels.size()),
      "predictions of other rows");
  for (std::size_t row = 0; row < labels.size(); ++row) {
    const auto label = static_cast<double>(labels[row]);
    const double weight = weights.empty() ? 1.0 : static_cast<double>(weights[row]);
    const double off = predictions[row] - label;
    ++rows_;
    if (weight == 0.0) continue;
    squares_ += weight * off * off;
    absolutes_ += weight * std::abs(off);
    weight_ += weight;
    const double from_mean = label - mean_;
    mean_ += weight * from_mean / weight_;
    spread_ += weight * from_mean * (label - mean_);
  }
}

RealMeasures RealMeasuring::finish() const {
  require(weight_ > 0.0, "measures of no rows");
  RealMeasures measures{.rows = rows_, .weight = weight_, .loss = squares_ / 2.0 / weight_};
  measures.rmse = std::sqrt(squares_ / weight_);
  measures.mae = absolutes_ / weight_;
  if (spread_ > 0.0) measures.r2 = 1.0 - squares_ / spread_;
  return measures;
}

}  // namespace trainyard
