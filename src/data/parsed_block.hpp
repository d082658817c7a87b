// The rows of one block of text. Lines are counted from the beginning of the block: where in the
// file it begins is known only once all blocks before it have been read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/label_census.hpp"

namespace trainyard {

struct RowFault {
  TextPosition place;
  std::string message;  // "found X; expected Y"
};

struct ParsedBlock {
  std::vector<std::int32_t> labels;  // as written
  LabelCensus census;
  std::vector<std::uint32_t> row_sizes;  // sparse: nonzeros of each row
  std::vector<std::uint32_t> columns;    // sparse
  std::vector<float> values;
  std::uint32_t largest_column = 0;     // sparse: 1 + the largest column, 0 when there is none
  std::size_t largest_column_line = 0;  // the first that has it
  std::size_t lines = 0;
  std::optional<RowFault> fault;  // the first; what follows it is not parsed

  /// Empty again, its memory kept for the next block.
  void clear() {
    labels.clear();
    census.clear();
    row_sizes.clear();
    columns.clear();
    values.clear();
    largest_column = 0;
    largest_column_line = 0;
    lines = 0;
    fault.reset();
  }
};

/// "-1", "+1", "3", "2.0". Adds the label to the block, or sets its fault and returns false.
bool parse_label(std::string_view token, TextPosition place, ParsedBlock& block);

}  // namespace trainyard
