// The way chosen at run time by the length of the vector, as MPI libraries do it (Thakur,
// Rabenseifner & Gropp 2005): short vectors by a way of few messages, here the tree with 2⌈log2 n⌉
// of the whole, long ones by one that scatters them, here the ring with 2(n−1) of an n-th.
// Libraries measure their thresholds once for a machine; here the closed forms say for the run's
// network which of the two takes less. They meet where t, the time that the whole vector takes on
// the wire, is
//   t = α (n − 1 − ⌈log2 n⌉) / (⌈log2 n⌉ − (n−1)/n),
// 1.9 α with 8 workers; up to 3 workers the ring is never the longer one.
//
// Every worker comes to the same answer, as length and network are the same for all. It is that of
// the default link: where links differ, either may be the better one. Where the network takes no
// time, the ring: it copies less.
#include "trainyard/collective/all_reduce.hpp"
#include "trainyard/network/network.hpp"

namespace trainyard {

namespace {

const AllReduce& shorter(int workers, std::size_t length, MessageTime message) {
  static const AllReduce& tree = find_all_reduce("tree");
  static const AllReduce& ring = find_all_reduce("ring");
  const bool short_enough =
      tree.duration(workers, 0, length, message) < ring.duration(workers, 0, length, message);
  return short_enough ? tree : ring;
}

}  // namespace

Duration by_size_time(int workers, int wanted, std::size_t length, MessageTime message) {
  return shorter(workers, length, message).duration(workers, wanted, length, message);
}

void by_size_sum(Communicator& comm, Vector vector) {
  const FloatMessages floats{comm.network()};
  const std::size_t floats_a_number = bytes_of(vector.scalar()) / sizeof(float);
  const auto message = [&](std::size_t numbers) { return floats(numbers * floats_a_number); };
  shorter(comm.workers(), vector.size(), message).sum(comm, vector);
}

}  // namespace trainyard
