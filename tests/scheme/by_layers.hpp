// Networks of random widths, for schemes that send a gradient while it is computed: when each
// tensor of it is final, from first principles.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "trainyard/base/random.hpp"
#include "trainyard/data/generate.hpp"

#include "support/training.hpp"

namespace trainyard::test {

/// All widths are multiples of the number of workers, so that a tensor has even parts.
struct RandomNetwork {
  int workers = 1;
  std::vector<std::size_t> widths;  // features, hidden units, classes
  LoadedData data;
  std::string model;

  RandomNetwork(RandomStream& random, int n) : workers(n) {
    const auto multiple = [&] {
      return static_cast<std::size_t>(n) * (1 + static_cast<std::size_t>(random.below(6)));
    };
    const std::size_t layers = 1 + static_cast<std::size_t>(random.below(5));
    for (std::size_t l = 0; l <= layers; ++l) widths.push_back(multiple());
    widths.push_back(2 * static_cast<std::size_t>(n));
    data = {"blobs",
            generate_blobs(static_cast<std::size_t>(8 * n), widths.front(),
                           static_cast<int>(widths.back()), 1.0, 3),
            {}};
    model = fmt::format("mlp:{}", fmt::join(widths.begin() + 1, widths.end() - 1, ","));
  }

  struct Tensor {
    std::size_t numbers;
    double final_at;  // as a share of the time of a gradient
  };
  /// The last one first. A row takes a multiplication for each weight forward, and backward one for
  /// its slope and one for the slope of its input, which features do not have.
  std::vector<Tensor> tensors() const {
    double forward = 0.0, all = 0.0;
    for (std::size_t l = 0; l + 1 < widths.size(); ++l) {
      const auto products = static_cast<double>(widths[l] * widths[l + 1]);
      forward += products;
      all += products * (l == 0 ? 2 : 3);
    }
    std::vector<Tensor> result;
    double done = forward;
    for (std::size_t l = widths.size() - 1; l-- > 0;) {
      const std::size_t weights = widths[l] * widths[l + 1];
      done += static_cast<double>(weights) * (l == 0 ? 1 : 2);
      result.push_back({widths[l + 1], done / all});
      result.push_back({weights, done / all});
    }
    return result;
  }
  std::size_t parameters() const {
    std::size_t sum = 0;
    for (const Tensor& tensor : tensors()) sum += tensor.numbers;
    return sum;
  }
};

/// As long as 2(n-1) messages of an n-th of so many floats.
inline double ring_seconds(int n, std::size_t floats, const Network& network) {
  const double bytes = 4.0 * static_cast<double>(floats) / n;
  return 2 * (n - 1) * (to_seconds(network.latency) + bytes / network.bytes_per_second);
}

/// A network on which computing and sending take about as long as each other.
inline Configuration random_run(RandomStream& random, const RandomNetwork& of, const char* scheme) {
  Configuration c = quick(scheme, of.workers, 1);
  c.model = of.model;
  c.compute_time = seconds(1e-2 * (0.1 + random.uniform()));
  c.network.latency = seconds(2e-4 * random.uniform());
  c.network.bytes_per_second =
      static_cast<double>(of.parameters()) * 4.0 / (2e-2 * (0.05 + random.uniform()));
  return c;
}

}  // namespace trainyard::test
