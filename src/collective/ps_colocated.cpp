// Parameter servers on the workers themselves: worker w is the server of part w. All parts go to
// their servers, the sums go back to all. As many bytes and latencies as the ring, but every
// message goes straight.
//
// The order matters: in round r worker w sends to w + r, so that every receive port is wanted once
// a round. If all began with part 0, the exchange would take 1.5 times as long (catalogue §1.2).
//
// Where workers can show one another vectors nobody sends: a server reads its part from all others
// at once, which keeps more lines on their way than one after another (with 16 cores a MiB takes
// 291 µs instead of 390 to 560), and then they read the sum from it. Libraries of several GPUs call
// that two-shot all-reduce. The order of the sums is the same, and so are the bits.
#include <algorithm>
#include <array>

#include "trainyard/base/even_split.hpp"
#include "trainyard/collective/all_reduce.hpp"
#include "trainyard/collective/primitives.hpp"
#include "trainyard/model/kernels.hpp"
#include "trainyard/runtime/shown.hpp"

namespace trainyard {

namespace {

/// Two workers exchange halves, which is as fast by messages.
constexpr int fewest_shown = 3;

void two_shot_sum(Communicator& comm, Vector vector) {
  const int n = comm.workers();
  const int rank = comm.rank();
  const auto first_of = [&](int owner) { return even_cut(vector.size(), owner, n); };
  const auto size_of = [&](int owner) { return first_of(owner + 1) - first_of(owner); };
  const Vector own = vector.subspan(first_of(rank), size_of(rank));

  Shown shown(comm);
  shown.show(vector, Shown::in_place, size_of);
  std::array<ConstVector, kernels::most_summed> summands{own};
  for (int round = 1; round < n; ++round) {
    const int worker = (rank - round + n) % n;
    summands[static_cast<std::size_t>(round)] = shown.by(worker, first_of(rank), own.size());
  }
  kernels::sum(std::span(summands).first(static_cast<std::size_t>(n)), own);

  const bool short_parts =
      largest_part(vector.size(), n) * bytes_of(vector.scalar()) <= Shown::most_copied;
  shown.show(own, short_parts ? Shown::copy : Shown::in_place, [&](int) { return own.size(); });
  for (int round = 1; round < n; ++round) {
    const int owner = (rank - round + n) % n;
    kernels::copy(shown.by(owner, 0, size_of(owner)),
                  vector.subspan(first_of(owner), size_of(owner)));
  }
}

}  // namespace

void colocated_servers_sum(Communicator& comm, Vector vector) {
  const int n = comm.workers();
  const int rank = comm.rank();
  if (comm.shows() && n >= fewest_shown && n <= static_cast<int>(kernels::most_summed)) {
    return two_shot_sum(comm, vector);
  }
  const auto part = [&](int owner) { return even_split(vector, owner, n); };
  Loans loans(comm);  // of a part, to its owner, whose sum it has gone into when that overwrites it
  for (int round = 1; round < n; ++round) {
    const int owner = (rank + round) % n;
    loans.send(owner, part(owner));
  }
  for (int round = 1; round < n; ++round) {
    comm.receive_add((rank - round + n) % n, part(rank));
  }
  for (int round = 1; round < n; ++round) loans.send((rank + round) % n, part(rank));
  for (int round = 1; round < n; ++round) {
    const int owner = (rank - round + n) % n;
    comm.receive_into(owner, part(owner));
  }
}

void all_to_all(Communicator& comm, ConstVector outgoing, Vector incoming) {
  const int n = comm.workers();
  const int rank = comm.rank();
  kernels::copy(even_split(outgoing, rank, n), even_split(incoming, rank, n));
  Loans loans(comm);
  for (int round = 1; round < n; ++round) {
    const int to = (rank + round) % n;
    loans.send(to, even_split(outgoing, to, n));
  }
  for (int round = 1; round < n; ++round) {
    const int from = (rank - round + n) % n;
    comm.receive_into(from, even_split(incoming, from, n));
  }
}

}  // namespace trainyard
