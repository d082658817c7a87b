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

/// Adds to `counts` how many fields of each column are missing. Row by row, as the memory lies.
void count_missing(const TableSchema& schema, Dataset& data, std::vector<std::size_t>& counts) {
  for (std::size_t row = 0; row < data.rows; ++row) {
    for (std::size_t c = 0; c < counts.size(); ++c) {
      if (std::isnan(*values_of(schema.columns[c], data, row))) ++counts[c];
    }
  }
}

/// The values that replace a missing field of the column, one for each feature.
std::vector<float> filling_of(const TableColumn& column, Dataset& train) {
  std::vector<double> sums(column.features(), 0.0);
  std::size_t rows = 0;
  for (std::size_t row = 0; row < train.rows; ++row) {
    const float* const values = values_of(column, train, row);
    if (std::isnan(*values)) continue;
    ++rows;
    for (std::size_t f = 0; f < sums.size(); ++f) sums[f] += static_cast<double>(values[f]);
  }
  if (rows == 0) {
    throw DataError(
        fmt::format("column {} has no value in any training row, and so no mean; leave it out with "
                    "--drop-columns {}",
                    echoed(column.name), column.name));
  }
  if (column.categories.empty()) {
    return {static_cast<float>(sums.front() / static_cast<double>(rows))};
  }
  std::vector<float> filling(column.features(), 0.0F);
  filling[static_cast<std::size_t>(std::ranges::max_element(sums) - sums.begin())] = 1.0F;
  return filling;
}

void fill_with(const std::vector<float>& filling, const TableColumn& column, Dataset& data) {
  for (std::size_t row = 0; row < data.rows; ++row) {
    float* const values = values_of(column, data, row);
    if (std::isnan(*values)) std::ranges::copy(filling, values);
  }
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

void fill_missing(const TableSchema& schema, Dataset& train, Dataset& test) {
  require(train.features == schema.features, "a table's schema of other features");
  require(test.rows == 0 || test.features == train.features, "a test set of other features");
  std::vector<std::size_t> missing(schema.columns.size(), 0);
  count_missing(schema, train, missing);
  count_missing(schema, test, missing);
  for (std::size_t c = 0; c < missing.size(); ++c) {
    if (missing[c] == 0) continue;
    const std::vector<float> filling = filling_of(schema.columns[c], train);
    fill_with(filling, schema.columns[c], train);
    fill_with(filling, schema.columns[c], test);
  }
}

}  // namespace trainyard
