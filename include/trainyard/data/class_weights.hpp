// Weights of training rows: those that a file has, and those of their classes.
//
// Threads: any; these are functions of their arguments.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "trainyard/data/dataset.hpp"

namespace trainyard {

/// balanced: n / (k n_c) for the n_c of n rows that are of class c, k being the number of classes
/// that have rows (as scikit-learn's class_weight="balanced"). Otherwise the weights of some
/// classes by their names; those of the others are 1.
struct ClassWeights {
  bool balanced = false;
  std::vector<std::pair<std::string, double>> named{};
};

/// "balanced", or "yes:5" and "no:1,yes:5" (in quotes, as in CSV, where a name has a comma). Throws
/// UsageError, naming `what`, also for a weight that is not from 0 to 1e12, and for a class that is
/// named twice.
ClassWeights parse_class_weights(std::string_view text, std::string_view what);

/// The weight of each class of `names`, by its rows in `train`. Throws OptionError for a class that
/// is none of them.
std::vector<double> weights_of_classes(const ClassWeights& weights,
                                       const std::vector<std::string>& names, const Dataset& train);

/// Multiplies the weight of each row by that of its class.
void weigh_classes(const std::vector<double>& of_class, Dataset& train);

/// 1 where rows have none. Throws DataError, beginning with `name`, where all are 0.
double mean_weight(const std::string& name, const Dataset& data);

/// Divides the rows' weights, where there are any, by their mean. Throws as mean_weight().
void divide_by_mean_weight(const std::string& name, Dataset& train);

}  // namespace trainyard
