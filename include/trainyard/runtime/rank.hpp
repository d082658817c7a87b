// The interface of a runtime to each rank: its communicator, its clock, and the function every
// computation goes through. There are three runtimes, in wall/, virtual/ and mpi/; what runs on
// them cannot tell which.
//
// Threads: a rank is called by its own thread or fiber alone. When another rank fails,
// its calls are unwound by an exception that programs let pass.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "trainyard/base/function_ref.hpp"
#include "trainyard/base/units.hpp"
#include "trainyard/network/network.hpp"
#include "trainyard/runtime/communicator.hpp"

namespace trainyard {

/// The cost of a piece of computation.
struct ComputeCost {
  Duration simulated{0};  // `virtual`: how long it takes
  double slowdown = 1.0;  // `wall`: this many times as long as it really took (a straggler)
  Duration pause{0};      // both: and then it stands still
  /// It reads memory that other ranks write: in `virtual` it is then done in the instant in which
  /// it starts, before any other rank goes on, so that it sees exactly the values of that instant.
  bool reads_shared = false;
};

/// The shares of a rank's time: waiting for a message counts as transfer while that message holds
/// the ports, and as wait before; everything else is compute. The three add up to the rank's time.
struct RankAccount {
  Duration compute{0}, transfer{0}, wait{0};
  // Messages within a machine are in none of these.
  std::uint64_t messages_sent = 0, bytes_sent = 0;
  std::uint64_t messages_received = 0, bytes_received = 0;
};

/// Messages and bytes of all; the times are left zero.
RankAccount total_traffic(const std::vector<RankAccount>& accounts);

class TraceRecorder;

class Rank : public Communicator {
 public:
  /// Ends the setup of this rank. The clock starts at zero when every rank has called it.
  virtual void begin() = 0;

  /// The time since the run began, the same for all ranks.
  virtual Time now() = 0;

  /// Of that time, what it was not computing: it waited, or was at its transfers.
  virtual Duration blocked() const = 0;

  /// Does `work`, which takes `cost`.
  virtual void compute(const ComputeCost& cost, FunctionRef<void()> work) = 0;

  /// As compute(), for a rank with a communication thread: messages that arrive meanwhile are
  /// handed to `serve`, which may keep them; when it returns false the work is abandoned. Returns
  /// false when it was.
  ///
  /// In `virtual` at the moment of its arrival; in `wall`, where the rank is one thread, when the
  /// work is done, and at most 0.1 ms late while it stands still after that as a straggler. `work`
  /// and `serve` share nothing that either writes.
  virtual bool compute_serving(const ComputeCost& cost, FunctionRef<void()> work,
                               FunctionRef<bool(Message&)> serve) = 0;

  /// Calls `inspect` while no rank runs and the clock stands still, so that it may look at any
  /// rank's models. Ranks stand still between the verbs of this interface and of Communicator; in
  /// `virtual`, work inside compute() may go on meanwhile, so it writes only what is its rank's
  /// own.
  virtual void stand_still(FunctionRef<void()> inspect) = 0;

  /// Messages and bytes of all ranks so far. REQUIRES: called from within stand_still().
  virtual RankAccount traffic_of_all() const = 0;

  /// The run is over when its clock is there, whatever ranks are at: they are unwound, and what is
  /// under way is dropped. That is a report like any other. REQUIRES: called from within
  /// stand_still(), by ranks that share memory.
  virtual void end_at(Time when) = 0;

 protected:
  using Communicator::Communicator;
};

/// What a run has done before the leg that a runtime is to run (run_state.hpp).
struct Begun {
  Time at{0};                         // where its clock goes on
  std::vector<RankAccount> accounts;  // of each rank; empty: zeros
};

/// Everything a runtime wants to know before it starts.
struct RuntimeSetup {
  int workers = 1;
  int servers = 0;
  Network network;
  /// [ranks]: the worker on whose machine each runs; empty: all have machines of their own
  /// (network/links.hpp).
  std::vector<int> hosts{};
  /// `wall`: the processing unit of each rank (hwloc logical index), empty for no pinning.
  std::vector<int> pinned_to;
  /// `wall`: ranks share cores, so a waiting rank parks instead of spinning.
  bool cores_are_shared = false;
  /// `wall`: how long nothing may happen at all before a hang is reported.
  Duration hang_patience = std::chrono::seconds(10);
  /// `wall`: messages of one pair that may be under way at once, >= 1; a sender that is further
  /// ahead waits.
  std::size_t channel_capacity = 256;
  Begun begun{};
  /// `virtual`: so many workers' programs do nothing, and meet nobody at barriers, which are free.
  int absent = 0;
  /// `virtual`: the run is over then, as by Rank::end_at().
  Time ends_at = Time::max();
  /// `virtual`: where all wait for each other, the run is over instead of failing.
  bool may_get_stuck = false;
  /// Is told what happens, when there is one. Outlives the run.
  TraceRecorder* recorder = nullptr;
  /// `wall`: once it is true nothing is waited for any more, neither messages nor stragglers, so
  /// that the steps that have begun end at once. May be nullptr.
  const std::atomic<bool>* interrupted = nullptr;
  /// `wall`: how long they may take after that to end by themselves, counted from when none is any
  /// more at the computation that it was at, or at the next one. Then they are unwound.
  Duration interrupt_patience = std::chrono::milliseconds(750);
};

struct RuntimeReport {
  Duration elapsed{0};                // until the last rank ended, all legs together
  std::vector<RankAccount> accounts;  // one for each rank, each adding up to `elapsed`
  /// `wall`: the time that the workers' computing took over the processor time that it used, ≥ 1: 2
  /// when each has half a core. Sampled; empty when none computed.
  std::optional<double> compute_stretch{};
  /// `wall`: it was interrupted, and the ranks did not end by themselves within the patience: what
  /// they hold may be half done.
  bool given_up = false;
  /// Of all messages the tries that were lost (network/faults.hpp). Empty where nobody knows.
  std::optional<std::uint64_t> tries_lost{};
  std::string stuck{};  // if it got stuck: who waits for whom
};

/// Runs `program` once for each rank and returns when all have ended. The first exception of any
/// rank ends the others and is rethrown. A deadlock is an InternalError that says who waits for
/// whom.
RuntimeReport run_virtual(const RuntimeSetup& setup, const std::function<void(Rank&)>& program);
RuntimeReport run_wall(const RuntimeSetup& setup, const std::function<void(Rank&)>& program);

}  // namespace trainyard
