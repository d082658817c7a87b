#include "trainyard/network/barrier.hpp"

#include <algorithm>

namespace trainyard {

std::vector<Time> dissemination_barrier(const Links& links, std::span<const Time> arrivals) {
  const std::size_t n = arrivals.size();
  std::vector<Time> ready(arrivals.begin(), arrivals.end());
  for (std::size_t distance = 1; distance < n; distance *= 2) {
    const std::vector<Time> before = ready;
    for (std::size_t rank = 0; rank < n; ++rank) {
      const std::size_t teller = (rank + n - distance) % n;
      const Link link = links.between(static_cast<int>(teller), static_cast<int>(rank));
      ready[rank] = std::max(before[rank], checked_sum(before[teller], link.latency));
    }
  }
  return ready;
}

}  // namespace trainyard
