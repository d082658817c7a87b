// The stretches of a run's clock in which a rank is away: those that somebody has named, and those
// that are drawn, in the order in which they begin.
//
//   Outages crashes = crashes_of(faults, rank, workers, seed);
//   for (std::size_t i = 0; const FaultTime* down = crashes.get(i, now); ++i) …
//
// A machine that is up fails at a rate of 1/mean, and one that is down cannot: in a time T ≫ mean
// it is down T/(mean + repair) times, and up a share mean/(mean + repair) of it (renewal theory:
// Ross, Stochastic Processes, 1996, §3.4). A stretch that was named may lie in one that was drawn.
//
// Threads: one at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "trainyard/base/random.hpp"
#include "trainyard/network/faults.hpp"

namespace trainyard {

/// The same again in each period, for ever: in the order in which they begin, the first of them
/// after the moment 0.
struct OutageCycle {
  std::vector<FaultTime> outages{};  // of the first period, in which each begins
  Duration period{0};                // > 0 where there are any
};

class Outages {
 public:
  /// `named` in any order. Those that are drawn are the same for the same seed and rank.
  Outages(std::vector<FaultTime> named, const std::optional<DrawnCrashes>& drawn,
          std::uint64_t seed, int rank, OutageCycle cycle = {});

  /// Number `i`, from 0, if it begins at `until` or before; nullptr where it does not, or there is
  /// none. Valid until the next call. REQUIRES: it is not forgotten.
  const FaultTime* get(std::size_t i, Time until);
  /// Nobody asks for those before number `i` any more.
  void forget_before(std::size_t i);

 private:
  void draw();
  void turn();
  FaultTime first() const;
  void take_first();

  std::deque<FaultTime> found_;  // so far, but for those forgotten
  std::size_t forgotten_ = 0;
  std::vector<FaultTime> named_;  // the others, the next one last
  std::optional<DrawnCrashes> rule_;
  FaultTime drawn_{Time::max(), Time::max()};  // the next one
  OutageCycle cycle_;
  std::size_t turns_ = 0;                       // of the cycle's, that have been taken
  FaultTime turned_{Time::max(), Time::max()};  // the next one
  RandomStream stream_;
};

/// Those in which the rank has crashed, and others besides. Of drawn ones, and of those in a trace,
/// only a worker has any.
Outages crashes_of(const Faults& faults, int rank, int workers, std::uint64_t seed,
                   std::vector<FaultTime> besides = {});

}  // namespace trainyard
