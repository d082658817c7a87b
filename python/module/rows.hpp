// Rows that come as NumPy's arrays.
//
// Threads: with the interpreter's lock, but for what is said of load().
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include "trainyard/data/rows_in_memory.hpp"

namespace trainyard::python {

namespace py = pybind11;

template <typename T>
using Array = py::array_t<T, py::array::c_style>;

/// One set of rows: dense, or in compressed sparse rows, and a label each.
struct ArraySet {
  std::optional<Array<float>> dense{};             // [rows, features]
  std::optional<Array<std::int64_t>> row_begin{};  // [rows + 1]
  std::optional<Array<std::int32_t>> columns{};    // [nonzeros], increasing within a row
  std::optional<Array<float>> values{};            // [nonzeros]
  std::size_t features = 0;                        // of sparse rows
  std::optional<Array<std::int32_t>> codes{};      // [rows], classes from 0
  std::optional<Array<float>> numbers{};           // [rows], labels that are numbers
  std::optional<Array<float>> weights{};           // [rows]
};

/// Names of what the arrays hold, where there are any.
struct ArrayNames {
  int classes = 0;
  std::vector<std::int32_t>
      class_values{};  // [classes], increasing, of labels that are whole numbers
  std::vector<std::string> class_names{};  // [classes], of others
  std::vector<std::string> features{};     // [features]
};

struct KeptModel;  // model.hpp

/// Keeps the arrays as long as it exists: dense rows are used where they lie.
class ArrayRows {
 public:
  /// Throws DataError for shapes that do not fit, values that are not finite, and classes and
  /// columns that do not exist.
  ArrayRows(ArraySet train, std::optional<ArraySet> test, std::optional<ArraySet> validation,
            ArrayNames names);

  /// Training goes on from that model, and rows are made as its rows were; before they are loaded.
  /// Throws DataError where these are none of its kind.
  void begin_with(const KeptModel& model);

  std::size_t rows() const { return rows_; }
  /// What a run with that configuration trains on. Threads: any, without the lock, as long as
  /// nobody writes to the arrays. REQUIRES: this outlives the data.
  LoadedData load(const DatasetRequest& request) const;

 private:
  ArraySet train_;
  std::optional<ArraySet> test_, validation_;
  ArrayNames names_;
  std::shared_ptr<const StartingModel> start_;
  std::size_t rows_ = 0;
};

/// Rows without labels, checked, of so many features: to be predicted.
Dataset rows_without_labels(const ArraySet& set, std::size_t features);

}  // namespace trainyard::python
