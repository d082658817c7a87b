// The graph that --topology names: whether a scheme tolerates it, and what its workers mix over.
//
// Threads: any; these are functions of their arguments.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "trainyard/configuration/configuration.hpp"
#include "trainyard/scheme/scheme.hpp"
#include "trainyard/topology/topology.hpp"

namespace trainyard {

/// nullptr for schemes without a graph. Throws OptionError where there is no such graph of so many
/// nodes.
std::shared_ptr<const Topology> graph_of(const Scheme& scheme, const Configuration& configuration);

/// Throws OptionError where the scheme does not tolerate its graph_of(), with the reason. Returns a
/// warning where the graph is at the limit of what it tolerates.
std::optional<std::string> check_graph(const Scheme& scheme, const Configuration& configuration,
                                       const Topology& graph);

/// The components that the scheme takes, the rounds over its graph_of() among them; `graph` is
/// nullptr where that is. REQUIRES: the hyperparameters are complete.
Ingredients make_ingredients(const Scheme& scheme, const Configuration& configuration,
                             const std::shared_ptr<const Topology>& graph);

/// Summary::transient_iterations. REQUIRES: the ingredients are those that the scheme takes.
std::optional<double> transient_of(const Scheme& scheme, const Ingredients& ingredients);

}  // namespace trainyard
