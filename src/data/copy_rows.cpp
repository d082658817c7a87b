#include <algorithm>

#include "trainyard/base/error.hpp"
#include "trainyard/data/partition.hpp"
#include "trainyard/data/split_file.hpp"

namespace trainyard {

namespace {

void copy_dense_rows(const Dataset& from, const std::vector<std::uint32_t>& rows, Dataset& to) {
  to.dense = AlignedBuffer<float>(rows.size() * from.features);
  float* next = to.dense.data();
  for (const std::uint32_t row : rows) {
    const auto source = from.dense_row(row);
    next = std::copy(source.begin(), source.end(), next);
  }
}

void copy_sparse_rows(const Dataset& from, const std::vector<std::uint32_t>& rows, Dataset& to) {
  to.row_begin = AlignedBuffer<std::uint64_t>(rows.size() + 1);
  to.row_begin[0] = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    to.row_begin[i + 1] = to.row_begin[i] + from.sparse_row(rows[i]).columns.size();
  }
  to.columns = AlignedBuffer<std::uint32_t>(to.row_begin[rows.size()]);
  to.values = AlignedBuffer<float>(to.row_begin[rows.size()]);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Dataset::SparseRow source = from.sparse_row(rows[i]);
    std::copy(source.columns.begin(), source.columns.end(), to.columns.data() + to.row_begin[i]);
    std::copy(source.values.begin(), source.values.end(), to.values.data() + to.row_begin[i]);
  }
}

}  // namespace

Dataset copy_rows(const Dataset& data, const std::vector<std::uint32_t>& rows) {
  Dataset copy;
  copy.rows = rows.size();
  copy.features = data.features;
  copy.classes = data.classes;
  copy.sparse = data.sparse;
  copy.intercept = data.intercept;
  copy.labels = AlignedBuffer<Label>(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    require(rows[i] < data.rows, "a copied row lies outside the data set");
    check_rows(data, rows[i], 1);
    copy.labels[i] = data.labels[rows[i]];
  }
  if (!data.targets.empty()) {
    copy.targets = AlignedBuffer<float>(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) copy.targets[i] = data.targets[rows[i]];
  }
  if (!data.weights.empty()) {
    copy.weights = AlignedBuffer<float>(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) copy.weights[i] = data.weights[rows[i]];
  }
  if (!data.groups.empty()) {
    copy.groups = AlignedBuffer<std::uint32_t>(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) copy.groups[i] = data.groups[rows[i]];
  }
  if (data.sparse) {
    copy_sparse_rows(data, rows, copy);
  } else {
    copy_dense_rows(data, rows, copy);
  }
  return copy;
}

}  // namespace trainyard
