#include "trainyard/data/table.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "trainyard/base/echoed.hpp"
#include "trainyard/base/error.hpp"

namespace trainyard {

namespace {

const std::array<std::string, 3> header_names{"auto", "yes", "no"};
const std::array<std::string, 3> missing_names{"error", "mean", "drop"};

/// The values of a row that belong to `column`.
float* values_of(const TableColumn& column, Dataset& data, std::size_t row) {
  return data.dense.data() + row * data.features + column.first;
}

/// Of each feature over the rows whose column has a value. Row by row, as the memory lies.
struct ColumnSums {
  std::vector<double> sums;       // [features]
  std::vector<std::size_t> rows;  // [columns] that have a value
};

ColumnSums sums_of(const TableSchema& schema, Dataset& train) {
  ColumnSums all{std::vector<double>(schema.features, 0.0),
                 std::vector<std::size_t>(schema.columns.size(), 0)};
  for (std::size_t row = 0; row < train.rows; ++row) {
    for (std::size_t c = 0; c < schema.columns.size(); ++c) {
      const TableColumn& column = schema.columns[c];
      const float* const values = values_of(column, train, row);
      if (std::isnan(*values)) continue;
      ++all.rows[c];
      for (std::size_t f = 0; f < column.features(); ++f) {
        all.sums[column.first + f] += static_cast<double>(values[f]);
      }
    }
  }
  return all;
}

/// The values that replace a missing field of each column, one for each feature.
std::vector<double> filling_of(const TableSchema& schema, Dataset& train) {
  ColumnSums of = sums_of(schema, train);
  for (std::size_t c = 0; c < schema.columns.size(); ++c) {
    const TableColumn& column = schema.columns[c];
    if (of.rows[c] == 0) {
      throw DataError(
          fmt::format("column {} has no value in any training row, and so no mean; leave it out "
                      "with --drop-columns {}",
                      echoed(column.name), column.name));
    }
    const auto first = of.sums.begin() + static_cast<std::ptrdiff_t>(column.first);
    if (column.categories.empty()) {
      *first /= static_cast<double>(of.rows[c]);
      continue;
    }
    const auto end = first + static_cast<std::ptrdiff_t>(column.features());
    const auto most_frequent = std::max_element(first, end);
    for (auto sum = first; sum != end; ++sum) *sum = sum == most_frequent ? 1.0 : 0.0;
  }
  return of.sums;
}

}  // namespace

HeaderLine parse_header_line(std::string_view text, std::string_view what) {
  return static_cast<HeaderLine>(chosen(text, what, header_names));
}

std::string header_line_text(HeaderLine header) {
  return header_names[static_cast<std::size_t>(header)];
}

MissingFields parse_missing_fields(std::string_view text, std::string_view what) {
  return static_cast<MissingFields>(chosen(text, what, missing_names));
}

std::string missing_fields_text(MissingFields missing) {
  return missing_names[static_cast<std::size_t>(missing)];
}

std::vector<std::string> TableSchema::feature_names() const {
  const bool words = std::ranges::any_of(
      columns, [](const TableColumn& column) { return !column.categories.empty(); });
  std::vector<std::string> names;
  if (!has_names && !words) return names;
  for (const TableColumn& column : columns) {
    if (column.categories.empty()) names.push_back(column.name);
    for (const std::string& category : column.categories) {
      names.push_back(fmt::format("{}={}", column.name, category));
    }
  }
  return names;
}

std::vector<double> fill_missing(const TableSchema& schema, Dataset& train, Dataset& test) {
  require(train.features == schema.features, "a table's schema of other features");
  require(test.rows == 0 || test.features == train.features, "a test set of other features");
  std::vector<double> filling = filling_of(schema, train);
  fill_missing_with(filling, schema, train);
  fill_missing_with(filling, schema, test);
  return filling;
}

void fill_missing_with(std::span<const double> filling, const TableSchema& schema, Dataset& data) {
  for (std::size_t row = 0; row < data.rows; ++row) {
    for (const TableColumn& column : schema.columns) {
      float* const values = values_of(column, data, row);
      if (!std::isnan(*values)) continue;
      for (std::size_t f = 0; f < column.features(); ++f) {
        values[f] = static_cast<float>(filling[column.first + f]);
      }
    }
  }
}

}  // namespace trainyard
