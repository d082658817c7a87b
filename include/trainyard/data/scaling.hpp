// Features made alike, and a feature for the intercept.
//
// Threads: any; the calling thread does the work, and sums are taken in double precision in the
// order of the rows, so that the result does not depend on the number of cores.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trainyard/data/dataset.hpp"

namespace trainyard {

/// The transformation of a feature x, with statistics of the training rows. sd divides by the
/// number of rows.
enum class FeatureScaling {
  none,
  /// Dense: (x - mean) / sd. Sparse: x / sd, so that zeros stay zeros.
  standard,
  /// Dense: (x - min) / (max - min). Sparse: x / max|x|, for the same reason.
  minmax,
  /// Each row divided by its length in the 2-norm; a row of zeros stays one.
  unit_rows,
};
/// "none", "standard", "minmax", "unit-rows". Throws UsageError, naming `what`.
FeatureScaling parse_scaling(std::string_view text, std::string_view what);
std::string scaling_text(FeatureScaling scaling);

/// What scaling made of each feature x, in the units of the file: (x - subtracted) / divided_by,
/// and 0 where divided_by is 0. [features] each; both empty where no feature was scaled by itself.
struct FeatureTransform {
  std::vector<double> subtracted, divided_by;

  bool empty() const { return divided_by.empty(); }
};

/// What is to be known of columns before they are scaled. [features] each, or empty for none.
struct FeatureOrigins {
  std::vector<bool> left_alone;    // these stay as they are, as categories do
  std::vector<double> subtracted;  // already, when the rows were read (features_to_shift())
};

/// Scales all sets by what the rows of `train` show, and says how. A dense column that is constant
/// there becomes 0 in all; a sparse one is left as it is where there is nothing to divide by. What
/// would pass the largest float becomes that.
/// REQUIRES: each of the others has no rows, or the features of `train`. Throws OptionError where
/// one of them is sparse and `train` is not, or the other way round, unless rows alone are scaled.
FeatureTransform scale_features(FeatureScaling scaling, Dataset& train,
                                std::initializer_list<Dataset*> others,
                                const FeatureOrigins& origins = {});

/// The same of other rows: `transform` is what scale_features() returned, in the units of `rows`.
void apply_scaling(FeatureScaling scaling, const FeatureTransform& transform, Dataset& rows);

/// What a reader is to subtract from each feature before it rounds it to float, for scaling() to
/// have digits left: of a column of times in seconds, 1.7e9, a float keeps steps of 128.
/// [features], 0 for those whose largest |x| is below 1024 times their range, of which rounding
/// then takes less than 10^-4; empty where that is all of them, or `scaling` subtracts nothing.
std::vector<double> features_to_shift(FeatureScaling scaling, const Dataset& train);

/// Appends a feature that is 1 in every row. Needs memory for a second copy of the rows.
void append_intercept(Dataset& data);

/// "warning: columns differ in scale by a factor of 5e+04 ('income' 3e+04, 'age' 0.6); --scale
/// standard makes them alike", where the standard deviations of two columns of dense data differ by
/// more than a thousand. Constant columns are left out, and those of zeros and ones, where it says
/// how rare the ones are. `names` may be empty.
std::optional<std::string> scale_warning(const Dataset& data,
                                         const std::vector<std::string>& names);

}  // namespace trainyard
