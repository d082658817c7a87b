#include "trainyard/data/touched.hpp"

#include <bit>
#include <cmath>

namespace trainyard {

void TouchedFeatures::add(std::span<const std::uint32_t> features) {
  for (const std::uint32_t feature : features) {
    words_[feature / 64] |= std::uint64_t{1} << (feature % 64);
  }
}

void TouchedFeatures::add(Batch rows) {
  for (const RowRange& range : rows) {
    for (std::size_t r = 0; r < range.count; ++r) {
      add(range.data->sparse_row(range.first + r).columns);
    }
  }
}

void TouchedFeatures::take(Features& into) {
  into.clear();
  for (std::size_t w = 0; w < words_.size(); ++w) {
    for (std::uint64_t left = words_[w]; left != 0; left &= left - 1) {
      into.push_back(static_cast<std::uint32_t>(64 * w) +
                     static_cast<std::uint32_t>(std::countr_zero(left)));
    }
    words_[w] = 0;
  }
}

double touched_share(double density, std::size_t batch) {
  return -std::expm1(static_cast<double>(batch) * std::log1p(-density));
}

double touched_share(const Dataset& data, std::size_t batch) {
  if (!data.sparse) return 1.0;
  std::vector<std::uint64_t> rows_with(data.features, 0);
  for (const std::uint32_t column : data.columns.span()) ++rows_with[column];
  double touched = 0.0;
  for (const std::uint64_t rows : rows_with) {
    touched += touched_share(static_cast<double>(rows) / static_cast<double>(data.rows), batch);
  }
  return touched / static_cast<double>(data.features);
}

}  // namespace trainyard
