#include "trainyard/base/event_queue.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "trainyard/base/random.hpp"

#include "support/catch.hpp"

using namespace trainyard;

TEST_CASE("events come by time, and those of one moment in the order in which they were added",
          "[base]") {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    CAPTURE(seed);
    RandomStream random(seed, Purpose::scheme);
    EventQueue<int> queue;
    std::vector<std::pair<Time, int>> waiting;  // in the order in which they were added
    CHECK(queue.next() == Time::max());
    for (int event = 0; event < 2000; ++event) {
      const bool add = waiting.empty() || random.below(2) == 0;
      if (add) {
        const Time at{static_cast<std::int64_t>(random.below(4))};  // few moments: long runs
        queue.add(at, event);
        waiting.emplace_back(at, event);
        continue;
      }
      const auto first = std::ranges::min_element(waiting, {}, &std::pair<Time, int>::first);
      REQUIRE(queue.next() == first->first);
      REQUIRE(queue.take() == first->second);
      waiting.erase(first);
    }
  }
}
