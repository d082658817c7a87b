#include "trainyard/base/parallel.hpp"

#include <atomic>
#include <stdexcept>
#include <vector>

#include "support/catch.hpp"

using namespace trainyard;

TEST_CASE("every block is done exactly once", "[base]") {
  std::vector<std::atomic<int>> done(1000);
  parallel_blocks(done.size(), [&](std::size_t block) { ++done[block]; });
  for (const auto& count : done) CHECK(count == 1);
  parallel_blocks(0, [](std::size_t) { FAIL("there is no block"); });
}

TEST_CASE("an exception of a block comes out", "[base]") {
  CHECK_THROWS_AS(parallel_blocks(10,
                                  [](std::size_t block) {
                                    if (block == 7) throw std::runtime_error("seven");
                                  }),
                  std::runtime_error);
}
