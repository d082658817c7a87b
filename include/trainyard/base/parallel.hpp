// Work split over all cores with oneTBB, for loading and evaluation. Results never depend on how
// many cores there are: the blocks are fixed, and callers combine them in order.
//
// Threads: any may call it. It returns, or throws, only when no block runs any more.
#pragma once

#include <cstddef>

#include "trainyard/base/function_ref.hpp"

namespace trainyard {

/// Calls body(block) for each block in 0 .. blocks-1, in any order, on any thread; returns when all
/// have ended. The first exception is rethrown.
void parallel_blocks(std::size_t blocks, FunctionRef<void(std::size_t block)> body);

}  // namespace trainyard
