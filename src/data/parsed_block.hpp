// The rows of one block of text. Lines are counted from the beginning of the block: where in the
// file it begins is known only once all blocks before it have been read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "trainyard/base/unfilled.hpp"

#include "data/digit_map.hpp"
#include "data/fault_list.hpp"
#include "data/label_census.hpp"
#include "data/parse_number.hpp"
#include "data/row_groups.hpp"

namespace trainyard {

struct ParsedBlock {
  std::vector<std::int32_t> labels;  // as written
  std::vector<float> targets;        // instead of labels, where they are real numbers
  std::vector<float> weights;        // of the rows up to the last one that has a weight; else empty
  RowGroups groups;                  // tables: of a column that divides rows
  LabelCensus census;
  std::vector<std::uint32_t> row_sizes;   // sparse: nonzeros of each row
  UnfilledVector<std::uint32_t> columns;  // sparse
  UnfilledVector<float> values;
  std::uint32_t largest_column = 0;     // sparse: 1 + the largest column, 0 when there is none
  std::size_t largest_column_line = 0;  // the first that has it
  bool has_index_zero = false;          // sparse: where they count from 1
  std::size_t lines = 0;
  std::size_t rows_without_label = 0;     // whose label is 0 then
  std::size_t rows_maybe_unlabelled = 0;  // LIBSVM: whose label:weight could be INDEX:VALUE
  std::size_t rows_left_out = 0;          // tables: for their missing fields
  std::size_t missing_fields = 0;         // tables: those to be filled
  std::size_t unknown_words = 0;          // tables: categories that the training file does not have
  std::size_t recoded_words = 0;          // of these: it has them in another encoding
  FaultList faults;                       // rows that have one are not whole
  DigitMap digits;                        // of the text, for its parser

  /// Empty again, its memory kept for the next block.
  void clear() {
    labels.clear();
    targets.clear();
    weights.clear();
    groups.clear();
    census.clear();
    row_sizes.clear();
    columns.clear();
    values.clear();
    largest_column = 0;
    largest_column_line = 0;
    has_index_zero = false;
    lines = 0;
    rows_without_label = 0;
    rows_maybe_unlabelled = 0;
    rows_left_out = 0;
    missing_fields = 0;
    unknown_words = 0;
    recoded_words = 0;
    faults.clear();
  }
};

/// "-1", "+1", "3", "2.0"; any finite number, where labels are real. Adds the label to the block,
/// or its fault, and then returns false. `hint` is of the format: what a token may be that is none.
using LabelHint = std::string_view (*)(std::string_view token);
bool parse_label(std::string_view token, TextPosition place, bool real, LabelHint hint,
                 ParsedBlock& block);

/// A row that has none.
void add_no_label(bool real, ParsedBlock& block);

/// The weight of the row that parse_label() or add_no_label() has just added: a number that is
/// finite and not below 0. Adds it to the block, or its fault, and then returns false.
/// `hint` is of the format.
bool parse_weight(std::string_view token, TextPosition place, std::string_view hint,
                  ParsedBlock& block);

/// The kind of what keeps a text from being a number.
FaultKind kind_of(NumberFault fault);

}  // namespace trainyard
