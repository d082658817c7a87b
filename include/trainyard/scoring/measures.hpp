// How good predictions are, measured against labels. Definitions and names are scikit-learn's
// (sklearn.metrics), to which tests hold them; a ratio whose divisor is 0 is 0, as there.
//
//   ClassMeasuring measuring(3);
//   while (…) measuring.add(labels, probabilities, classes);  // some rows at a time
//   const ClassMeasures measures = measuring.finish();
//
// Rows may have weights, as scikit-learn's sample_weight: each then counts so often.
//
// Areas under curves need every row's probabilities: a row takes 8 bytes a class, of two classes 8;
// twice as many with weights.
//
// Threads: one at a time for one object; different objects share nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "trainyard/data/dataset.hpp"
#include "trainyard/scoring/ranking.hpp"

namespace trainyard {

/// One class against all others.
struct OneClassMeasures {
  // Sums of weights, numbers of rows where those are 1.
  double rows = 0.0;       // that are of it
  double predicted = 0.0;  // that are said to be
  double precision = 0.0, recall = 0.0, f1 = 0.0;
  /// Rows ranked by their probability of it; of two classes all by that of class 1. Empty where all
  /// rows with a weight above 0 are of it, or none is.
  std::optional<double> roc_auc, average_precision;
  /// As ranking_measures() has it; of two classes of class 1 alone. Empty where the areas are.
  std::vector<RankingPoint> curve;
};

/// The rows to which class 1 of two was given a probability within a tenth.
struct CalibrationBin {
  std::size_t rows = 0;
  double weight = 0.0;  // of these
  double mean_probability = 0.0;
  double fraction = 0.0;  // that are of class 1
};

struct ClassMeasures {
  std::size_t rows = 0;
  double weight = 0.0;  // of all rows
  double accuracy = 0.0;
  // The next two, and the calibration, only of probabilities.
  std::optional<double> loss;  // mean −log p(label); p counts as 2^-52 at least, as in scikit-learn
  std::optional<double> brier;  // of two classes mean (p₁ − y)²; of more mean Σ_k (p_k − y_k)²
  std::vector<double>
      confusion;  // [classes × classes]: weight of rows of label i, predicted j, at i·K + j
  std::vector<OneClassMeasures> classes;  // [classes]
  /// Means over the classes that some row is of or is said to be.
  double macro_precision = 0.0, macro_recall = 0.0, macro_f1 = 0.0;
  /// Of two classes those of class 1; of more the means over classes. Empty where one class is
  /// missing.
  std::optional<double> roc_auc, average_precision;
  std::vector<CalibrationBin> calibration;  // [10] of two classes, else empty
};

class ClassMeasuring {
 public:
  /// The numbers by which rows are ranked: probabilities, or others that are larger where a class
  /// is more likely.
  enum class Ranks { probabilities, values };

  /// REQUIRES: two classes or more.
  explicit ClassMeasuring(std::size_t classes, Ranks ranks = Ranks::probabilities);

  /// probabilities[r × classes + k] is that of class k for row r, predicted[r] the class that it is
  /// said to be. `weights` are finite and not below 0; empty: all are 1.
  void add(std::span<const Label> labels, std::span<const double> probabilities,
           std::span<const Label> predicted, std::span<const float> weights = {});

  /// REQUIRES: rows have been added, of which one has a weight above 0. Leaves this object empty.
  ClassMeasures finish();

 private:
  /// Probabilities of a class, of rows that are of it and of others.
  struct Ranking {
    RankedValues own, others;
    WeightedValues weighted_own, weighted_others;  // instead of them, from the first weights on
  };

  void add_probabilities(std::size_t label, std::span<const double> probabilities, double weight);
  void rank(Label label, std::span<const double> probabilities, double weight);
  void rank_by_weight();
  void calibrate(Label label, double probability, double weight);

  std::size_t classes_;
  Ranks ranks_;
  bool weighted_ = false;  // rows are ranked with their weights
  double losses_ = 0.0, distances_ = 0.0;
  std::vector<bool> occurs_;  // [classes]: some row is of it, or is said to be
  ClassMeasures sums_;
  std::vector<Ranking> rankings_;  // [classes]; of two classes that of class 1 alone
};

/// Of real labels y and predictions p.
struct RealMeasures {
  std::size_t rows = 0;
  double weight = 0.0;         // of all rows
  double loss = 0.0;           // mean ½ (p − y)², as least squares has it
  double rmse = 0.0;           // √ mean (p − y)²
  double mae = 0.0;            // mean |p − y|
  std::optional<double> r2{};  // 1 − Σ (p − y)² / Σ (y − ȳ)²; empty where all labels are equal
};

class RealMeasuring {
 public:
  void add(std::span<const float> labels, std::span<const double> predictions,
           std::span<const float> weights = {});
  /// REQUIRES: rows have been added, of which one has a weight above 0.
  RealMeasures finish() const;

 private:
  std::size_t rows_ = 0;
  double weight_ = 0.0, squares_ = 0.0, absolutes_ = 0.0;
  // Welford's mean and sum of squares about it: labels may be far from 0.
  double mean_ = 0.0, spread_ = 0.0;
};

}  // namespace trainyard
