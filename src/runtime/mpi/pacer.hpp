// The implementation of next_step() for ranks that are processes (runtime/pacing.hpp): the same
// rule (runtime/steps.hpp) as where they share memory, over counts that the coordinator has.
//
// Threads: the main one.
#pragma once

#include <cstdint>

#include "trainyard/runtime/pacing.hpp"
#include "trainyard/runtime/steps.hpp"

#include "runtime/mpi/member.hpp"

namespace trainyard::mpi {

class ProcessPacer final : public Pacing {
 public:
  /// All outlive it.
  ProcessPacer(const Connection& connection, Member& member, const StepRule& rule);

  bool next_step(Rank& rank, std::uint64_t done) override;
  void follow(int worker, std::uint64_t done, bool goes_on) override;
  int team() const override { return rule_.team; }
  void sit_out(int) override { ++member_.counts().sat_out; }
  void close_step(Rank& rank, std::uint64_t minibatches) override;
  std::uint64_t last_step() const override { return member_.agreed().last_step; }
  std::uint64_t minibatch_number(int) const override {
    return rule_.pace == Pace::free
               ? lot_.first + lot_.count - left_
               : member_.counts().done * static_cast<std::uint64_t>(rule_.workers);
  }
  std::uint64_t worker_steps_done() const override;
  Snapshot final_snapshot(const RuntimeReport& report) override;

 private:
  Verdict ask(Rank& rank, StepCounts& counts);
  bool claim_lot();

  void count_done(std::uint64_t done);

  const SharedWindow* const shared_;  // nullptr where not all workers share memory
  Member& member_;
  const StepRule rule_;
  Lot lot_;  // free: the present one, and how many minibatches are left of it
  std::uint64_t left_ = 0;
  bool lot_is_asked_for_ = false;
  const std::uint64_t done_before_;  // steps of this rank in other legs
  Time instant_{-1};                 // the clock at the latest step
  std::uint64_t first_of_instant_ = 0;
};

}  // namespace trainyard::mpi
