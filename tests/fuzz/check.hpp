// What every fuzz target asks of a reader: a data set that is whole, or a DataError.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <tbb/global_control.h>

#include "trainyard/base/error.hpp"
#include "trainyard/data/read.hpp"

namespace trainyard {

inline void check_whole(const Dataset& data) {
  require(data.rows > 0 && data.labels.size() == data.rows, "rows without labels");
  require(data.features > 0, "no features");
  require(data.targets.empty() || data.targets.size() == data.rows, "targets");
  for (const float target : data.targets) require(std::isfinite(target), "target");
  require(data.weights.empty() || data.weights.size() == data.rows, "weights");
  for (const float weight : data.weights) {
    require(std::isfinite(weight) && weight >= 0.0F, "weight");
  }
  for (const Label label : data.labels) require(label >= 0 && label < data.classes, "label");
  if (!data.sparse) {
    require(data.dense.size() == data.rows * data.features, "dense rows of the wrong size");
    for (const float value : data.dense) require(std::isfinite(value), "dense value");
    return;
  }
  require(data.row_begin.size() == data.rows + 1 && data.row_begin[0] == 0, "row begins");
  require(data.row_begin[data.rows] == data.columns.size(), "columns");
  require(data.columns.size() == data.values.size(), "values");
  for (std::size_t row = 0; row < data.rows; ++row) {
    require(data.row_begin[row] <= data.row_begin[row + 1], "rows overlap");
    const Dataset::SparseRow entries = data.sparse_row(row);
    for (std::size_t i = 0; i < entries.columns.size(); ++i) {
      require(entries.columns[i] < data.features, "column beyond the features");
      require(i == 0 || entries.columns[i] > entries.columns[i - 1], "columns in disorder");
      require(std::isfinite(entries.values[i]), "sparse value");
    }
  }
}

/// Any error but DataError and, for a column that an option names, OptionError goes through, and
/// libFuzzer keeps the input.
inline void read_and_check(std::string_view bytes, std::string_view labels,
                           const ReadOptions& options) {
  // One thread: these inputs are a block at most, and a run must repeat exactly.
  static const tbb::global_control one_thread(tbb::global_control::max_allowed_parallelism, 1);
  try {
    check_whole(read_dataset_bytes(bytes, labels, "input", options));
  } catch (const DataError&) {    // the input is bad, and said to be
  } catch (const OptionError&) {  // the same
  }
}

inline std::string_view as_text(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

}  // namespace trainyard
