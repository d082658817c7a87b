#include "data/dataset_builder.hpp"

#include <utility>

#include <fmt/format.h>

#include "trainyard/base/error.hpp"

namespace trainyard {

DatasetBuilder::DatasetBuilder(std::string name, const ReadOptions& options)
    : name_(std::move(name)), options_(&options) {}

void DatasetBuilder::append(const ParsedBlock& block) {
  if (block.fault) {
    throw DataError(fmt::format("{}:{}:{}: {}", name_, lines_ + block.fault->place.line,
                                block.fault->place.column, block.fault->message));
  }
  census_.merge(block.census, lines_);
  labels_.append(block.labels);
  row_sizes_.append(block.row_sizes);
  columns_.append(block.columns);
  values_.append(block.values);
  if (block.largest_column > largest_column_) {
    largest_column_ = block.largest_column;
    largest_column_line_ = lines_ + block.largest_column_line;
  }
  lines_ += block.lines;
}

void DatasetBuilder::append_label(std::int32_t label) {
  census_.add(label, {labels_.size() + 1, 0});
  labels_.append({&label, 1});
}

CodedDataset DatasetBuilder::finish_labels() {
  if (labels_.size() == 0) {
    throw DataError(fmt::format("{}: found no rows; expected at least one", name_));
  }
  const LabelCensus::Coding coding = census_.decide(name_, *options_);
  CodedDataset result;
  result.coding = coding.coding;
  result.data.rows = labels_.size();
  result.data.classes = coding.classes;
  result.data.labels = labels_.take();
  for (Label& label : result.data.labels) label = LabelCensus::class_of(label, coding.coding);
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
