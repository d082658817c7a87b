#include "trainyard/base/parallel.hpp"

#include <tbb/parallel_for.h>

namespace trainyard {

void parallel_blocks(std::size_t blocks, FunctionRef<void(std::size_t block)> body) {
  tbb::parallel_for(std::size_t{0}, blocks, [&](std::size_t block) { body(block); });
}

}  // namespace trainyard
