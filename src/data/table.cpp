#include "trainyard/data/table.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "trainyard/base/echoed.hpp"
#include "trainyard/base/error.hpp"

#include "data/table_layout.hpp"

namespace trainyard {

namespace {

/// Of each feature over the rows whose column has a value.
struct ColumnSums {
  std::vector<double> sums;       // [features]
  std::vector<std::size_t> rows;  // [columns] that have a value
};

/// The values of a row that belong to `column`.
float* values_of(const TableColumn& column, Dataset& data, std::size_t row) {
  return data.dense.data() + row * data.features + column.first;
}

/// Row by row, as the memory lies.
ColumnSums dense_sums(const TableSchema& schema, Dataset& train) {
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

/// For each feature the column that it belongs to; that of hashed words is none's.
std::vector<std::size_t> owners_of(const TableSchema& schema) {
  std::vector<std::size_t> owners(schema.features, schema.columns.size());
  for (std::size_t c = 0; c < schema.columns.size(); ++c) {
    const TableColumn& column = schema.columns[c];
    std::fill_n(owners.begin() + static_cast<std::ptrdiff_t>(column.first), column.features(), c);
  }
  return owners;
}

/// A missing field of a sparse row is NaN at the first feature of its column, of which the row has
/// no other.
ColumnSums sparse_sums(const TableSchema& schema, const Dataset& train) {
  const std::vector<std::size_t> owners = owners_of(schema);
  ColumnSums all{std::vector<double>(schema.features, 0.0),
                 std::vector<std::size_t>(schema.columns.size() + 1, train.rows)};
  for (std::size_t i = 0; i < train.values.size(); ++i) {
    const std::uint32_t feature = train.columns[i];
    if (std::isnan(train.values[i])) {
      --all.rows[owners[feature]];
    } else {
      all.sums[feature] += static_cast<double>(train.values[i]);
    }
  }
  return all;
}

/// What replaces a missing field of each column, for each feature.
std::vector<double> filling_of(const TableSchema& schema, ColumnSums of) {
  for (std::size_t c = 0; c < schema.columns.size(); ++c) {
    const TableColumn& column = schema.columns[c];
    if (column.kind == ColumnKind::hashed) continue;
    if (of.rows[c] == 0) {
      throw DataError(
          fmt::format("column {} has no value in any training row, and so no mean; leave it out "
                      "with --drop-columns {}",
                      echoed(column.name), pasted_column(column.name)));
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
  std::fill_n(of.sums.end() - static_cast<std::ptrdiff_t>(schema.hashed), schema.hashed, 0.0);
  return of.sums;
}

void fill_dense(std::span<const double> filling, const TableSchema& schema, Dataset& data) {
  for (std::size_t row = 0; row < data.rows; ++row) {
    for (const TableColumn& column : schema.columns) {
      if (column.kind == ColumnKind::hashed) continue;
      float* const values = values_of(column, data, row);
      if (!std::isnan(*values)) continue;
      for (std::size_t f = 0; f < column.features(); ++f) {
        values[f] = static_cast<float>(filling[column.first + f]);
      }
    }
  }
}

/// A sparse row holds one feature of a column: that of the most frequent word, or the number.
void fill_sparse(std::span<const double> filling, const TableSchema& schema, Dataset& data) {
  const std::vector<std::size_t> owners = owners_of(schema);
  for (std::size_t i = 0; i < data.values.size(); ++i) {
    if (!std::isnan(data.values[i])) continue;
    const TableColumn& column = schema.columns[owners[data.columns[i]]];
    const auto of_column = filling.subspan(column.first, column.features());
    const auto place = column.kind == ColumnKind::words
                           ? std::ranges::max_element(of_column) - of_column.begin()
                           : 0;
    data.columns[i] = static_cast<std::uint32_t>(column.first + static_cast<std::size_t>(place));
    data.values[i] = static_cast<float>(of_column[static_cast<std::size_t>(place)]);
  }
}

}  // namespace

std::vector<std::string> TableSchema::feature_names() const {
  const bool words = std::ranges::any_of(columns, [](const TableColumn& column) {
    return column.kind == ColumnKind::words || column.kind == ColumnKind::hashed;
  });
  std::vector<std::string> names;
  if (!has_names && !words) return names;
  for (const TableColumn& column : columns) {
    if (column.kind == ColumnKind::numbers || column.kind == ColumnKind::dates) {
      names.push_back(column.name);
    }
    for (const std::string& category : column.categories) {
      names.push_back(fmt::format("{}={}", column.name, category));
    }
  }
  for (std::size_t f = 0; f < hashed; ++f) names.push_back(fmt::format("hash={}", f));
  return names;
}

std::vector<double> fill_missing(const TableSchema& schema, Dataset& train,
                                 std::initializer_list<Dataset*> others) {
  require(train.features == schema.features, "a table's schema of other features");
  for (const Dataset* const other : others) {
    require(other->rows == 0 || other->features == train.features, "a test set of other features");
  }
  std::vector<double> filling =
      filling_of(schema, train.sparse ? sparse_sums(schema, train) : dense_sums(schema, train));
  fill_missing_with(filling, schema, train);
  for (Dataset* const other : others) fill_missing_with(filling, schema, *other);
  return filling;
}

void fill_missing_with(std::span<const double> filling, const TableSchema& schema, Dataset& data) {
  if (data.sparse) {
    fill_sparse(filling, schema, data);
  } else {
    fill_dense(filling, schema, data);
  }
}

}  // namespace trainyard
