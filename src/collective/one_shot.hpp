// All to all, and each adds up for itself.
#pragma once

#include "trainyard/runtime/communicator.hpp"

namespace trainyard {

/// Of vectors of at most so many bytes: longer ones take less time by any other way.
inline constexpr std::size_t most_bytes_of_one_shot = 8192;

/// Afterwards all hold the sum, with the same bits. (n−1)(α + t), where messages take time.
/// REQUIRES: 2 ≤ n ≤ kernels::most_summed, and at most most_bytes_of_one_shot.
void one_shot_sum(Communicator& comm, Vector vector);

}  // namespace trainyard
