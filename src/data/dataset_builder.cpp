#include "data/dataset_builder.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "trainyard/base/error.hpp"

namespace trainyard {

DatasetBuilder::DatasetBuilder(std::string name, const ReadOptions& options,
                               std::size_t lines_before)
    : name_(std::move(name)), options_(&options), lines_(lines_before) {}

void DatasetBuilder::append(const ParsedBlock& block) {
  faults_.merge(block.faults, lines_);
  has_index_zero_ = has_index_zero_ || block.has_index_zero;
  if (has_faults()) {
    lines_ += block.lines;
    return;
  }
  census_.merge(block.census, lines_);
  append_weights(block.weights, block.labels.size() + block.targets.size());
  append_groups(block.groups);
  labels_.append(block.labels);
  targets_.append(block.targets);
  row_sizes_.append(block.row_sizes);
  columns_.append(block.columns);
  values_.append(block.values);
  if (block.largest_column > largest_column_) {
    largest_column_ = block.largest_column;
    largest_column_line_ = lines_ + block.largest_column_line;
  }
  rows_without_label_ += block.rows_without_label;
  rows_maybe_unlabelled_ += block.rows_maybe_unlabelled;
  rows_left_out_ += block.rows_left_out;
  missing_fields_ += block.missing_fields;
  unknown_words_ += block.unknown_words;
  recoded_words_ += block.recoded_words;
  lines_ += block.lines;
}

/// Those of the next `rows` rows, before their labels are appended. Rows that have none weigh 1.
void DatasetBuilder::append_weights(std::span<const float> weights, std::size_t rows) {
  if (weights.empty() && weights_.size() == 0) return;
  const std::vector<float> ones(std::max(rows_so_far() - weights_.size(), rows), 1.0F);
  weights_.append(std::span(ones).first(rows_so_far() - weights_.size()));
  weights_.append(weights);
  weights_.append(std::span(ones).first(rows - weights.size()));
}

/// A block has numbers of its own.
void DatasetBuilder::append_groups(const RowGroups& groups) {
  if (groups.of_rows.empty()) return;
  std::vector<std::uint32_t> of_value;
  for (const std::string& value : groups.numbers.values()) {
    of_value.push_back(group_numbers_.of(value));
  }
  std::vector<std::uint32_t> of_rows;
  of_rows.reserve(groups.of_rows.size());
  for (const std::uint32_t number : groups.of_rows) of_rows.push_back(of_value[number]);
  groups_.append(of_rows);
}

void DatasetBuilder::check_faults() const {
  if (has_faults()) faults_.raise(name_);
}

void DatasetBuilder::append_label(std::int32_t label) {
  census_.add(label, {labels_.size() + 1, 0});
  labels_.append({&label, 1});
}

void DatasetBuilder::append_no_labels(std::size_t rows) {
  rows_without_label_ += rows;
  for (std::size_t row = 0; row < rows; ++row) {
    if (options_->real_labels) {
      append_target(0.0F);
    } else {
      labels_.append(std::array<std::int32_t, 1>{0});
    }
  }
}

/// The labels of rows that have none say nothing, but have to be there.
CodedDataset DatasetBuilder::without_labels(std::size_t rows) const {
  if (rows_without_label_ != rows) {
    throw DataError(
        fmt::format("{}: {} of {} rows have no label; expected one in each row, or in none "
                    "(--no-labels passes them over)",
                    name_, rows_without_label_, rows));
  }
  CodedDataset result;
  result.labelled = false;
  result.coding = options_->coding;
  result.class_values = options_->class_values;
  result.data.rows = rows;
  result.data.classes = options_->real_labels ? 1 : std::max(options_->classes, 2);
  result.data.labels = AlignedBuffer<Label>::zeroed(rows);
  if (options_->real_labels) result.data.targets = AlignedBuffer<float>::zeroed(rows);
  return result;
}

CodedDataset DatasetBuilder::finish_labels() {
  CodedDataset result = finish_coded_labels();
  result.data.weights = weights_.take();
  result.data.groups = groups_.take();
  return result;
}

CodedDataset DatasetBuilder::finish_coded_labels() {
  check_faults();
  const std::size_t rows = options_->real_labels ? targets_.size() : labels_.size();
  if (rows == 0) {
    const std::string why =
        rows_left_out_ == 0 ? "" : fmt::format(" ({} had missing fields)", rows_left_out_);
    throw DataError(fmt::format("{}: found no rows{}; expected at least one", name_, why));
  }
  if (rows_without_label_ > 0) return without_labels(rows);
  if (options_->real_labels) {
    CodedDataset result;
    result.data.rows = rows;
    result.data.classes = 1;
    result.data.labels = AlignedBuffer<Label>::zeroed(rows);
    result.data.targets = targets_.take();
    return result;
  }
  const LabelCensus::Coding coding = census_.decide(name_, *options_);
  CodedDataset result;
  result.coding = coding.coding;
  result.class_values = coding.values;
  result.data.rows = rows;
  result.data.classes = coding.classes;
  result.data.labels = labels_.take();
  for (Label& label : result.data.labels) label = coding.class_of(label);
  return result;
}

void DatasetBuilder::finish_rows(Dataset& data) {
  const AlignedBuffer<std::uint32_t> sizes = row_sizes_.take();
  data.row_begin = AlignedBuffer<std::uint64_t>(data.rows + 1);
  data.row_begin[0] = 0;
  for (std::size_t row = 0; row < data.rows; ++row) {
    data.row_begin[row + 1] = data.row_begin[row] + sizes[row];
  }
}

CodedDataset DatasetBuilder::finish_sparse() {
  CodedDataset result = finish_labels();
  Dataset& data = result.data;
  data.sparse = true;
  data.features = options_->features != 0 ? options_->features : largest_column_;
  result.largest_feature_line = largest_column_line_;
  if (data.features == 0) {
    throw DataError(
        fmt::format("{}: found rows without any feature; expected INDEX:VALUE in at least one of "
                    "them",
                    name_));
  }
  finish_rows(data);
  data.columns = columns_.take();
  data.values = values_.take();
  return result;
}

CodedDataset DatasetBuilder::finish_dense(std::size_t features) {
  CodedDataset result = finish_labels();
  result.data.features = features;
  result.data.dense = values_.take();
  return result;
}

}  // namespace trainyard
