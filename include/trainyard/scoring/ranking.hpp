// Rows ranked by a number that is larger where they are more likely of one class: how well that
// parts them from the others. Definitions are scikit-learn's (roc_auc_score,
// average_precision_score, roc_curve, precision_recall_curve), to which tests hold them.
//
// Threads: any; these are functions of their arguments.
#pragma once

#include <deque>
#include <vector>

namespace trainyard {

/// Of rows by the million: a vector that grows is there twice.
using RankedValues = std::deque<double>;
struct WeightedValue {
  double value = 0.0, weight = 0.0;
};
using WeightedValues = std::deque<WeightedValue>;

/// What holds where rows at `threshold` and above are said to be of the class.
struct RankingPoint {
  double threshold = 0.0;            // infinite at the first point: none is
  double recall = 0.0;               // of the class's rows those that are said to be; also called
                                     // the true positive rate
  double false_positive_rate = 0.0;  // of the others those that are said to be
  double precision = 1.0;            // of those said to be those that are; 1 where none is
};

struct RankingMeasures {
  /// The area under recall over false positive rate, a tie counting half: the probability that one
  /// of the class is above one of the others.
  double roc_auc = 0.0;
  /// Σ (R_n − R_{n−1}) P_n over the distinct values as thresholds, from the largest down: precision
  /// P, recall R.
  double average_precision = 0.0;
  /// From no row to all rows, of the values of rows that weigh something. Of many a selection:
  /// between two neighbours no coordinate of a point left out is further than 1/150 from the first
  /// of them.
  std::vector<RankingPoint> curve;
};

/// `own` are the values of the class's rows. REQUIRES: neither is empty, nor is the weight of
/// either 0. Sorts both.
RankingMeasures ranking_measures(RankedValues& own, RankedValues& others);
RankingMeasures ranking_measures(WeightedValues& own, WeightedValues& others);

}  // namespace trainyard
