// Recursive doubling: in each round every worker exchanges its whole sum with the one at distance
// 1, 2, 4, … (Thakur, Rabenseifner & Gropp 2005). Fewest latencies, log2 n; but the whole vector
// each time.
//
// Both partners of an exchange add the same two numbers, and a + b has the bits of b + a: so all
// workers end with the same bits.
#include "trainyard/collective/all_reduce.hpp"

#include "collective/power_of_two_fold.hpp"

namespace trainyard {

void recursive_doubling_sum(Communicator& comm, Vector vector) {
  Loans loans(comm);
  PowerOfTwoFold fold(comm);
  fold.in(vector, loans);
  for (int distance = 1; !fold.sits_out() && distance < fold.active(); distance *= 2) {
    const int partner = comm.rank() ^ distance;
    // Sent, not lent: what the partner reads is being added to meanwhile.
    comm.send(partner, vector);
    comm.receive_add(partner, vector);
  }
  fold.out(vector, loans);
}

}  // namespace trainyard
