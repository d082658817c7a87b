// One process's part in a run: its clock, what it has counted, and what has been agreed among all.
//
// Threads: the main one.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>

#include "trainyard/base/units.hpp"
#include "trainyard/runtime/pacing.hpp"
#include "trainyard/runtime/rank.hpp"
#include "trainyard/runtime/run_state.hpp"
#include "trainyard/runtime/steps.hpp"

#include "runtime/accounting.hpp"
#include "runtime/mpi/emulation.hpp"

namespace trainyard::mpi {

class Coordinator;

/// Minibatches of the common count.
struct Lot {
  std::uint64_t first = 0, count = 0;
};

/// What the rank has counted in other legs, as its state has it, and the way there.
Standing put_down_by(RunState& state, int rank);
void put_down(const Standing& counts, RunState& state, int rank);

class Member {
 public:
  /// `state` outlives it.
  Member(Connection& connection, const StepRule& rule, RunState& state, Look look,
         const Interrupts& interrupts);
  ~Member();

  /// Listens to what the others say, and stands still while the run is looked at. Throws RunAborted
  /// when another rank has failed.
  void attend();
  /// attend() for a rank whose program has ended.
  void listen();
  /// Listens at every eighth look, for a rank that looks for something again and again.
  void listen_now_and_then(std::uint64_t look);
  /// In the middle of a message: what it goes into is no model to look at, unless the run is to
  /// end.
  void listen_if_interrupted();
  /// Attends until `ready` says true.
  void wait_until(FunctionRef<bool()> ready);
  /// Waits until `ready` says true, listening meanwhile; this rank's time goes into waiting.
  void await(FunctionRef<bool()> ready);
  /// await() for a condition that only a word can make true.
  void await_word(FunctionRef<bool()> told);
  void tell(Word word, std::uint64_t first = 0, std::uint64_t second = 0);
  void tell_failure(Failure failure, const std::string& text);
  /// From the coordinator.
  void on(const Control& control);

  /// The time since start_clock(), less what all stood still.
  Time now() const;
  /// It was zero at that time of the steady clock, or of another's, if an offset is given.
  void start_clock(std::int64_t began_ns, const ClockOffset& offset = {});
  /// The offset as it was given.
  const ClockOffset& clock_offset() const { return offset_; }
  EmulationReport& emulation() { return emulation_; }
  const EmulationReport& emulation() const { return emulation_; }

  RankAccount& account() { return account_; }
  const RankAccount& account() const { return account_; }
  Standing& counts() { return counts_; }
  Standing standing() const;
  /// The part of the model that lies here; empty where another kind of process has it.
  ConstVector model() const;
  const GoOn& agreed() const { return agreed_; }
  bool is_over() const { return over_; }
  std::optional<Lot> take_lot();
  bool has_lot() const { return lot_.has_value(); }
  /// Until then a process whose program has ended stays with the others.
  bool is_to_report() const { return to_report_; }
  bool is_given_up() const { return given_up_; }
  bool is_interrupted() const;
  /// Whether all have been told, or are about to be.
  bool knows_of_interrupt() const { return knows_of_interrupt_; }
  /// nullptr but in the leading process.
  Coordinator* coordinator() { return coordinator_.get(); }
  const Coordinator* coordinator() const { return coordinator_.get(); }

 private:
  void stand(bool with_model);

  Connection& connection_;
  RunState& state_;
  const Interrupts interrupts_;
  std::unique_ptr<Coordinator> coordinator_;
  std::int64_t began_ns_ = 0, stood_ns_ = 0;
  ClockOffset offset_;
  EmulationReport emulation_;
  RankAccount account_;
  Standing counts_;
  GoOn agreed_;
  std::optional<Lot> lot_;
  bool over_ = false, given_up_ = false, to_report_ = false, knows_of_interrupt_ = false;
};

}  // namespace trainyard::mpi
