// How far two runs' models are apart.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "trainyard/run/run.hpp"

namespace trainyard::test {

/// The largest difference of a parameter, as a share of the largest parameter of the second run's.
/// Of models of floats.
inline double relative_difference(const RunResult& a, const RunResult& b) {
  const auto x = a.model.view().floats(), y = b.model.view().floats();
  double difference = 0.0, size = 0.0;
  for (std::size_t j = 0; j < x.size(); ++j) {
    difference = std::max(difference, std::abs(static_cast<double>(x[j]) - y[j]));
    size = std::max(size, std::abs(static_cast<double>(y[j])));
  }
  return difference / size;
}

}  // namespace trainyard::test
