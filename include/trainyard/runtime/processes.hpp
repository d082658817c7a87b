// The ranks of a run as processes, each with memory of its own, and those of a host with memory
// that they share if a run asks for it: what a run asks of whatever started them. MPI does (mpi/);
// nothing here knows it.
//
//   const auto process = processes.join(setup, rule, state, look, {interrupted, interrupt});
//   ... a Worker or Server over process->pacing() ...
//   const RuntimeReport report = process->run(program);
//
// Threads: the main one of each process. What is said to be called by all is called by the main
// threads of all processes, in the same order.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <span>
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
  /// the report of another has its own account, and when its rank has ended. The first exception of
  /// any rank ends the others; the leading process throws it, or a RunError that says what it said.
  /// It throws RankLost for one that is gone, when the run has been interrupted for that.
  virtual RuntimeReport run(const std::function<void(Rank&)>& program) = 0;

  // A run of several legs. After run():
  /// Of the leading process: Pacer::has_more_legs().
  virtual bool has_more_legs() const = 0;
  /// Called by all: whether another leg follows, as the leading process wants it. None does where a
  /// rank has failed, or the run has ended with a look.
  virtual bool goes_on(bool wanted) = 0;
  /// What this process has counted goes into its state, for another leg; of the leading one what
  /// all have.
  virtual void put_down() = 0;
  /// Called by all, where another leg follows: the leading process has the bytes of all, in the
  /// order of ranks, its own ones empty; the others have nothing. Throws RankLost as run() does.
  virtual std::vector<std::vector<std::byte>> gather(std::span<const std::byte> own) = 0;

  /// After run(), of the leading process: a line for people about how it went; may be empty.
  virtual std::string note() const = 0;
};

/// The hosts that processes are on.
struct Hosts {
  std::vector<int> firsts;         // of each process the first one that shares memory with it
  std::vector<std::string> names;  // and its host's name; containers of one host may have several

  bool share_memory(int a, int b) const {
    return firsts[static_cast<std::size_t>(a)] == firsts[static_cast<std::size_t>(b)];
  }
};

/// The state of one process, as the others see it.
enum class ProcessState {
  together,    // it may end, and so may they
  waited_for,  // it is in a run: if it left now, the others would wait for ever
  broken,      // one of them is gone, as RankLost says
};

/// Memory that a process has, and the others of its host as well.
struct MemoryShare {
  int owner = 0;  // whose NUMA node it is on, if that one writes it first
  std::size_t bytes = 0;
};

/// A run that is interrupted in one process is so in all.
struct Interrupts {
  const std::atomic<bool>& flag;    // of this process
  std::function<void()> interrupt;  // sets it, when that has come to another; may be empty
};

class Processes {
 public:
  virtual ~Processes() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;
  /// The launcher of the processes, its version, and how many hosts they are on, in a line.
  virtual std::string description() const = 0;
  /// The one that prints and writes what comes of a run.
  bool leads() const { return rank() == 0; }

  virtual const Hosts& hosts() const = 0;
  /// How many of them are on this host, and whether this is the first of those.
  virtual int size_of_host() const = 0;
  virtual bool is_first_of_host() const = 0;
  /// Called by all of this host: what the first of them gives. Who waits for it sleeps.
  virtual std::vector<std::byte> from_first_of_host(std::vector<std::byte> bytes) = 0;

  virtual ProcessState state() const = 0;

  /// Called by all: throws where one of them has failed. The leading process throws its own
  /// failure, or a RunError with the first other one's rank, host and message.
  virtual void agree(std::exception_ptr failure) = 0;

  /// Called by all: "rank 2 on node7", the first process whose number is not the leading one's;
  /// empty if there is none.
  virtual std::string first_unlike(std::uint64_t number) = 0;

  /// Called by all: the leading one's number.
  virtual std::uint64_t from_leading_one(std::uint64_t number) = 0;
  /// Called by all, before a run: what the leading one has for this process. It is asked for each
  /// in turn, its own too.
  virtual std::vector<std::byte> handed_out(
      const std::function<std::vector<std::byte>(int rank)>& bytes_for) = 0;

  /// Called by all, before the first look at a run: the first `ranks` processes are its ranks, and
  /// of those the first `workers` its workers. With an emulated network there is one process more,
  /// its switch, which takes part in everything here but runs no program. Waits for all, and for
  /// ever where one is killed meanwhile: later that would cost results.
  virtual void divide(int workers, int ranks) = 0;

  /// Called by all with the same shares, before the first look at a run, for the same reason; it
  /// may wait as divide() does. Of each share its bytes, on cache lines of their own, which all
  /// processes of the owner's host have until this is called again; empty in those of another. What
  /// one has written the others may read once they have heard from it, or when both have begun the
  /// run. Throws RunError where there is not so much. From now on to the end of run() this process
  /// is waited for.
  virtual std::vector<std::span<std::byte>> share_memory(std::span<const MemoryShare> shares) = 0;

  /// Called by all after divide(), with the same setup and rule. `look` is called in the leading
  /// process. All outlive what is returned.
  virtual std::unique_ptr<ProcessRun> join(const RuntimeSetup& setup, const StepRule& rule,
                                           RunState& state, Look look,
                                           const Interrupts& interrupts) = 0;
};

}  // namespace trainyard
