#include "study/room.hpp"

#include <algorithm>

#include "trainyard/scheme/scheme.hpp"
#include "trainyard/topology/topology.hpp"

namespace trainyard {

namespace {

/// Whose messages a worker may hold at once, at most.
double neighbours(const Case& one) {
  const Scheme& scheme = find_scheme(one.configuration.scheme);
  if (!takes(scheme, "topology")) return 1.0;
  const Ingredients made = make_ingredients(scheme, one.configuration);
  std::size_t most = 0;
  for (const MixingRow& row : made.get<Topology>("topology").matrices.front()) {
    most = std::max(most, row.receives.size());
  }
  return static_cast<double>(most);
}

}  // namespace

double bytes_of_run(const Case& one, const Model& model) {
  constexpr double generous = 8.0;  // times replicas, gradients and what neighbours send
  return generous * static_cast<double>(model.dimension() * bytes_of(model.scalar())) *
         (one.configuration.workers * (2.0 + neighbours(one)) + 3.0);
}

}  // namespace trainyard
