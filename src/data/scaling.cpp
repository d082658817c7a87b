#include "trainyard/data/scaling.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "trainyard/base/echoed.hpp"
#include "trainyard/base/error.hpp"

namespace trainyard {

namespace {

const std::array<std::string, 4> scaling_names{"none", "standard", "minmax", "unit-rows"};

/// Calls handle(feature, value) for every stored value, row by row.
template <typename Handle>
void for_each_value(const Dataset& data, Handle handle) {
  if (data.sparse) {
    for (std::size_t i = 0; i < data.values.size(); ++i) handle(data.columns[i], data.values[i]);
    return;
  }
  const float* next = data.dense.data();
  for (std::size_t row = 0; row < data.rows; ++row) {
    for (std::size_t feature = 0; feature < data.features; ++feature) handle(feature, *next++);
  }
}

/// Moments of each feature over all rows, including the zeros of sparse ones.
struct Moments {
  std::vector<double> mean, sd;
};

/// The variance is taken about the first row's value (about 0 where data are sparse), so that a
/// column of years does not lose it to rounding. What is left of a constant sparse column by
/// rounding is far below a 10^-10th of its squares, and counts as 0.
Moments moments_of(const Dataset& data) {
  constexpr double rounding = 1e-10;
  const auto rows = static_cast<double>(data.rows);
  std::vector<double> origin(data.features, 0.0);
  if (!data.sparse && data.rows > 0) {
    for (std::size_t f = 0; f < data.features; ++f) origin[f] = static_cast<double>(data.dense[f]);
  }
  Moments moments{std::vector<double>(data.features, 0.0), std::vector<double>(data.features, 0.0)};
  for_each_value(data, [&](std::size_t feature, float value) {
    const double distance = static_cast<double>(value) - origin[feature];
    moments.mean[feature] += distance;
    moments.sd[feature] += distance * distance;
  });
  for (std::size_t f = 0; f < data.features; ++f) {
    const double shift = moments.mean[f] / rows;
    const double square = moments.sd[f] / rows;
    const double variance = square - shift * shift;
    moments.sd[f] = variance > rounding * square ? std::sqrt(variance) : 0.0;
    moments.mean[f] = origin[f] + shift;
  }
  return moments;
}

/// Dense: x becomes (x - subtracted) / divided_by, and 0 where that is 0. Sparse: it is 1 where
/// there is nothing to divide by.
FeatureTransform standard_rule(const Dataset& data) {
  Moments moments = moments_of(data);
  return {std::move(moments.mean), std::move(moments.sd)};
}

/// Lowest, highest and largest absolute value of each feature. NaN, which is a missing field, is
/// passed over.
struct Ranges {
  std::vector<double> lowest, highest, largest;
};

Ranges ranges_of(const Dataset& data) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Ranges ranges{std::vector<double>(data.features, infinity),
                std::vector<double>(data.features, -infinity),
                std::vector<double>(data.features, 0.0)};
  for_each_value(data, [&](std::size_t feature, float value) {
    const auto x = static_cast<double>(value);
    ranges.lowest[feature] = x < ranges.lowest[feature] ? x : ranges.lowest[feature];
    ranges.highest[feature] = x > ranges.highest[feature] ? x : ranges.highest[feature];
    const double size = std::abs(x);
    ranges.largest[feature] = size > ranges.largest[feature] ? size : ranges.largest[feature];
  });
  return ranges;
}

FeatureTransform range_rule(const Dataset& data) {
  Ranges ranges = ranges_of(data);
  if (data.sparse) return {std::move(ranges.lowest), std::move(ranges.largest)};
  for (std::size_t f = 0; f < data.features; ++f) ranges.highest[f] -= ranges.lowest[f];
  return {std::move(ranges.lowest), std::move(ranges.highest)};
}

FeatureTransform rule_of(FeatureScaling scaling, const Dataset& train,
                         const std::vector<bool>& left_alone) {
  FeatureTransform rule =
      scaling == FeatureScaling::standard ? standard_rule(train) : range_rule(train);
  for (std::size_t f = 0; f < train.features; ++f) {
    const bool alone = !left_alone.empty() && left_alone[f];
    if (train.sparse || alone) rule.subtracted[f] = 0.0;
    if (alone || (train.sparse && rule.divided_by[f] == 0.0)) rule.divided_by[f] = 1.0;
  }
  return rule;
}

/// Clamps a value that a float cannot hold, as of a test row far from all training rows.
float finite(double value) {
  constexpr double most = std::numeric_limits<float>::max();
  return static_cast<float>(std::clamp(value, -most, most));
}

void apply_dense(const FeatureTransform& rule, Dataset& data) {
  float* next = data.dense.data();
  for (std::size_t row = 0; row < data.rows; ++row) {
    for (std::size_t f = 0; f < data.features; ++f, ++next) {
      const double x = static_cast<double>(*next) - rule.subtracted[f];
      // A field that is missing stays so.
      if (std::isnan(x)) continue;
      *next = rule.divided_by[f] == 0.0 ? 0.0F : finite(x / rule.divided_by[f]);
    }
  }
}

void apply_sparse(const FeatureTransform& rule, Dataset& data) {
  for (std::size_t i = 0; i < data.values.size(); ++i) {
    const double divisor = rule.divided_by[data.columns[i]];
    data.values[i] = finite(static_cast<double>(data.values[i]) / divisor);
  }
}

void scale_to_length_one(std::span<float> row) {
  double squares = 0.0;
  for (const float value : row) squares += static_cast<double>(value) * static_cast<double>(value);
  if (squares == 0.0) return;
  const double length = std::sqrt(squares);
  for (float& value : row) value = static_cast<float>(static_cast<double>(value) / length);
}

void scale_rows(Dataset& data) {
  for (std::size_t row = 0; row < data.rows; ++row) {
    if (data.sparse) {
      const std::uint64_t begin = data.row_begin[row];
      scale_to_length_one({data.values.data() + begin, data.row_begin[row + 1] - begin});
    } else {
      scale_to_length_one({data.dense.data() + row * data.features, data.features});
    }
  }
}

void append_to_dense(Dataset& data) {
  AlignedBuffer<float> wider(data.rows * (data.features + 1));
  float* to = wider.data();
  for (std::size_t row = 0; row < data.rows; ++row) {
    const auto from = data.dense_row(row);
    to = std::copy(from.begin(), from.end(), to);
    *to++ = 1.0F;
  }
  data.dense = std::move(wider);
}

void append_to_sparse(Dataset& data) {
  AlignedBuffer<std::uint32_t> columns(data.columns.size() + data.rows);
  AlignedBuffer<float> values(data.values.size() + data.rows);
  std::size_t to = 0;
  for (std::size_t row = 0; row < data.rows; ++row) {
    const Dataset::SparseRow from = data.sparse_row(row);
    std::ranges::copy(from.columns, columns.data() + to);
    std::ranges::copy(from.values, values.data() + to);
    to += from.columns.size();
    columns[to] = static_cast<std::uint32_t>(data.features);
    values[to++] = 1.0F;
  }
  for (std::size_t row = 0; row <= data.rows; ++row) data.row_begin[row] += row;
  data.columns = std::move(columns);
  data.values = std::move(values);
}

/// Whether a feature is 0 or 1 everywhere: a category, whose deviation says how rare it is.
std::vector<bool> indicators_in(const Dataset& data) {
  std::vector<bool> indicator(data.features, true);
  for_each_value(data, [&](std::size_t feature, float value) {
    if (value != 0.0F && value != 1.0F) indicator[feature] = false;
  });
  return indicator;
}

std::string column_text(std::size_t feature, double sd, const std::vector<std::string>& names) {
  return names.empty() ? fmt::format("feature {}: {:.1g}", feature, sd)
                       : fmt::format("{} {:.1g}", echoed(names[feature]), sd);
}

}  // namespace

FeatureScaling parse_scaling(std::string_view text, std::string_view what) {
  return static_cast<FeatureScaling>(chosen(text, what, scaling_names));
}

std::string scaling_text(FeatureScaling scaling) {
  return scaling_names[static_cast<std::size_t>(scaling)];
}

FeatureTransform scale_features(FeatureScaling scaling, Dataset& train,
                                std::initializer_list<Dataset*> others,
                                const FeatureOrigins& origins) {
  if (scaling == FeatureScaling::none) return {};
  if (scaling == FeatureScaling::unit_rows) {
    apply_scaling(scaling, {}, train);
    for (Dataset* const other : others) apply_scaling(scaling, {}, *other);
    return {};
  }
  for (const Dataset* const other : others) {
    if (other->rows == 0) continue;
    require(other->features == train.features, "a test set of other features");
    if (other->sparse == train.sparse) continue;
    throw OptionError("scale", scaling_text(scaling),
                      "one of the training, validation and test files is sparse (LIBSVM) and "
                      "another is not; expected all alike");
  }
  FeatureTransform rule = rule_of(scaling, train, origins.left_alone);
  apply_scaling(scaling, rule, train);
  for (Dataset* const other : others) apply_scaling(scaling, rule, *other);
  for (std::size_t f = 0; f < origins.subtracted.size(); ++f) {
    rule.subtracted[f] += origins.subtracted[f];
  }
  return rule;
}

void apply_scaling(FeatureScaling scaling, const FeatureTransform& transform, Dataset& rows) {
  if (scaling == FeatureScaling::unit_rows) scale_rows(rows);
  if (transform.empty()) return;
  if (rows.sparse) {
    apply_sparse(transform, rows);
  } else {
    apply_dense(transform, rows);
  }
}

std::vector<double> features_to_shift(FeatureScaling scaling, const Dataset& train) {
  constexpr double too_large = 1024.0;
  const bool subtracts = scaling == FeatureScaling::standard || scaling == FeatureScaling::minmax;
  if (!subtracts || train.sparse || train.rows == 0) return {};
  const Ranges ranges = ranges_of(train);
  std::vector<double> shifts(train.features, 0.0);
  bool any = false;
  for (std::size_t f = 0; f < train.features; ++f) {
    // Below 0 where there is no value at all.
    const double range = std::max(0.0, ranges.highest[f] - ranges.lowest[f]);
    if (!(ranges.largest[f] > too_large * range)) continue;
    shifts[f] = ranges.lowest[f];
    any = true;
  }
  return any ? shifts : std::vector<double>{};
}

void append_intercept(Dataset& data) {
  require(!data.intercept, "an intercept has been appended already");
  if (data.sparse) {
    append_to_sparse(data);
  } else {
    append_to_dense(data);
  }
  ++data.features;
  data.intercept = true;
}

namespace {

/// Alike among themselves, but a step size for numbers about 1 is too large for all of them.
std::optional<std::string> far_from_zero(const Dataset& data, const std::vector<double>& sd,
                                         const std::vector<std::string>& names) {
  constexpr double too_large = 1000.0;
  const std::vector<double> mean = moments_of(data).mean;
  for (std::size_t f = 0; f < sd.size(); ++f) {
    const double size = std::hypot(mean[f], sd[f]);
    if (sd[f] == 0.0 || size <= too_large) continue;
    return fmt::format(
        "warning: values of a column are large ({}); --scale standard brings them to 1",
        column_text(f, size, names));
  }
  return {};
}

}  // namespace

std::optional<std::string> scale_warning(const Dataset& data,
                                         const std::vector<std::string>& names) {
  constexpr double too_different = 1000.0;
  if (data.sparse || data.rows == 0) return {};
  std::vector<double> sd = moments_of(data).sd;
  const std::vector<bool> indicator = indicators_in(data);
  for (std::size_t f = 0; f < sd.size(); ++f) {
    if (indicator[f]) sd[f] = 0.0;
  }
  std::size_t largest = 0;
  std::optional<std::size_t> smallest;
  for (std::size_t f = 0; f < sd.size(); ++f) {
    if (sd[f] > sd[largest]) largest = f;
    if (sd[f] > 0.0 && (!smallest || sd[f] < sd[*smallest])) smallest = f;
  }
  if (!smallest) return {};
  if (sd[largest] <= too_different * sd[*smallest]) return far_from_zero(data, sd, names);
  return fmt::format(
      "warning: columns differ in scale by a factor of {:.1g} ({}, {}); --scale standard makes "
      "them alike",
      sd[largest] / sd[*smallest], column_text(largest, sd[largest], names),
      column_text(*smallest, sd[*smallest], names));
}

}  // namespace trainyard
