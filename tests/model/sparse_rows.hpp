// Sparse rows of every awkward length, of many features.
#pragma once

#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "trainyard/base/random.hpp"
#include "trainyard/data/dataset.hpp"

namespace trainyard::test {

/// Around the numbers of nonzeros that are taken together: 2, 4 and 8.
inline const std::vector<std::size_t> awkward_lengths = {0, 1,  2,  3,  4,  5,  7, 8,
                                                         9, 15, 16, 17, 31, 33, 74};

/// A row of each of these lengths. Neighbours share features; with an intercept the last feature is
/// 1 in each row.
inline Dataset awkward_rows(std::size_t features, int classes, bool intercept = false) {
  RandomStream random(11, Purpose::data_generator);
  Dataset data;
  data.rows = awkward_lengths.size();
  data.features = features;
  data.classes = classes;
  data.sparse = true;
  data.intercept = intercept;
  std::vector<std::uint64_t> begin{0};
  std::vector<std::uint32_t> columns;
  std::vector<float> values;
  std::vector<Label> labels;
  for (const std::size_t length : awkward_lengths) {
    for (std::size_t i = 0; i < length; ++i) {
      columns.push_back(static_cast<std::uint32_t>(i * (1 + labels.size() % 3)));
      values.push_back(static_cast<float>(random.normal()));
    }
    if (intercept) {
      columns.push_back(static_cast<std::uint32_t>(features - 1));
      values.push_back(1.0F);
    }
    begin.push_back(columns.size());
    labels.push_back(static_cast<Label>(random.below(static_cast<std::uint64_t>(classes))));
  }
  data.labels = AlignedBuffer<Label>::copy_of(labels);
  data.row_begin = AlignedBuffer<std::uint64_t>::copy_of(begin);
  data.columns = AlignedBuffer<std::uint32_t>::copy_of(columns);
  data.values = AlignedBuffer<float>::copy_of(values);
  return data;
}

}  // namespace trainyard::test
