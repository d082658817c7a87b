// Worker momentum: a worker sends the running mean of its gradients, m ← β m + (1 − β) g, in place
// of the gradient (Karimireddy, He & Jaggi, ICML 2021, Algorithm 2; El Mhamdi, Guerraoui & Rouault,
// ICLR 2021). Among means of many minibatches honest workers differ less, which is all that a
// robust rule goes by; a momentum of the server's comes too late for that. β = 0: the gradient
// itself.
#pragma once

#include "trainyard/base/error.hpp"
#include "trainyard/model/kernels.hpp"
#include "trainyard/scheme/scheme.hpp"

namespace trainyard {

inline const HyperparameterInfo worker_momentum_info{
    .name = "worker-momentum",
    .argument = "BETA",
    .help =
        "what a worker keeps of the mean of its gradients, which takes the place of the last "
        "one; for robust rules",
    .fallback = 0.0,
    .low = 0.0,
    .high = 0.9999};

class WorkerMomentum {
 public:
  /// Throws OptionError where gradients go by keys: a mean of many has all of them.
  explicit WorkerMomentum(Worker& worker) : beta_(worker.hyperparameter("worker-momentum")) {
    if (beta_ == 0.0) return;
    if (worker.gradient_shape().key_width > 0) {
      throw OptionError("worker-momentum",
                        "the mean of a worker's gradients has numbers everywhere, and does not go "
                        "by keys; --sparse-wire off sends it whole");
    }
    mean_ = worker.keep("momentum", worker.replica().size());
  }

  /// What is sent for that gradient, in its place.
  Vector of(Vector gradient) {
    if (beta_ == 0.0) return gradient;
    kernels::move_towards(1.0 - beta_, gradient, mean_);
    kernels::copy(mean_, gradient);
    return gradient;
  }

 private:
  const double beta_;
  Vector mean_;
};

}  // namespace trainyard
