// Gossip that takes back what mixing does to a worker's own step, which would leave a bias on
// heterogeneous data: C adds up what mixing has changed, and is added to the model after each step.
//   x ← x − γ g + C;   in a round  x ← Wx,  C ← C + β (W − I) x, of the old x.
// What one end of a link gets the other loses, so that the C of all workers add up to 0, in single
// precision too (exact_diffusion.cpp, which has a round after every step and β = 1). W is static
// and symmetric.
#pragma once

#include "trainyard/collective/neighbour_average.hpp"
#include "trainyard/model/kernels.hpp"
#include "trainyard/scheme/scheme.hpp"

namespace trainyard {

/// The least eigenvalue of W with which x and C stay bounded where there are no gradients, for
/// `gain` · (W − I) x taken back between two rounds: of (1 − s) I + s W it is (gain − 2)/(gain +
/// 2).
inline double least_eigenvalue_of_correction(const Hyperparameters& given, double gain) {
  return 1.0 - 4.0 / (gain + 2.0) / hyperparameter(given, "mixing-share");
}

/// Threads: belongs to its worker's rank.
class Correction {
 public:
  /// Over (1 − share) I + share W, β being `rate`.
  Correction(Worker& worker, double share, double rate)
      : comm_(worker.comm()),
        mixing_(lazy(worker.next_round(), share)),
        rate_(rate),
        model_(worker.replica()),
        correction_(worker.keep("correction", model_.size())),
        change_(model_.scalar(), model_.size()) {}

  /// As the run's hyperparameters have both.
  explicit Correction(Worker& worker)
      : Correction(worker, worker.hyperparameter("mixing-share"),
                   worker.hyperparameter("correction-rate")) {}

  void add_to_model() const { kernels::add(correction_, model_); }
  /// A round.
  void mix() {
    send_to_neighbours(comm_, mixing_, model_);
    difference_to_neighbours(comm_, mixing_, model_, change_.view());
    kernels::add(change_.view(), model_);
    kernels::axpy(rate_, change_.view(), correction_);
  }

 private:
  Communicator& comm_;
  const MixingRow mixing_;
  const double rate_;
  const Vector model_, correction_;
  VectorBuffer change_;
};

}  // namespace trainyard
