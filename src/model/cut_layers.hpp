// Decides where to cut a chain of layers into stages.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace trainyard {

/// Behind which layer each part ends, such that the costliest part costs as little as can be; of
/// several such ways, the one whose first parts are longest. REQUIRES: 1 ≤ parts ≤ costs.size().
std::vector<std::size_t> cut_layers(std::span<const double> costs, std::size_t parts);

}  // namespace trainyard
