#include "trainyard/scoring/ranking.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "trainyard/base/error.hpp"

namespace trainyard {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

double value_of(double value) {
  return value;
}
double value_of(const WeightedValue& one) {
  return one.value;
}
double weight_of(double /*value*/) {
  return 1.0;
}
double weight_of(const WeightedValue& one) {
  return one.weight;
}

/// Values from the largest down.
template <typename Values>
class FromLargest {
 public:
  explicit FromLargest(Values& values) : values_(&values), left_(values.size()) {
    std::ranges::sort(values, {}, [](const auto& one) { return value_of(one); });
    for (const auto& one : values) weight_ += weight_of(one);
  }

  double weight() const { return weight_; }  // of all
  bool is_empty() const { return left_ == 0; }
  double largest() const { return left_ == 0 ? -infinity : value_of((*values_)[left_ - 1]); }
  /// Takes away those that are equal to `value`, and returns their weight.
  double take(double value) {
    double weight = 0.0;
    for (; left_ > 0 && value_of((*values_)[left_ - 1]) == value; --left_) {
      weight += weight_of((*values_)[left_ - 1]);
    }
    return weight;
  }

 private:
  const Values* values_;
  std::size_t left_;
  double weight_ = 0.0;
};

/// Keeps of a curve's points as many as a picture can show.
class Selection {
 public:
  void add(const RankingPoint& point) {
    constexpr double resolution = 1.0 / 150.0;
    const bool is_far = kept_.empty() || distance(kept_.back(), point) > resolution;
    // A long straight piece begins where it begins, and not at the last point that was kept.
    if (is_far && is_left_out_) kept_.push_back(last_);
    if (is_far) kept_.push_back(point);
    is_left_out_ = !is_far;
    last_ = point;
  }

  std::vector<RankingPoint> finish() {
    if (is_left_out_) kept_.push_back(last_);
    return std::move(kept_);
  }

 private:
  static double distance(const RankingPoint& a, const RankingPoint& b) {
    return std::max({std::abs(a.recall - b.recall), std::abs(a.precision - b.precision),
                     std::abs(a.false_positive_rate - b.false_positive_rate)});
  }

  std::vector<RankingPoint> kept_;
  RankingPoint last_{};
  bool is_left_out_ = false;  // last_ is not among those kept
};

template <typename Values>
RankingMeasures measures_of(Values& own_values, Values& other_values) {
  FromLargest own(own_values), others(other_values);
  require(own.weight() > 0.0 && others.weight() > 0.0, "a ranking of one class");
  double pairs_won = 0.0;  // by one of the class above one of the others
  double steps = 0.0;      // Σ (R_n − R_{n−1}) P_n, times the class's weight
  double own_above = 0.0, others_above = 0.0;
  Selection curve;
  curve.add({.threshold = infinity});
  while (!own.is_empty() || !others.is_empty()) {
    const double value = std::max(own.largest(), others.largest());
    const double more_own = own.take(value), more_others = others.take(value);
    if (more_own + more_others == 0.0) continue;
    own_above += more_own;
    others_above += more_others;
    pairs_won += more_own * (others.weight() - others_above + 0.5 * more_others);
    const double precision = own_above / (own_above + others_above);
    steps += more_own * precision;
    curve.add({.threshold = value,
               .recall = std::min(1.0, own_above / own.weight()),
               .false_positive_rate = std::min(1.0, others_above / others.weight()),
               .precision = precision});
  }
  // The weights' sums were rounded in another order.
  RankingMeasures measures{.roc_auc = std::min(1.0, pairs_won / own.weight() / others.weight()),
                           .average_precision = std::min(1.0, steps / own.weight()),
                           .curve = curve.finish()};
  measures.curve.back().recall = measures.curve.back().false_positive_rate = 1.0;
  return measures;
}

}  // namespace

RankingMeasures ranking_measures(RankedValues& own, RankedValues& others) {
  return measures_of(own, others);
}
RankingMeasures ranking_measures(WeightedValues& own, WeightedValues& others) {
  return measures_of(own, others);
}

}  // namespace trainyard
