#include "trainyard/collective/all_reduce_max.hpp"

#include <algorithm>
#include <bit>

namespace trainyard {

/// In round k everybody gives what it has to the rank 2ᵏ further, and then knows of 2ᵏ⁺¹ ranks.
void all_reduce_max(Communicator& comm, std::span<float> values) {
  const int n = comm.workers();
  for (int distance = 1; distance < n; distance *= 2) {
    comm.send((comm.rank() + distance) % n, values);
    const Message message = comm.receive((comm.rank() + n - distance) % n);
    std::ranges::transform(values, message.vector().floats(), values.begin(),
                           [](float mine, float theirs) { return std::max(mine, theirs); });
  }
}

Duration all_reduce_max_time(int workers, std::size_t length, MessageTime message) {
  return static_cast<int>(std::bit_width(static_cast<unsigned>(workers - 1))) * message(length);
}

}  // namespace trainyard
