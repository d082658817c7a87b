// Push-sum over links that lose messages for good: robust averaging by running sums
// (Hadjicostis, Vaidya & Domínguez-García, "Robust distributed average consensus via exchange of
// running sums", IEEE Transactions on Automatic Control 2016; catalogue §4.2). A share that is lost
// takes its part of Σu and Σw with it: weights fall, at each loss, and steps of γ g/w grow. So a
// worker sends j not the share of this round but σ_ij, the sum of all shares that it has ever given
// to j, and j keeps ρ_ij, the last of them that came, and takes the difference:
//   σ_ij ← σ_ij + W_ji (u_i, w_i);   (u_j, w_j) ← … + σ_ij − ρ_ij,  ρ_ij ← σ_ij where it came.
// What one message does not bring the next one does: a loss is a delay. Over workers and links
// Σ(u, w) + Σ(σ − ρ) never changes.
//
// Costs: two vectors in memory for each link of a worker, and digits. σ grows with the steps, and a
// float that is k shares large is exact to k shares' rounding only; what is taken of (u, w) is the
// change of σ as it was rounded, so that nothing is lost by it.
//
// Threads: belongs to its worker's rank.
#pragma once

#include <map>

#include "trainyard/base/vector.hpp"
#include "trainyard/scheme/scheme.hpp"

namespace trainyard {

class RunningSums {
 public:
  /// Of the vector `pair` and its weight in one, (u, w). Keeps "sigma to J" and "rho from J" for
  /// whom it gives to and takes from in any round of the graph. Both outlive it.
  RunningSums(Worker& worker, Vector pair);

  void send(Communicator& comm, const MixingRow& row);
  void receive(Communicator& comm, const MixingRow& row);

 private:
  Vector pair_;
  std::map<int, Vector> given_, taken_;  // σ, by receiver; ρ, by sender
  VectorBuffer whole_, before_;
};

}  // namespace trainyard
