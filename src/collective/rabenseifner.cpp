// Rabenseifner's algorithm (2004): recursive halving, then recursive doubling. With distances n/2,
// …, 1 partners split the range they share, each sending the half that the other keeps, until each
// worker has the sum of one n-th; then the way back puts the pieces together. 2 log2 n latencies
// and only 2(1 − 1/n) of the vector: what the ring sends, with far fewer latencies.
//
// Of short vectors that do not divide evenly, who has the smaller pieces would be ahead on the way
// back, and its next message would hold the port of a partner that still exchanges with another:
// so partners wait for each other.
#include <array>
#include <cstddef>

#include "trainyard/collective/all_reduce.hpp"
#include "trainyard/collective/short_parts.hpp"

#include "collective/power_of_two_fold.hpp"

namespace trainyard {

namespace {

/// A range cut in two; the first half is the smaller where the length is odd.
struct Halves {
  Vector lower, upper;
  explicit Halves(Vector range)
      : lower(range.first(range.size() / 2)), upper(range.subspan(range.size() / 2)) {}
};

}  // namespace

void rabenseifner_sum(Communicator& comm, Vector vector) {
  // The half that is lent to a partner is overwritten by what comes back from the same partner, who
  // has added it up by then.
  Loans loans(comm);
  PowerOfTwoFold fold(comm);
  fold.in(vector, loans);

  // ranges[i] is what this worker still had before halving i; 2^32 workers would need 32.
  std::array<Vector, 32> ranges;
  std::size_t depth = 0;
  Vector range = vector;
  for (int distance = fold.active() / 2; !fold.sits_out() && distance >= 1; distance /= 2) {
    ranges[depth++] = range;
    const Halves halves(range);
    const bool keeps_lower = (comm.rank() & distance) == 0;
    const int partner = comm.rank() ^ distance;
    range = keeps_lower ? halves.lower : halves.upper;
    loans.send(partner, keeps_lower ? halves.upper : halves.lower);
    comm.receive_add(partner, range);
  }
  const bool waits = takes_turns(vector.size(), comm.workers(), fold.active());
  for (int distance = 1; depth > 0; distance *= 2) {
    const Halves halves(ranges[--depth]);
    const bool kept_lower = (comm.rank() & distance) == 0;
    const int partner = comm.rank() ^ distance;
    if (waits) {
      comm.send_control(partner, 0);
      (void)comm.receive(partner);
    }
    loans.send(partner, range);
    comm.receive_into(partner, kept_lower ? halves.upper : halves.lower);
    range = ranges[depth];
  }
  fold.out(vector, loans);
}

}  // namespace trainyard
