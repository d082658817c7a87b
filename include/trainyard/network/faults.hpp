// What goes wrong on purpose: messages that are lost and sent again, links that are slow for a
// while, a network in parts, workers that stand still or crash.
//
//   --fault loss:0.01+stall:3@2s-5s
//
// The moments are those of the run's clock. A message suffers what holds in the moment when it is
// posted, and of partitions when it has its ports.
//
// Threads: a value like any other: any number of threads may read one, and who writes one has it
// alone.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trainyard/base/units.hpp"

namespace trainyard {

struct FaultTrace;  // network/fault_trace.hpp

/// From `from` on, and before `until`.
struct FaultTime {
  Time from{0}, until = Time::max();

  bool has(Time moment) const { return from <= moment && moment < until; }
  friend bool operator==(const FaultTime&, const FaultTime&) = default;
};

/// Whether a try to send a message is lost, drawn anew for each on each link. Gilbert's and
/// Elliott's model (Gilbert 1960; Elliott 1963): a link is good or bad; before each try a good one
/// turns bad with probability p and a bad one good with r; a try is lost with k in a good state and
/// h in a bad one. Bad is a share p/(p + r) of the tries, for 1/r of them at a time on average, and
/// (p h + r k)/(p + r) are lost. A link begins in a state drawn by those shares. Without a
/// chain h = k, and p and r say nothing.
struct LossRule {
  bool chain = false;
  double to_bad = 0.0, to_good = 1.0;  // p, r
  double in_bad = 0.0, in_good = 0.0;  // h, k
  FaultTime when{};
};

/// Messages between two ranks, or of one rank with any other, take `factor` times as long: α and
/// βb.
struct SlowLink {
  int rank = 0;
  std::optional<int> other{};
  double factor = 1.0;
  FaultTime when{};
};

/// No message gets from one side to another, and each is sent again until the sides are joined, or
/// is gone for good. A rank that stands on no side talks to all.
struct PartitionFault {
  std::vector<int> side{};  // of each rank that is named, from 1; 0: of none
  FaultTime when{};

  bool parts(int from, int to) const {
    const int a = side_of(from), b = side_of(to);
    return a != 0 && b != 0 && a != b;
  }
  int side_of(int rank) const {
    const auto at = static_cast<std::size_t>(rank);
    return at < side.size() ? side[at] : 0;
  }
};

/// A worker computes and sends nothing meanwhile, as a process that is stopped. What is on its way
/// to it arrives.
struct Stall {
  int rank = 0;
  FaultTime when{};
};

/// A rank is down. What it has in memory is gone, or comes back with it, as OnFailure says.
struct Crash {
  int rank = 0;
  FaultTime when{};  // until Time::max(): for good
};

/// Each worker, for itself, is up for a time that is drawn from an exponential distribution of
/// mean `mean`, > 0, then down for `repair`, and so on (outages.hpp).
struct DrawnCrashes {
  Duration mean{0}, repair{0};
};

/// What becomes of a run in which a rank crashes.
enum class OnFailure : std::uint8_t {
  wait,     // it comes back with its memory, as one that was suspended; who needs it waits
  stop,     // the run ends, with the model of its last evaluation
  restart,  // all go back to the last checkpoint when it is back, or to the beginning
  shrink,  // the others go on without it, and take it in again when it is back (run/membership.hpp)
};

/// What becomes of a message that is lost. With `never` it is gone for good, as a datagram is: it
/// holds its ports as one that arrives, and in the moment in which it would have arrived its
/// receiver knows that it does not (Message::lost()), as by a deadline that is as short as it can
/// be. Else it is sent again after a time-out, until it gets through, and holds both its ports
/// meanwhile. Of the tries' mean number, 1/(1 − P), all but the
/// last cost a time-out each: a message that takes t without losses takes t + T P/(1 − P) on
/// average, and t + T P/(1 − 2P), P < ½, where each time-out is twice the one before.
struct Retransmission {
  Duration timeout = std::chrono::milliseconds(200);  // Linux's least
  bool doubles = false;
  bool never = false;  // instead of both
};

struct Faults {
  std::vector<LossRule> losses{};  // of those that hold in a moment the first counts
  std::vector<SlowLink> slow_links{};
  std::vector<PartitionFault> partitions{};
  std::vector<Stall> stalls{};
  std::vector<Crash> crashes{};
  std::optional<DrawnCrashes> drawn_crashes{};
  std::shared_ptr<const FaultTrace> trace{};  // when workers are down, as somebody has recorded it
  OnFailure on_failure = OnFailure::wait;
  /// With `shrink`: from a crash until the others know, and have agreed on who goes on.
  Duration detection = std::chrono::seconds(5);  // torchft's time-out of heartbeats
  Retransmission retransmission{};

  /// Some message may be lost.
  bool loses() const { return !losses.empty() || !partitions.empty(); }
  /// And none of them comes later instead.
  bool loses_for_good() const { return retransmission.never && loses(); }
  bool on_messages() const { return loses() || !slow_links.empty(); }
  bool crash() const { return !crashes.empty() || drawn_crashes || trace; }
  bool any() const { return on_messages() || !stalls.empty() || crash(); }
  /// The largest rank that is named, and one; 0 where none is. Not of those in a trace.
  int ranks() const;
};

/// "none", or faults joined by '+': loss:P, loss:gilbert:p,r,h,k, slow-link:RANK[,RANK]:FACTOR,
/// partition:RANKS|RANKS[|…], stall:RANK, each with @FROM-TO for a stretch of time, which the last
/// two need; RANKS are like 0-3,7. crash:RANK@FROM-TO, or @FROM for good;
/// crash:worker-mtbf=DURATION,repair=DURATION; trace:FILE, which is read. Leaves
/// faults.retransmission, on_failure and detection as they are. Throws UsageError, naming `what`.
void parse_faults(std::string_view text, std::string_view what, Faults& faults);
std::string faults_text(const Faults& faults);

/// "200ms", "200ms:double", "never". Throws UsageError, naming `what`.
Retransmission parse_retransmission(std::string_view text, std::string_view what);
std::string retransmission_text(const Retransmission& rule);

/// "wait", "stop", "restart", "shrink". Throws UsageError, naming `what`.
OnFailure parse_on_failure(std::string_view text, std::string_view what);
std::string on_failure_text(OnFailure rule);

}  // namespace trainyard
