// Runs whose workers share a model in memory are on one machine, and no network is between its
// workers. Beside runs over a network between machines they stand apart: nobody who has that
// network can choose them.
//
// Threads: any; functions of their arguments.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "trainyard/configuration/configuration.hpp"

namespace trainyard {

/// Whether the option says what is between machines: latencies, bandwidths, racks, links.
bool is_between_machines(std::string_view option);

/// Whether somebody asked for a network between machines, one that takes time: by a flag or a file,
/// or by other values than everybody has without asking.
bool asks_for_network(const Configuration& c);

/// Where several workers of the configuration's scheme are that share a model, as its row says it;
/// empty of others. Its hyperparameters need not be complete.
std::optional<std::string> shared_within(const Configuration& c);

/// shared_within() where such a network was asked for.
std::optional<std::string> apart_within(const Configuration& c);

/// The note on it in a comparison.
std::string apart_note(std::string_view within);

}  // namespace trainyard
