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
  /// `options` is kept by reference. A text begins after `lines_before` lines of its file.
  DatasetBuilder(std::string name, const ReadOptions& options, std::size_t lines_before = 0);

  /// The blocks of a text file, in order. From the first fault on only faults are kept.
  void append(const ParsedBlock& block);

  /// Throws DataError when there was a fault (FaultList::raise()).
  void check_faults() const;
  bool has_faults() const { return !faults_.empty(); }
  /// ParsedBlock::has_index_zero of some block.
  bool has_index_zero() const { return has_index_zero_; }

  /// Rows of a binary file.
  void append_values(std::span<const float> values) { values_.append(values); }
  void append_label(std::int32_t label);
  void append_target(float target) { targets_.append({&target, 1}); }
  /// So many rows have none.
  void append_no_labels(std::size_t rows);

  /// Sums over the blocks (parsed_block.hpp).
  std::size_t rows_maybe_unlabelled() const { return rows_maybe_unlabelled_; }
  std::size_t rows_left_out() const { return rows_left_out_; }
  std::size_t missing_fields() const { return missing_fields_; }
  std::size_t unknown_words() const { return unknown_words_; }
  std::size_t recoded_words() const { return recoded_words_; }

  /// Leaves the builder empty. Throws DataError when there is no row, or a label that was not
  /// expected.
  CodedDataset finish_sparse();
  CodedDataset finish_dense(std::size_t features);

 private:
  CodedDataset finish_labels();
  CodedDataset finish_coded_labels();
  CodedDataset without_labels(std::size_t rows) const;
  void finish_rows(Dataset& data);
  std::size_t rows_so_far() const { return labels_.size() + targets_.size(); }
  void append_weights(std::span<const float> weights, std::size_t rows);
  void append_groups(const RowGroups& groups);

  std::string name_;
  const ReadOptions* options_;
  std::size_t lines_;
  std::size_t rows_without_label_ = 0, rows_maybe_unlabelled_ = 0;
  std::size_t rows_left_out_ = 0, missing_fields_ = 0, unknown_words_ = 0;
  std::size_t recoded_words_ = 0;
  std::uint32_t largest_column_ = 0;
  std::size_t largest_column_line_ = 0;
  bool has_index_zero_ = false;
  FaultList faults_;
  LabelCensus census_;
  GrowingArray<std::int32_t> labels_;   // as written
  GrowingArray<float> targets_;         // instead of them, where they are real numbers
  GrowingArray<float> weights_;         // of rows so far, or of none
  GrowingArray<std::uint32_t> groups_;  // of all rows, or of none
  ValueNumbers group_numbers_;
  GrowingArray<std::uint32_t> row_sizes_;
  GrowingArray<std::uint32_t> columns_;
  GrowingArray<float> values_;
};

}  // namespace trainyard
