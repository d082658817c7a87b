// Words to write the rules of decentralised schemes in, in double precision, that share nothing
// with the schemes: X has a row a worker, W is a dense matrix.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "trainyard/topology/spectrum.hpp"
#include "trainyard/topology/topology.hpp"

#include "support/golden.hpp"

namespace trainyard::test {

using Rows = std::vector<std::vector<double>>;

/// Σ a X over the pairs.
inline Rows combined(const std::vector<std::pair<double, Rows>>& terms) {
  Rows sum(terms.front().second.size(),
           std::vector<double>(terms.front().second.front().size(), 0.0));
  for (const auto& [factor, rows] : terms) {
    for (std::size_t i = 0; i < sum.size(); ++i) {
      for (std::size_t j = 0; j < sum[i].size(); ++j) sum[i][j] += factor * rows[i][j];
    }
  }
  return sum;
}

inline Rows mixed_rows(const Rows& w, const Rows& x) {
  Rows product(x.size(), std::vector<double>(x.front().size(), 0.0));
  for (std::size_t i = 0; i < w.size(); ++i) {
    for (std::size_t k = 0; k < w.size(); ++k) {
      for (std::size_t j = 0; j < x[k].size(); ++j) product[i][j] += w[i][k] * x[k][j];
    }
  }
  return product;
}

inline Rows all_zero(std::size_t workers, std::size_t dimension) {
  return Rows(workers, std::vector<double>(dimension, 0.0));
}

/// Of quadratic_data(): row i is that of worker i at its own x.
inline Rows gradients_of(const Dataset& quadratics, const Rows& x) {
  Rows g = x;
  const std::size_t d = quadratics.features / 2;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const float* row = quadratics.dense.data() + i * quadratics.features;
    for (std::size_t j = 0; j < d; ++j) {
      g[i][j] = static_cast<double>(row[j]) * (x[i][j] - static_cast<double>(row[d + j]));
    }
  }
  return g;
}

inline Rows matrix_of(const std::string& topology, int workers) {
  return dense(make_topology(topology, workers, 1).matrices.front());
}

/// (1 − s) I + s W.
inline Rows moved_by(double share, const Rows& w) {
  Rows moved = w;
  for (std::size_t i = 0; i < w.size(); ++i) {
    for (std::size_t j = 0; j < w.size(); ++j) {
      moved[i][j] = share * w[i][j] + (i == j ? 1.0 - share : 0.0);
    }
  }
  return moved;
}

inline double farthest(const Rows& replicas, const std::vector<double>& from) {
  double distance = 0.0;
  for (const auto& replica : replicas) {
    for (std::size_t j = 0; j < from.size(); ++j) {
      distance = std::max(distance, std::abs(replica[j] - from[j]));
    }
  }
  return distance;
}

inline void check_rows(const Rows& found, const Rows& expected) {
  for (std::size_t i = 0; i < expected.size(); ++i) check_close(found[i], expected[i]);
}

}  // namespace trainyard::test
