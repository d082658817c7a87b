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

/// What is left of sorted values, the largest taken away first.
class FromLargest {
 public:
  explicit FromLargest(const RankedValues& sorted) : sorted_(&sorted), left_(sorted.size()) {}

  std::size_t left() const { return left_; }
  double largest() const {
    return left_ == 0 ? -std::numeric_limits<double>::infinity() : (*sorted_)[left_ - 1];
  }
  /// Takes away those that are equal to `value`, and says how many.
  std::size_t take(double value) {
    std::size_t count = 0;
    for (; left_ > 0 && (*sorted_)[left_ - 1] == value; --left_) ++count;
    return count;
  }

 private:
  const RankedValues* sorted_;
  std::size_t left_;
};

}  // namespace

double roc_auc(RankedValues& own, RankedValues& others) {
  require(!own.empty() && !others.empty(), "a ranking of one class");
  std::ranges::sort(own);
  std::ranges::sort(others);
  FromLargest own_left(own), others_left(others);
  double pairs_won = 0.0;  // by one of `own` above one of `others`
  while (own_left.left() > 0) {
    const double value = std::max(own_left.largest(), others_left.largest());
    const auto more_own = static_cast<double>(own_left.take(value));
    const auto more_others = static_cast<double>(others_left.take(value));
    pairs_won += more_own * (static_cast<double>(others_left.left()) + 0.5 * more_others);
  }
  return pairs_won / static_cast<double>(own.size()) / static_cast<double>(others.size());
}

double average_precision(RankedValues& own, RankedValues& others) {
  require(!own.empty(), "precision of a class without rows");
  std::ranges::sort(own);
  std::ranges::sort(others);
  FromLargest own_left(own), others_left(others);
  double area = 0.0;
  while (own_left.left() > 0) {
    const double value = std::max(own_left.largest(), others_left.largest());
    const auto more_own = static_cast<double>(own_left.take(value));
    others_left.take(value);
    const auto above_own = static_cast<double>(own.size() - own_left.left());
    const auto above_others = static_cast<double>(others.size() - others_left.left());
    area += more_own * above_own / (above_own + above_others);
  }
  return area / static_cast<double>(own.size());
}

ClassMeasuring::ClassMeasuring(std::size_t classes, Ranks ranks)
    : classes_(classes), ranks_(ranks), rankings_(classes == 2 ? 1 : classes) {
  constexpr std::size_t bins = 10;
  require(classes >= 2, "measures of fewer than two classes");
  sums_.confusion.assign(classes * classes, 0);
  if (classes == 2 && ranks == Ranks::probabilities) sums_.calibration.resize(bins);
}

void ClassMeasuring::add(std::span<const Label> labels, std::span<const double> probabilities,
                         std::span<const Label> predicted) {
  require(probabilities.size() == labels.size() * classes_ && predicted.size() == labels.size(),
          "probabilities of other rows");
  for (std::size_t row = 0; row < labels.size(); ++row) {
    const std::span<const double> p = probabilities.subspan(row * classes_, classes_);
    require(std::ranges::all_of(p, [](double x) { return std::isfinite(x); }),
            "a ranking of what is no number");
    const auto label = static_cast<std::size_t>(labels[row]);
    ++sums_.rows;
    ++sums_.confusion[at(label, static_cast<std::size_t>(predicted[row]), classes_)];
    rank(labels[row], p);
    if (ranks_ == Ranks::probabilities) add_probabilities(label, p);
  }
}

void ClassMeasuring::add_probabilities(std::size_t label, std::span<const double> p) {
  constexpr double least = std::numeric_limits<double>::epsilon();
  losses_ -= std::log(std::max(p[label], least));
  double distance = 0.0;
  for (std::size_t k = 0; k < classes_; ++k) {
    const double off = p[k] - (k == label ? 1.0 : 0.0);
    distance += off * off;
  }
  distances_ += classes_ == 2 ? distance / 2.0 : distance;
  if (classes_ == 2) calibrate(static_cast<Label>(label), p[1]);
}

void ClassMeasuring::rank(Label label, std::span<const double> probabilities) {
  const std::size_t first = classes_ == 2 ? 1 : 0;
  for (std::size_t i = 0; i < rankings_.size(); ++i) {
    const bool is_own = static_cast<std::size_t>(label) == first + i;
    (is_own ? rankings_[i].own : rankings_[i].others).push_back(probabilities[first + i]);
  }
}

/// scikit-learn's calibration_curve: bins begin at 0, 0.1, …, and a probability on an edge belongs
/// to the bin that ends there.
void ClassMeasuring::calibrate(Label label, double probability) {
  const double bins = static_cast<double>(sums_.calibration.size());
  const auto place = static_cast<std::size_t>(std::max(std::ceil(probability * bins) - 1.0, 0.0));
  CalibrationBin& bin = sums_.calibration[std::min(place, sums_.calibration.size() - 1)];
  ++bin.rows;
  bin.mean_probability += probability;
  bin.fraction += label == 1 ? 1.0 : 0.0;
}

namespace {

OneClassMeasures measures_of_class(std::size_t k, std::span<const std::size_t> confusion,
                                   std::size_t classes) {
  OneClassMeasures of;
  for (std::size_t other = 0; other < classes; ++other) {
    of.rows += confusion[at(k, other, classes)];
    of.predicted += confusion[at(other, k, classes)];
  }
  const auto hits = static_cast<double>(confusion[at(k, k, classes)]);
  of.precision = ratio(hits, static_cast<double>(of.predicted));
  of.recall = ratio(hits, static_cast<double>(of.rows));
  of.f1 = f1_of(of.precision, of.recall);
  return of;
}

void take_macro_means(ClassMeasures& measures) {
  double classes = 0.0;
  for (const OneClassMeasures& of : measures.classes) {
    if (of.rows == 0 && of.predicted == 0) continue;
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

void take_areas(OneClassMeasures& of, RankedValues& own, RankedValues& others) {
  if (own.empty() || others.empty()) return;
  of.roc_auc = roc_auc(own, others);
  of.average_precision = average_precision(own, others);
}

}  // namespace

ClassMeasures ClassMeasuring::finish() {
  ClassMeasures measures = std::exchange(sums_, {});
  require(measures.rows > 0, "measures of no rows");
  const auto rows = static_cast<double>(measures.rows);
  std::size_t hits = 0;
  for (std::size_t k = 0; k < classes_; ++k) {
    hits += measures.confusion[at(k, k, classes_)];
    measures.classes.push_back(measures_of_class(k, measures.confusion, classes_));
  }
  measures.accuracy = static_cast<double>(hits) / rows;
  if (ranks_ == Ranks::probabilities) {
    measures.loss = losses_ / rows;
    measures.brier = distances_ / rows;
  }
  take_macro_means(measures);
  for (std::size_t i = 0; i < rankings_.size(); ++i) {
    const std::size_t k = classes_ == 2 ? 1 : i;
    take_areas(measures.classes[k], rankings_[i].own, rankings_[i].others);
    if (classes_ == 2) {
      // Class 0 from the other end. Not by p₀, which is 1 where p₁ still differs.
      for (auto* values : {&rankings_[i].own, &rankings_[i].others}) {
        for (double& value : *values) value = -value;
      }
      take_areas(measures.classes[0], rankings_[i].others, rankings_[i].own);
    }
    rankings_[i] = {};
  }
  measures.roc_auc = mean_area(measures.classes, &OneClassMeasures::roc_auc);
  measures.average_precision = mean_area(measures.classes, &OneClassMeasures::average_precision);
  for (CalibrationBin& bin : measures.calibration) {
    if (bin.rows == 0) continue;
    bin.mean_probability /= static_cast<double>(bin.rows);
    bin.fraction /= static_cast<double>(bin.rows);
  }
  return measures;
}

void RealMeasuring::add(std::span<const float> labels, std::span<const double> predictions) {
  require(labels.size() == predictions.size(), "predictions of other rows");
  for (std::size_t row = 0; row < labels.size(); ++row) {
    const auto label = static_cast<double>(labels[row]);
    const double off = predictions[row] - label;
    squares_ += off * off;
    absolutes_ += std::abs(off);
    ++rows_;
    const double from_mean = label - mean_;
    mean_ += from_mean / static_cast<double>(rows_);
    spread_ += from_mean * (label - mean_);
  }
}

RealMeasures RealMeasuring::finish() const {
  require(rows_ > 0, "measures of no rows");
  const auto rows = static_cast<double>(rows_);
  RealMeasures measures{.rows = rows_, .loss = squares_ / 2.0 / rows};
  measures.rmse = std::sqrt(squares_ / rows);
  measures.mae = absolutes_ / rows;
  if (spread_ > 0.0) measures.r2 = 1.0 - squares_ / spread_;
  return measures;
}

}  // namespace trainyard
