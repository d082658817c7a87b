// Data sets made from a seed. All three are documented by formula so that others can make them too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "trainyard/data/dataset.hpp"

namespace trainyard {

/// Dense logistic problem: w* ~ N(0, I_d)·4/√d, x ~ N(0, I_d), P(y = +1 | x) = σ(w*·x).
Dataset generate_dense_logistic(std::size_t rows, std::size_t features, std::uint64_t seed);

/// Sparse logistic problem: feature j (from 0) is drawn with probability ∝ (j+1)^-1 (power law,
/// Zipf's exponent 1), `row_nonzeros` draws a row, duplicates merged; values |N(0,1)|, the row scaled
/// to length 1; P(y = +1 | x) = σ(8 w*·x) with w*_j ~ N(0,1).
Dataset generate_sparse_logistic(std::size_t rows, std::size_t features, std::size_t row_nonzeros,
                                 std::uint64_t seed);

/// k Gaussian blobs: centre c_i ~ N(0, I_d), x = c_label + N(0, I_d)·spread, labels balanced and in
/// random order.
Dataset generate_blobs(std::size_t rows, std::size_t features, int classes, double spread,
                       std::uint64_t seed);

struct TrainTest {
  Dataset train;
  Dataset test;  // rows == 0 when there is none
};

/// A generator as the user names it, with its default sizes. One row each in the visible table.
struct GeneratorInfo {
  std::string name;     // "sparse-logistic"
  std::string summary;  // one line for `list datasets`: sizes and rule
  TrainTest (*make)(std::uint64_t seed);
};
const std::vector<GeneratorInfo>& generators();

}  // namespace trainyard
