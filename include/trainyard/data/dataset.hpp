// A data set in memory: rows of features, dense or sparse, and a class for each row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "trainyard/base/aligned_buffer.hpp"

namespace trainyard {

/// The class of a row: 0 .. classes-1. Of two classes, 1 is the positive one (y = +1).
using Label = std::int32_t;

/// rows × features. Exactly one of the two storages is filled.
/// Threads: any number may read; nobody writes once it is built.
struct Dataset {
  std::size_t rows = 0;
  std::size_t features = 0;
  int classes = 2;
  AlignedBuffer<Label> labels;  // [rows]

  // [rows], of data whose labels are real numbers: labels are then all 0, and classes is 1. Empty
  // of other data.
  AlignedBuffer<float> targets;

  // [rows] ω ≥ 0, by which a row's loss is multiplied; empty where all are 1. Of training rows
  // their mean is 1.
  AlignedBuffer<float> weights;

  // [rows] of training rows that a column of their table divides (PartitionRule::Kind::column):
  // which of its values the row has, numbered as they first occur. Empty elsewhere.
  AlignedBuffer<std::uint32_t> groups;

  // The last feature is 1 in every row; models do not regularise its weight.
  bool intercept = false;

  AlignedBuffer<float> dense;  // [rows × features], row-major; empty when sparse

  // Compressed sparse rows: the nonzeros of row r are entries row_begin[r] .. row_begin[r+1]-1.
  bool sparse = false;
  AlignedBuffer<std::uint64_t> row_begin;  // [rows + 1]
  AlignedBuffer<std::uint32_t> columns;    // [nonzeros], strictly increasing within a row
  AlignedBuffer<float> values;             // [nonzeros]

  // [parts + 1], where rows lie in the order of parts that they were divided into: those of part p
  // are rows part_begin[p] .. part_begin[p+1]-1. Empty elsewhere.
  std::vector<std::uint64_t> part_begin;

  // The name of a set that is mapped from a file and whose rows nobody has checked yet; empty
  // otherwise. A reader of rows calls check_rows() first (split_file.hpp).
  std::string unchecked_file;

  float weight_of(std::size_t row) const { return weights.empty() ? 1.0F : weights[row]; }

  std::size_t nonzeros() const { return sparse ? values.size() : rows * features; }

  std::span<const float> dense_row(std::size_t row) const {
    return {dense.data() + row * features, features};
  }

  struct SparseRow {
    std::span<const std::uint32_t> columns;
    std::span<const float> values;
  };
  SparseRow sparse_row(std::size_t row) const {
    const std::uint64_t begin = row_begin[row];
    const std::uint64_t count = row_begin[row + 1] - begin;
    return {{columns.data() + begin, count}, {values.data() + begin, count}};
  }
};

}  // namespace trainyard
