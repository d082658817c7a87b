// The model that the threads of a worker's machine share (Cast::machine_threads), as one of them
// deals with it: Hogwild on a machine whose steps reach the others by messages (Project Adam:
// Chilimbi, Suzue, Apacible & Kalyanaraman, OSDI 2014, §3.1.2). With one thread a machine it is
// that thread's replica alone, and nothing is copied.
#pragma once

#include <optional>

#include "trainyard/model/kernels.hpp"
#include "trainyard/runtime/shared_steps.hpp"
#include "trainyard/scheme/scheme.hpp"

namespace trainyard {

inline const HyperparameterInfo machine_threads_info{
    .name = "machine-threads",
    .argument = "T",
    .help =
        "neighbouring workers that are threads of one machine: one port, and a model that they "
        "step without locks between fetches",
    .fallback = 1,
    .low = 1,
    .high = 32000,
    .whole = true};

class MachineModel {
 public:
  explicit MachineModel(Worker& worker) : worker_(worker) {
    if (worker.hyperparameter(machine_threads_info.name) > 1) shared_.emplace(worker);
  }

  /// Whether there are other threads, to whom a step shows before the next fetch.
  bool is_shared() const { return shared_.has_value(); }

  /// The replica becomes what the threads have made of the model so far.
  void read() {
    if (!shared_) return;
    shared_->touch(shared_->group(), LineUse::read);
    shared_->own().read(worker_.replica().floats());
  }
  /// x ← x − γ g, racy as Hogwild's; the replica is what was written.
  void descend(ConstVector gradient) {
    if (!shared_) {
      kernels::axpy(-worker_.step_size(), gradient, worker_.replica());
    } else {
      shared_->touch(shared_->group(), LineUse::write);
      shared_->own().add(-static_cast<float>(shared_->step_size()), gradient.floats(),
                         worker_.replica().floats(), SharedAccess::racy);
    }
  }
  /// The model becomes the replica: what a thread fetches replaces it for all of them, with steps
  /// that have not come back from the servers yet.
  void replace() {
    if (!shared_) return;
    shared_->touch(shared_->group(), LineUse::write);
    shared_->own().write(worker_.replica().floats());
  }

 private:
  Worker& worker_;
  std::optional<SharedSteps> shared_;
};

}  // namespace trainyard
