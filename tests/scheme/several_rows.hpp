// Quadratic objectives of several rows a worker, for rules that tell minibatches apart.
#pragma once

#include <cstdint>
#include <vector>

#include "scheme/gossip_rules.hpp"

namespace trainyard::test {

constexpr int sharers = 5;
constexpr std::size_t share_rows = 5;

/// Five rows a worker, none alike.
inline Dataset many_rows() {
  Rows h, b;
  for (std::size_t r = 0; r < sharers * share_rows; ++r) {
    const auto x = static_cast<double>(r);
    h.push_back({0.5 + 0.125 * static_cast<double>(r % 4), 1.0 - 0.015625 * x});
    b.push_back({2.0 - 0.25 * x, 0.25 * x - static_cast<double>(r % 3)});
  }
  return quadratic_data(h, b);
}

inline Special shares_of_many_rows() {
  Special special;
  for (std::uint32_t i = 0; i < sharers; ++i) {
    special.parts.emplace_back();
    for (std::uint32_t r = 0; r < share_rows; ++r) special.parts.back().push_back(5 * i + r);
  }
  return special;
}

/// Worker i's mean gradient at x over its rows from `first` on, `count` of them.
inline std::vector<double> gradient_of_rows(const Dataset& data, std::size_t i,
                                            const std::vector<double>& x, std::size_t first,
                                            std::size_t count) {
  std::vector<double> g(x.size(), 0.0);
  for (std::size_t r = first; r < first + count; ++r) {
    const float* values = data.dense.data() + (share_rows * i + r) * data.features;
    for (std::size_t k = 0; k < g.size(); ++k) {
      g[k] += static_cast<double>(values[k]) * (x[k] - static_cast<double>(values[g.size() + k])) /
              static_cast<double>(count);
    }
  }
  return g;
}

}  // namespace trainyard::test
