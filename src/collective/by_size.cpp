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
// the default link: where links differ, either may be the better one.
//
// Where the network takes no time the machine's memory does, and the closed forms say nothing. By
// what was measured with 4, 8 and 16 cores (docs/limits.md): as long as all that a worker reads is
// some 250 cache lines, all to all in one way across; then servers on the workers, who read from
// all others at once. With two workers the ring is as fast, and so it stays with three.
#include "trainyard/collective/all_reduce.hpp"
#include "trainyard/model/kernels.hpp"
#include "trainyard/network/network.hpp"

#include "collective/one_shot.hpp"

namespace trainyard {

namespace {

constexpr std::size_t most_bytes_read_in_one_shot = 16384;

void sum_in_memory(Communicator& comm, Vector vector) {
  const auto n = static_cast<std::size_t>(comm.workers());
  const std::size_t bytes = vector.bytes().size();
  const bool in_one_shot =
      bytes <= most_bytes_of_one_shot && (n - 1) * bytes <= most_bytes_read_in_one_shot;
  if (n == 1) return;
  if (n > kernels::most_summed) return ring_sum(comm, vector);
  if (in_one_shot) return one_shot_sum(comm, vector);
  if (n <= 3) return ring_sum(comm, vector);
  colocated_servers_sum(comm, vector);
}

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
  if (comm.network().perfect()) return sum_in_memory(comm, vector);
  const FloatMessages floats{comm.network()};
  const std::size_t floats_a_number = bytes_of(vector.scalar()) / sizeof(float);
  const auto message = [&](std::size_t numbers) { return floats(numbers * floats_a_number); };
  shorter(comm.workers(), vector.size(), message).sum(comm, vector);
}

}  // namespace trainyard
