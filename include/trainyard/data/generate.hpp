// Data sets made from a seed. All three are documented by formula so that others can make them too.
// Rows are made in parallel, in blocks of 1,024 with a random stream each, so the bits depend on
// the arguments only and not on the number of cores. N(0, I_d) is d independent standard normals
// and σ(z) = 1 / (1 + e^-z).
//
// Threads: any; they use all cores, and the result does not depend on how many there are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trainyard/data/dataset.hpp"

namespace trainyard {

/// Dense logistic problem: w* ~ N(0, I_d)·4/√d, x ~ N(0, I_d), P(y = +1 | x) = σ(w*·x).
Dataset generate_dense_logistic(std::size_t rows, std::size_t features, std::uint64_t seed);

/// Sparse logistic problem, shaped like text. A row is `row_draws` draws of a feature, feature j
/// (from 0) with probability ∝ 1/(j+1) (Zipf's law), repeated draws merged; the values are N(0,1),
/// and the row is scaled to length 1. P(y = +1 | x) = σ(24 w*·x) with w*_j ~ N(0,1)·(j+1)^-1/4:
/// the rarer a feature, the less it says. 64 draws of 10,000 features are 50 different ones on
/// average. With these sizes nobody can be right on more than 93 % of the rows; logistic regression
/// on 20,000 rows with L2 of 1e-5 to 1e-4 is right on 87 to 89 % of new ones.
Dataset generate_sparse_logistic(std::size_t rows, std::size_t features, std::size_t row_draws,
                                 std::uint64_t seed);

/// k Gaussian blobs: centre c_i ~ N(0, I_d), x = c_label + N(0, I_d)·spread, labels balanced and in
/// random order.
Dataset generate_blobs(std::size_t rows, std::size_t features, int classes, double spread,
                       std::uint64_t seed);

struct TrainTest {
  Dataset train;
  Dataset test;  // rows == 0 when there is none
};

/// A generator as the user names it. One row each in the visible table.
struct GeneratorInfo {
  std::string name;     // "sparse-logistic"
  std::string summary;  // one line for `list datasets`: sizes and rule
  std::size_t rows;     // of the training set, unless the user says
  /// So many training rows, and a quarter of that, rounded down, for testing
  /// (two-scales and two-minima: none).
  TrainTest (*make)(std::uint64_t seed, std::size_t rows);
  bool in_lab = true;  // its model is small enough for a page's many workers
};
const std::vector<GeneratorInfo>& generators();

/// A choice as users write it: a generator's name, or NAME:ROWS for so many training rows.
struct GeneratorChoice {
  const GeneratorInfo* generator = nullptr;
  std::size_t rows = 0;
};
/// Empty where the text names no generator. Throws UsageError for a number of rows that is none
/// from 2 to 10,000,000.
std::optional<GeneratorChoice> find_generator(std::string_view text);

}  // namespace trainyard
