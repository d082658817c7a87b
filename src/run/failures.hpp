// Crashes that stop all ranks of a run, whichever of them is down: what --on-failure stop and
// restart go by.
//
// Threads: one at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "trainyard/network/faults.hpp"
#include "trainyard/network/outages.hpp"
#include "trainyard/scheme/cast.hpp"

namespace trainyard {

/// `rank` crashes at `at`, and at `over` it is back, where the run restarts with all that have
/// crashed meanwhile.
struct Failure {
  int rank = 0;
  Time at{0}, over{0};
  std::size_t crashes = 1;  // itself, and those meanwhile

  /// It never is, or they never are all at once.
  bool is_for_good() const { return over == Time::max(); }
};

/// "worker 3 crashed at 2 s"
std::string failure_text(const Failure& failure, int workers);

class Failures {
 public:
  Failures(const Faults& faults, int workers, int ranks, std::uint64_t seed);

  /// The one that the run has not met yet; empty: none comes.
  const std::optional<Failure>& next() const { return next_; }
  /// The run has met it, with all that is in it.
  void go_past();
  /// Those before `moment` were met.
  void go_to(Time moment);

 private:
  void find();
  void merge();

  struct OfRank {
    Outages crashes;
    std::size_t met = 0, within = 0;  // so many of them, and with those in the next failure
  };
  const bool merges_;  // all are waited for
  std::vector<OfRank> ranks_;
  std::optional<Failure> next_;
};

/// Some rank crashes for good, and the others go on or wait for it in vain.
bool loses_ranks(const Faults& faults, const Cast& cast);
/// Each that has done so by then: "worker 3 crashed at 2 s for good".
std::vector<std::string> lost_ranks(const Faults& faults, const Cast& cast, Time now);
/// Of a rank that only another scheme has, whose crash is nobody's here; empty: there is none.
std::string crash_of_nobody(const Faults& faults, const Cast& cast);

/// Of runs that stop or restart; empty where nothing crashes, or others go on.
std::optional<Failures> failures_of(const Faults& faults, int workers, int ranks,
                                    std::uint64_t seed);

}  // namespace trainyard
