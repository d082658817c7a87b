#include "trainyard/analysis/netcheck.hpp"

#include <string>

#include "trainyard/base/memory_account.hpp"

#include "support/catch.hpp"
#include "support/memory_bound.hpp"

using namespace trainyard;

// Eight vectors and their messages took 40 s and 3 GB.
TEST_CASE("netcheck holds nothing of what is sent in simulated time", "[analysis]") {
  const MemoryBound bound(memory_held() + 450'000'000);
  NetcheckOptions options;
  options.length = 100'000'000;
  options.network = {.latency = std::chrono::microseconds(100), .bytes_per_second = 125e6};
  for (const std::string name :
       {"ring", "rabenseifner", "tree", "recursive-doubling", "ps-colocated"}) {
    CAPTURE(name);
    const NetcheckRow row = netcheck(find_all_reduce(name), options);
    CHECK(row.ratio == Approx(1.0).epsilon(1e-9));
    CHECK(row.bytes_per_rank > 0);
  }
}
