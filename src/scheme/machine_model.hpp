// The model that the threads of a worker's machine share (Cast::machine_threads), as one of them
// deals with it: Hogwild on a machine whose steps reach the others by messages (Project Adam:
// Chilimbi, Suzue, Apacible & Kalyanaraman, OSDI 2014, §3.1.2). With one thread a machine it is
// that thread's replica alone, and nothing is copied.
#pragma once

#include "trainyard/model/kernels.hpp"
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
  explicit MachineModel(Worker& worker)
      : worker_(worker),
        shared_(worker.hyperparameter(machine_threads_info.name) > 1
                    ? &worker.shared().of(worker.group())
                    : nullptr) {}

  /// Whether there are other threads, to whom a step shows before the next fetch.
  bool is_shared() const { return shared_ != nullptr; }

  /// The replica becomes what the threads have made of the model so far.
  void read() {
    if (shared_ == nullptr) return;
    worker_.touch_shared(worker_.group(), LineUse::read);
    shared_->read(worker_.replica().floats());
  }
  /// x ← x − γ g, racy as Hogwild's; the replica is what was written.
  void descend(ConstVector gradient) {
    if (shared_ == nullptr) {
      kernels::axpy(-worker_.step_size(), gradient, worker_.replica());
    } else {
      worker_.touch_shared(worker_.group(), LineUse::write);
      shared_->add(-static_cast<float>(worker_.common_step_size()), gradient.floats(),
                   worker_.replica().floats(), SharedAccess::racy);
    }
  }
  /// The model becomes the replica: what a thread fetches replaces it for all of them, with steps
  /// that have not come back from the servers yet.
  void replace() {
    if (shared_ == nullptr) return;
    worker_.touch_shared(worker_.group(), LineUse::write);
    shared_->write(worker_.replica().floats());
  }

 private:
  Worker& worker_;
  SharedModel* shared_;
};

}  // namespace trainyard
