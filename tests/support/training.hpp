// Small training runs for the tests of schemes.
#pragma once

#include <string>

#include "trainyard/data/catalog.hpp"
#include "trainyard/data/generate.hpp"
#include "trainyard/run/plan.hpp"
#include "trainyard/run/resolve.hpp"
#include "trainyard/run/run.hpp"

#include "support/layered_schemes.hpp"

namespace trainyard::test {

inline LoadedData dense_problem(std::size_t rows = 400, std::size_t features = 20) {
  return {"dense-test", generate_dense_logistic(rows, features, 3), {}};
}

inline LoadedData sparse_problem(std::size_t rows = 400, std::size_t features = 300) {
  return {"sparse-test", generate_sparse_logistic(rows, features, 10, 3), {}};
}

/// A quick configuration: simulated, 1 ms a minibatch, perfect network, cache lines that take no
/// time, evaluated at the ends only.
/// Of schemes that divide layers, a network.
inline Configuration quick(const std::string& scheme, int workers, std::uint64_t steps) {
  Configuration c;
  c.scheme = scheme;
  c.model = model_for(scheme);
  c.workers = workers;
  c.steps = steps;
  c.batch = 4;
  c.time = TimeMode::simulated;
  c.compute_time = std::chrono::milliseconds(1);
  c.line_time = Duration{0};
  c.evaluate_every = 1e6;
  return c;
}

inline RunResult train(const Configuration& c, const LoadedData& data) {
  return run_experiment(plan_run(resolve(c, {c.scheme}, data, {}), data), {});
}

}  // namespace trainyard::test
