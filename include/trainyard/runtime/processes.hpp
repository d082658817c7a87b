// The ranks of a run as processes, each with memory of its own: what a run asks of whatever started
// them. MPI does (mpi/); nothing here knows it.
//
//   const auto process = processes.join(setup, rule, state, look, interrupted);
//   ... a Worker or Server over process->pacing() ...
//   const RuntimeReport report = process->run(program);
//
// Threads: the main one of each process. What is said to be called by all is called by the main
// threads of all processes, in the same order.
#pragma once

#include <atomic>
#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "trainyard/base/error.hpp"
#include "trainyard/runtime/pacing.hpp"
#include "trainyard/runtime/rank.hpp"
#include "trainyard/runtime/run_state.hpp"
#include "trainyard/runtime/steps.hpp"

namespace trainyard {

/// A process that does not answer any more, as one that was killed. The message names its rank and
/// its host.
class RankLost : public RunError {
 public:
  using RunError::RunError;
};

/// One run of all processes, from one of them.
class ProcessRun {
 public:
  virtual ~ProcessRun() = default;
  virtual Pacing& pacing() = 0;
  /// Called by all: runs `program` as this process's rank, and returns when all have ended. The
  /// leading process then has every rank's account, staleness, coding and model in its RunState;
  /// the report of another has nothing. The first exception of any rank ends the others; the
  /// leading process throws it, or a RunError that says what it said. It throws RankLost for one
  /// that is gone, when the run has been interrupted for that.
  virtual RuntimeReport run(const std::function<void(Rank&)>& program) = 0;
};

class Processes {
 public:
  virtual ~Processes() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;
  /// What runs them, with its version, and how many hosts they are on, in a line.
  virtual std::string description() const = 0;
  /// The one that prints and writes what comes of a run.
  bool leads() const { return rank() == 0; }

  /// How many of them are on this host, and whether this is the first of those.
  virtual int size_of_host() const = 0;
  virtual bool is_first_of_host() const = 0;
  /// Called by all of this host: what the first of them gives. Who waits for it sleeps.
  virtual std::vector<std::byte> from_first_of_host(std::vector<std::byte> bytes) = 0;

  /// One of them is gone: RankLost was thrown.
  virtual bool is_broken() const = 0;

  /// Called by all: throws where one of them has failed. The leading process throws its own
  /// failure, or a RunError with the first other one's rank, host and message.
  virtual void agree(std::exception_ptr failure) = 0;

  /// Called by all, before the first look at a run: the first ranks, so many, are its workers.
  /// Waits for all, and for ever where one is killed meanwhile: later that would cost results.
  virtual void divide(int workers) = 0;

  /// Called by all after divide(), with the same setup and rule. `look` is called in the leading
  /// process. All outlive what is returned.
  virtual std::unique_ptr<ProcessRun> join(const RuntimeSetup& setup, const StepRule& rule,
                                           RunState& state, Look look,
                                           const std::atomic<bool>& interrupted) = 0;
};

}  // namespace trainyard
