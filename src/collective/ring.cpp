// The ring: bandwidth-optimal and simple. Each of the n chunks travels once around to be summed and
// once to be spread, so a worker sends 2(n−1)/n of the vector whatever n is; the price is 2(n−1)
// latencies.
//
// A chunk's sum is always taken in the same order, beginning with the worker whose rank is the
// chunk's number, and one worker's result is copied to all others: so all end with the same bits,
// whichever message arrives first.
#include <algorithm>

#include "trainyard/base/part_of.hpp"
#include "trainyard/collective/all_reduce.hpp"
#include "trainyard/model/kernels.hpp"

namespace trainyard {

void all_reduce_mean(Communicator& comm, std::span<float> vector, Ring) {
  const int n = comm.workers();
  const int next = (comm.rank() + 1) % n;
  const int previous = (comm.rank() + n - 1) % n;
  const auto chunk = [&](int index) { return part_of(vector, ((index % n) + n) % n, n); };

  // Reduce-scatter: in step s worker w passes chunk w − s on; after n−1 steps it owns chunk w + 1.
  for (int s = 0; s < n - 1; ++s) {
    const Message message = comm.send_receive(next, chunk(comm.rank() - s), previous);
    kernels::add(message.floats(), chunk(comm.rank() - s - 1));
  }
  kernels::scale(1.0F / static_cast<float>(n), chunk(comm.rank() + 1));

  // All-gather: the finished chunks go around once more.
  for (int s = 0; s < n - 1; ++s) {
    const Message message = comm.send_receive(next, chunk(comm.rank() + 1 - s), previous);
    std::ranges::copy(message.floats(), chunk(comm.rank() - s).begin());
  }
}

}  // namespace trainyard
