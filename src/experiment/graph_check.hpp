// Whether a scheme's rule bears the graph that --topology names.
#pragma once

#include <optional>
#include <string>

#include "trainyard/experiment/configuration.hpp"
#include "trainyard/scheme/scheme.hpp"

namespace trainyard {

/// Throws UsageError where it does not, with the reason, and where there is no such graph of so
/// many workers. Schemes without a graph pass.
void check_graph(const Scheme& scheme, const Configuration& configuration);

/// What to say where it only just does. REQUIRES: check_graph() passes.
std::optional<std::string> remark_on_graph(const Scheme& scheme,
                                           const Configuration& configuration);

}  // namespace trainyard
