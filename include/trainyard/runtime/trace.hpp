// A record of a run, message by message, for the timelines, and for whoever wants to check the
// network against a calculation of their own.
//
//   TraceRecorder recorder({.first = 0, .last = 3});
//   RuntimeSetup setup{.workers = 4, .network = network, .recorder = &recorder};
//   run_virtual(setup, program);
//   const Trace trace = recorder.take();
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "trainyard/base/units.hpp"
#include "trainyard/network/network.hpp"
#include "trainyard/network/transfer.hpp"

namespace trainyard {

enum class Activity { compute, transfer, wait };

/// The activity of a rank's program over [from, until), split as in RankAccount.
struct TracedSpan {
  Activity activity = Activity::compute;
  Time from{0}, until{0};
};

/// The trace of one run, or of a window of it.
struct Trace {
  int workers = 0, servers = 0;
  PortMode ports = PortMode::circuit;
  Time from{0}, until{0};
  /// All that were posted within the window, in the order of the posts; id is the index. Those
  /// under way when it closes end later. On a perfect network all four times are that of the post.
  std::vector<Transfer> messages;
  /// The spans of each rank, without gaps from `from` to `until`, and none empty. Of a whole run
  /// they add up to the rank's account.
  std::vector<std::vector<TracedSpan>> spans;
  bool cut = false;  // the window closed early because it was full
};

/// [from, until)
struct TimeSpan {
  Time from, until;
};
/// How long a message holds its sender's send port and its receiver's receive port.
TimeSpan send_port_hold(const Transfer& message, PortMode ports);
TimeSpan receive_port_hold(const Transfer& message, PortMode ports);

/// Steps first .. last-1. The window is open from when the first worker begins step `first` until
/// the last worker begins step `last`; where workers keep no common step, until they have begun so
/// many on average.
struct StepRange {
  std::uint64_t first = 0, last = 3;
  bool operator==(const StepRange&) const = default;
};

/// Records one run after another. Every rank writes into buffers of its own, which are put together
/// when the run has ended, so that recording makes no rank wait for another.
///
/// Threads: what concerns a rank is called by that rank; message() not twice at once for one
/// sender.
class TraceRecorder {
 public:
  /// Each record has 64 bytes: 16 MiB in all; as a file, about 100 MB.
  static constexpr std::size_t default_most_records = std::size_t{1} << 18U;

  explicit TraceRecorder(StepRange steps, std::size_t most_records = default_most_records)
      : steps_(steps), most_records_(most_records) {}

  // Called by a runtime.
  void begin(int workers, int servers, PortMode ports);
  /// A message has been given its times.
  void message(const Transfer& transfer);
  /// A rank was blocked for a message that held the ports over [start, end]; for anything else both
  /// are Time::max().
  void blocked(int rank, Time since, Time until, Time start, Time end);
  /// `ended`: when each rank's program returned.
  void finish(const std::vector<Time>& ended);

  /// Called by a worker that begins a step.
  void step_begins(Time now);

  /// The trace of the last run.
  Trace take();

 private:
  struct alignas(64) Buffer {
    std::vector<Transfer> messages;
    std::vector<TracedSpan> blocked;  // transfer and wait; what is between them is compute
  };

  bool in_window(Time since, Time until) const;
  void close(Time now);
  std::vector<TracedSpan> spans_of(const Buffer& buffer, Time ended) const;

  const StepRange steps_;
  const std::size_t most_records_;
  std::size_t most_each_ = 0;
  std::vector<Buffer> buffers_;
  Trace trace_;
  // Picoseconds; the largest number while that has not happened.
  std::atomic<std::int64_t> opened_{0}, closed_{0};
  std::atomic<std::uint64_t> steps_begun_{0};  // by all workers
  std::atomic<bool> cut_{false};
};

}  // namespace trainyard
