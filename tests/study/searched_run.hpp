// The run whose step size is searched for where what trials end at is made up.
#pragma once

#include <cstdint>

#include "trainyard/data/catalog.hpp"

#include "run/small_runs.hpp"
#include "support/replicas.hpp"

namespace trainyard::test {

inline LoadedData searched_data() {
  return {"parabola", quadratic_data({{1.0}, {1.0}}, {{3.0}, {3.0}}), {}};
}

/// Of so many steps; the search begins at a step size of 1.
inline Configuration searched_run(std::uint64_t steps) {
  Configuration c = small_configuration("ring");
  c.workers = 2;
  c.batch = 1;
  c.model = "quadratic";
  c.epochs.reset();
  c.steps = steps;
  c.optimizer.lr = 1.0;
  return c;
}

}  // namespace trainyard::test
