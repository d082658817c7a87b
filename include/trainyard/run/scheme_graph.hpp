// The graph that --topology names: whether a scheme tolerates it, and what its workers mix over.
//
// Threads: any; these are functions of their arguments.
#pragma once

#include <optional>
#include <string>

#include "trainyard/configuration/configuration.hpp"
#include "trainyard/scheme/scheme.hpp"
#include "trainyard/topology/topology.hpp"

namespace trainyard {

/// Throws UsageError where the scheme does not tolerate it, with the reason, and where there is no
/// such graph of so many workers. Returns a warning where the graph is at the limit of what it
/// tolerates. Schemes without a graph pass.
std::optional<std::string> check_graph(const Scheme& scheme, const Configuration& configuration);

/// The matrices of the scheme's rounds; none where it has no graph. REQUIRES: check_graph() passes.
Topology rounds_of(const Scheme& scheme, const Configuration& configuration);

/// Summary::transient_iterations. REQUIRES: the ingredients are those that the scheme takes.
std::optional<double> transient_of(const Scheme& scheme, const Ingredients& ingredients);

}  // namespace trainyard
