// Who takes part in a run whose members change: --on-failure shrink.
//
// When a worker crashes the others notice after Faults::detection, throw away the step in which it
// crashed, and go on without it, on data that are dealt anew among them. When it is back it waits
// until the step under way is done; then it fetches the model from one of the others while all
// wait, and takes part again. That is what elastic training does (Elastic Horovod; torchft's
// quorum: Meta 2024, lighthouse.rs), whose groups agree on their members before a step. A server
// that crashes takes its shard along, and ends the run.
//
// Threads: one at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "trainyard/network/faults.hpp"
#include "trainyard/network/outages.hpp"
#include "trainyard/run/plan.hpp"

#include "run/setting_out.hpp"

namespace trainyard {

/// A rank leaves at that moment, or a worker that had left is back.
struct MemberChange {
  int rank = 0;
  Time at{0};
  bool joins = false;
};

class Membership {
 public:
  Membership(const Faults& faults, int workers, int ranks, std::uint64_t seed);

  /// The one that the run has not met yet; of those of one moment first who leaves. Empty: none
  /// comes.
  std::optional<MemberChange> next() { return next_of(true); }
  /// The next one that is somebody's leaving.
  std::optional<MemberChange> next_crash() { return next_of(false); }
  /// The run has met it.
  void take(const MemberChange& change);
  /// Of all who are in, in rising order.
  std::vector<int> ranks() const;

 private:
  std::optional<MemberChange> next_of(bool with_those_back);

  struct OfRank {
    Outages crashes;
    std::size_t met = 0;
    std::optional<Time> back{};  // of who is out; Time::max(): never
  };
  std::vector<OfRank> ranks_;
};

/// Of runs that shrink; empty where nothing crashes.
std::optional<Membership> membership_of(const Faults& faults, int workers, int ranks,
                                        std::uint64_t seed);

/// What a run is while certain ranks are its members: a run of so many workers.
struct Formation {
  Plan plan;
  std::vector<int> ranks;  // of its ranks in the whole run
  Shares shares{};
};

/// `number`: of the formation, from 1, which draws anew. Its workers have done `steps` each, and
/// the model has learnt from `minibatches`. Throws UsageError where there is no run of the plan's
/// scheme with so many workers.
std::unique_ptr<Formation> formation_of(const Plan& whole, std::vector<int> ranks,
                                        std::uint64_t number, std::uint64_t steps,
                                        std::uint64_t minibatches);

/// Throws OptionError for --on-failure shrink where a run's members cannot change.
void check_membership(const Scheme& scheme, const Configuration& c);

}  // namespace trainyard
