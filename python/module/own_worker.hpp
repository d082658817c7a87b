// A worker as its program in Python sees it.
//
// Threads: as own_rank.hpp.
#pragma once

#include <cstdint>
#include <optional>

#include "trainyard/collective/working_set.hpp"
#include "trainyard/runtime/worker.hpp"

#include "module/own_rank.hpp"

namespace trainyard::python {

class OwnWorker : public OwnRank {
 public:
  explicit OwnWorker(Worker& worker)
      : OwnRank(worker.comm(), worker.model().scalar()), worker_(worker) {}
  void end() override {
    OwnRank::end();
    keys_.reset();
    scratch_ = {};
  }

  Worker& worker() const {
    (void)comm();
    return worker_;
  }
  VectorBuffer& scratch() { return scratch_; }  // of averages with neighbours
  void look_ahead(std::uint64_t minibatches);
  bool next_step();
  /// What is pushed and pulled. Throws NoServers where there are none.
  WorkingSet& keys();

 private:
  void count_wait() const override;

  mutable std::uint64_t waits_ = 0;  // since the last step began
  Worker& worker_;
  VectorBuffer scratch_;
  std::uint64_t horizon_ = 1;       // minibatches that each pull is for
  std::optional<WorkingSet> keys_;  // from the first step on, where there are servers
};

void define_workers(py::module_& module);

}  // namespace trainyard::python
