// Watches the threads of a run's ranks in `wall`: where they ran, and with --counters what
// processor and kernel counted. In simulated time ranks have no threads and nothing is seen.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "trainyard/hardware/counters.hpp"
#include "trainyard/hardware/energy.hpp"
#include "trainyard/hardware/machine.hpp"
#include "trainyard/hardware/page_nodes.hpp"
#include "trainyard/hardware/processor_quota.hpp"
#include "trainyard/hardware/thread_meter.hpp"
#include "trainyard/run/run.hpp"
#include "trainyard/runtime/run_state.hpp"

namespace trainyard {

/// The time that a quota of CPU time has taken (hardware/processor_quota.hpp), between start() and
/// stop(), which may be called again and again.
class ThrottleMeter {
 public:
  /// `root`: of the system, another than "/" for tests.
  explicit ThrottleMeter(std::filesystem::path root = "/") : root_(std::move(root)) {}
  void start() { began_ = throttled_seconds(root_); }
  void stop();
  double seconds() const { return seconds_; }
  /// A note about it; empty if nothing was held back.
  std::string note() const;

 private:
  std::filesystem::path root_;
  std::optional<double> began_;  // empty: stopped, or there is no quota
  double seconds_ = 0.0;
};

/// Threads: Watch by each rank's own thread; the rest by those that start and join the ranks, or
/// while the ranks stand still.
class Observation {
 public:
  Observation(const Configuration& resolved, int ranks);

  /// Watches one rank; made, used and destroyed on its thread: what it is opened for is off the
  /// clock, and what is counted is from begins() on.
  class Watch {
   public:
    Watch(Observation& all, int rank);
    ~Watch();
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;
    void begins();

   private:
    Observation& all_;
    std::size_t rank_;
    std::optional<ThreadTrail> trail_;
    std::optional<ThreadMeter> meter_;
  };

  /// Energy, and what a quota of CPU time holds back, are counted while this exists, and no Pause.
  class Run {
   public:
    explicit Run(Observation& all) : all_(all) { all_.count(all_.runs_ = true); }
    ~Run() { all_.count(all_.runs_ = false); }
    Run(const Run&) = delete;
    Run& operator=(const Run&) = delete;

   private:
    Observation& all_;
  };
  /// An evaluation, with all cores.
  class Pause {
   public:
    explicit Pause(Observation& all) : all_(all) { all_.count(false); }
    ~Pause() { all_.count(all_.runs_); }
    Pause(const Pause&) = delete;
    Pause& operator=(const Pause&) = delete;

   private:
    Observation& all_;
  };

  /// A note about ranks of which something is not counted, with the reason; else empty.
  std::string note() const;

  /// When all ranks have ended. `remark`, where there is one, is told what a quota of CPU time held
  /// back while they ran.
  void put_into(RunResult& result, const RunState& state,
                const std::function<void(const std::string&)>& remark) const;

 private:
  void count(bool counts);

  std::vector<ThreadPlace> places_;   // each written by its rank
  std::vector<ThreadCounts> counts_;  // the same; empty without --counters
  std::size_t metered_ = 0;           // ranks, the first ones, whose events may be counted
  std::optional<EnergyMeter> energy_;
  ThrottleMeter throttle_;
  bool runs_ = false;
};

/// How many of so many ranks can have their events counted where so many files may be opened: some
/// are left for what the run itself writes.
std::size_t ranks_metered(std::size_t ranks, std::size_t room);
/// The least room with which none of so many ranks is left out.
std::size_t room_of_meters(std::size_t ranks);

/// "ranks 0-3 on cores 0-3 of node 0; never moved", "not pinned: at the end 8 ranks on 2 cores of
/// node 0; moved 17 times". REQUIRES: who is pinned sits as place_ranks() says for this machine.
std::string ran_on_text(const Machine& machine, std::span<const ThreadPlace> places);
/// "; 98 % of the memory that they keep is on their node": empty where there is one node only, or
/// nothing is known. `pages` are those of all ranks, counted by their nodes.
std::string memory_text(const Machine& machine, const PageCount& pages);
/// The sum over all threads; empty if one is unknown.
std::optional<std::uint64_t> moves_of(std::span<const ThreadPlace> places);

}  // namespace trainyard
