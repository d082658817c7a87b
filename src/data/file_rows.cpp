#include "data/file_rows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>

#include <fmt/format.h>

#include "trainyard/base/counted.hpp"
#include "trainyard/base/error.hpp"

#include "data/dataset_builder.hpp"
#include "data/label_census.hpp"

namespace trainyard {

namespace {

[[noreturn]] void refuse_rows(const std::string& name, const std::string& what) {
  throw DataError(fmt::format("{}: {}", name, what));
}

void check_length(const std::string& name, std::string_view what, std::size_t found,
                  std::size_t rows) {
  if (found == rows) return;
  refuse_rows(name, fmt::format("its reader returned {} {}; expected {}, one for each row", found,
                                what, rows));
}

std::size_t rows_of(const std::string& name, const FileRows& rows) {
  if (rows.features == 0) refuse_rows(name, "its reader returned rows without features");
  if (rows.features > std::numeric_limits<std::int32_t>::max()) {
    refuse_rows(name, fmt::format("its reader returned {} features; at most 2^31 - 1 are accepted",
                                  rows.features));
  }
  if (!rows.row_begin.empty()) {
    if (!rows.dense.empty()) refuse_rows(name, "its reader returned both dense and sparse rows");
    return rows.row_begin.size() - 1;
  }
  if (rows.dense.size() % rows.features != 0) {
    refuse_rows(name, fmt::format("its reader returned {} of rows of {}; expected whole rows",
                                  counted(rows.dense.size(), "value"), rows.features));
  }
  return rows.dense.size() / rows.features;
}

void check_finite(const std::string& name, std::span<const float> values) {
  const auto found = std::ranges::find_if_not(values, [](float v) { return std::isfinite(v); });
  if (found == values.end()) return;
  refuse_rows(name, fmt::format("its reader returned {} as value {}; expected finite numbers",
                                *found, found - values.begin() + 1));
}

void check_sparse(const std::string& name, const FileRows& rows) {
  check_length(name, "columns", rows.columns.size(), rows.values.size());
  if (rows.row_begin.front() != 0 || rows.row_begin.back() != rows.values.size() ||
      !std::ranges::is_sorted(rows.row_begin)) {
    refuse_rows(name, "its reader returned rows that do not lie one behind the other");
  }
  for (std::size_t row = 0; row + 1 < rows.row_begin.size(); ++row) {
    for (std::uint64_t i = rows.row_begin[row]; i < rows.row_begin[row + 1]; ++i) {
      const bool increases = i == rows.row_begin[row] || rows.columns[i - 1] < rows.columns[i];
      if (increases && rows.columns[i] < rows.features) continue;
      refuse_rows(name,
                  fmt::format("its reader returned column {} in row {}; expected increasing ones "
                              "below {}",
                              rows.columns[i], row + 1, rows.features));
    }
  }
}

void check_weights(const std::string& name, const FileRows& rows, std::size_t count) {
  if (rows.weights.empty()) return;
  check_length(name, "weights", rows.weights.size(), count);
  for (const float weight : rows.weights) {
    if (std::isfinite(weight) && weight >= 0.0F) continue;
    refuse_rows(name, fmt::format("its reader returned the weight {}; expected 0 or more", weight));
  }
}

void append_labels(const std::string& name, const FileRows& rows, std::size_t count,
                   const ReadOptions& options, DatasetBuilder& builder) {
  if (options.labels == LabelUse::none || (rows.labels.empty() && count > 0)) {
    if (options.labels == LabelUse::required) refuse_rows(name, "its reader returned no labels");
    builder.append_no_labels(count);
    return;
  }
  check_length(name, "labels", rows.labels.size(), count);
  for (std::size_t row = 0; row < count; ++row) {
    const double label = rows.labels[row];
    if (options.real_labels && std::isfinite(label)) {
      builder.append_target(static_cast<float>(label));
    } else if (std::abs(label) <= double{largest_label} && label == std::floor(label)) {
      builder.append_label(static_cast<std::int32_t>(label));
    } else {
      refuse_rows(name,
                  fmt::format("row {}: found the label {}; expected {}", row + 1, label,
                              options.real_labels
                                  ? std::string("a finite number")
                                  : fmt::format("a whole number from {} to {}; {}", -largest_label,
                                                largest_label, real_labels_hint)));
    }
  }
}

/// A test file may have features that its training file never saw.
void fill_sparse(const std::string& name, const FileRows& rows, const ReadOptions& options,
                 Dataset& data) {
  const std::size_t known = options.features == 0 ? rows.features : options.features;
  if (!options.drop_unknown_features && rows.features > known) {
    refuse_rows(name, fmt::format("found {}; expected at most {}",
                                  counted(rows.features, "feature"), known));
  }
  const auto kept = [&](std::uint32_t column) { return column < known; };
  const auto count = static_cast<std::size_t>(std::ranges::count_if(rows.columns, kept));
  data.sparse = true;
  data.features = known;
  data.row_begin = AlignedBuffer<std::uint64_t>(data.rows + 1);
  data.columns = AlignedBuffer<std::uint32_t>(count);
  data.values = AlignedBuffer<float>(count);
  std::size_t next = 0;
  for (std::size_t row = 0; row < data.rows; ++row) {
    data.row_begin[row] = next;
    for (std::uint64_t i = rows.row_begin[row]; i < rows.row_begin[row + 1]; ++i) {
      if (!kept(rows.columns[i])) continue;
      data.columns[next] = rows.columns[i];
      data.values[next++] = rows.values[i] * options.scale;
    }
  }
  data.row_begin[data.rows] = next;
}

void fill_dense(const std::string& name, const FileRows& rows, const ReadOptions& options,
                Dataset& data) {
  if (options.features != 0 && options.features != rows.features) {
    refuse_rows(name, fmt::format("found {}; expected {}", counted(rows.features, "feature"),
                                  options.features));
  }
  data.features = rows.features;
  data.dense = AlignedBuffer<float>(rows.dense.size());
  for (std::size_t i = 0; i < rows.dense.size(); ++i) {
    double value = rows.dense[i];
    if (!options.subtracted.empty()) value -= options.subtracted[i % rows.features];
    data.dense[i] = static_cast<float>(value) * options.scale;
  }
}

}  // namespace

CodedDataset coded_rows(const std::string& name, const FileRows& rows, const ReadOptions& options) {
  const std::size_t count = rows_of(name, rows);
  const bool sparse = !rows.row_begin.empty();
  if (sparse) check_sparse(name, rows);
  check_finite(name, sparse ? rows.values : rows.dense);
  check_weights(name, rows, count);
  DatasetBuilder builder(name, options);
  append_labels(name, rows, count, options, builder);
  CodedDataset coded = builder.finish_dense(rows.features);
  if (!rows.weights.empty()) {
    coded.data.weights = AlignedBuffer<float>::copy_of(std::span(rows.weights));
  }
  if (sparse) {
    fill_sparse(name, rows, options, coded.data);
  } else {
    fill_dense(name, rows, options, coded.data);
  }
  return coded;
}

}  // namespace trainyard
