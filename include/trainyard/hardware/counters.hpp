// Counts that the processor and the kernel kept of a thread's work, and where it ran.
//
// Threads: values like any other: any number of threads may read one, and who writes one has it
// alone; the table never changes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace trainyard {

/// Empty is what the system does not count, or not for this user.
struct ThreadCounts {
  /// Counted by the processor, in user mode: perf_event_open(2)'s cycles, instructions, misses of
  /// the last cache, and loads that another NUMA node's memory answered. Where the processor has
  /// fewer registers than that they take turns, and what is missing is extrapolated.
  std::optional<std::uint64_t> cycles{}, instructions{}, cache_misses{}, remote_loads{};
  /// Counted by the kernel (getrusage(2), RUSAGE_THREAD): the thread gave its core up or lost it; a
  /// page was not where it was wanted, with or without the disk.
  std::optional<std::uint64_t> context_switches{}, page_faults{};

  bool operator==(const ThreadCounts&) const = default;
};

/// One of them, for tables.
struct ThreadCounter {
  std::string_view key;      // in JSON and CSV
  std::string_view heading;  // for people
  std::optional<std::uint64_t> ThreadCounts::*value;
};
std::span<const ThreadCounter> thread_counters();

/// The sums over all threads. A count that one of them lacks is empty; so is the whole for no
/// thread.
std::optional<ThreadCounts> sum_of(std::span<const ThreadCounts> threads);

/// The place of a thread at its end (hwloc logical indices), and how often it changed from one
/// hardware thread to another. Empty if the system does not say.
struct ThreadPlace {
  std::optional<int> unit{}, core{}, node{};
  std::optional<std::uint64_t> moves{};
  bool pinned = false;  // to one hardware thread

  bool operator==(const ThreadPlace&) const = default;
};

}  // namespace trainyard
