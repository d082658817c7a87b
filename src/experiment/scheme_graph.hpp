// The graph that --topology names: whether a scheme's rule bears it, and what its workers mix over.
#pragma once

#include <optional>
#include <string>

#include "trainyard/experiment/configuration.hpp"
#include "trainyard/scheme/scheme.hpp"
#include "trainyard/topology/topology.hpp"

namespace trainyard {

/// Throws UsageError where the rule does not bear it, with the reason, and where there is no such
/// graph of so many workers. Returns what to say where the rule only just does. Schemes without a
/// graph pass.
std::optional<std::string> check_graph(const Scheme& scheme, const Configuration& configuration);

/// The matrices of the scheme's rounds; none where it has no graph. REQUIRES: check_graph() passes.
Topology rounds_of(const Scheme& scheme, const Configuration& configuration);

}  // namespace trainyard
