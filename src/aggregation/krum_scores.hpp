// Krum's scores, for the rules that pick by them.
//
// Threads: any; these are functions of their arguments.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "aggregation/distances.hpp"

namespace trainyard {

/// s_i = Σ ‖v_i − v_j‖² over the m − f − 2 nearest j ≠ i among the m candidates, i one of them; at
/// least over the nearest one, where there is another. `row` grows where it has to.
double krum_score(const SquaredDistances& distances, std::span<const std::uint32_t> candidates,
                  std::size_t i, int f, std::vector<double>& row);

}  // namespace trainyard
