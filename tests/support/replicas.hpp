// A scheme run under simulated time that leaves every worker's replica behind, for rules whose
// trajectories are known worker by worker.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "trainyard/configuration/configuration.hpp"
#include "trainyard/data/dataset.hpp"
#include "trainyard/topology/topology.hpp"

namespace trainyard {
struct Scheme;
}

namespace trainyard::test {

/// Row i is worker i's f_i(x) = ½ Σ_j h_ij (x_j − b_ij)².
Dataset quadratic_data(const std::vector<std::vector<double>>& h,
                       const std::vector<std::vector<double>>& b);

/// So many workers with two curvatures and optima of their own, none of them alike.
Dataset unlike_data(int workers);
/// Of the mean of all f_i.
std::vector<double> optimum(const Dataset& quadratics);

struct Replicas {
  std::vector<std::vector<double>> workers;
  std::vector<double> model;  // from its home: of replicas, their mean
  std::vector<std::map<std::string, std::vector<double>>>
      kept;  // what outlived steps, by each rank
};

/// Where a run differs from: everybody starts from zero, worker i has row i.
struct Special {
  std::vector<std::vector<double>> starts{};        // of the workers
  std::vector<std::vector<std::uint32_t>> parts{};  // their rows
  const Topology* topology = nullptr;               // a graph of the test's own
  const Scheme* scheme = nullptr;                   // one that is in no table
};

/// `minibatches`: of all workers together, for schemes that count these. One takes a millisecond,
/// of stragglers more, and what the configuration's noise adds.
Replicas run_on_quadratic(const Configuration& configuration, const Dataset& data,
                          std::optional<std::uint64_t> minibatches = {},
                          const Special& special = {});

}  // namespace trainyard::test
