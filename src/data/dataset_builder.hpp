// Collects rows until the file ends, and then makes them a data set.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "trainyard/data/read.hpp"

#include "data/growing_array.hpp"
#include "data/parsed_block.hpp"

namespace trainyard {

class DatasetBuilder {
 public:
  /// `options` is kept by reference.
  DatasetBuilder(std::string name, const ReadOptions& options);

  /// The blocks of a text file, in order. Throws DataError when the block has a fault.
  void append(const ParsedBlock& block);

  /// Rows of an IDX file.
  void append_values(std::span<const float> values) { values_.append(values); }
  void append_label(std::int32_t label);

  /// Leaves the builder empty. Throws DataError when there is no row, or a label that was not
  /// expected.
  CodedDataset finish_sparse();
  CodedDataset finish_dense(std::size_t features);

 private:
  CodedDataset finish_labels();
  void finish_rows(Dataset& data);

  std::string name_;
  const ReadOptions* options_;
  std::size_t lines_ = 0;
  std::uint32_t largest_column_ = 0;
  std::size_t largest_column_line_ = 0;
  LabelCensus census_;
  GrowingArray<std::int32_t> labels_;  // as written
  GrowingArray<std::uint32_t> row_sizes_;
  GrowingArray<std::uint32_t> columns_;
  GrowingArray<float> values_;
};

}  // namespace trainyard
