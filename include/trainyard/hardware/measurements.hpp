// Measures what this machine's cores take to talk to each other, for `trainyard machine --measure`.
//
// Each measurement runs on threads of its own, pinned to the processing units named; the caller's
// thread only waits. Other programs on the same cores disturb them: medians and best times are what
// is left of that.
//
// Threads: one at a time, or they measure each other.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "trainyard/hardware/machine.hpp"

namespace trainyard {

/// One processing unit of each core, the first; of more than `most` cores so many, evenly spread.
std::vector<ProcessingUnit> first_units(const Machine& machine, std::size_t most);

/// Round trips in a stretch, of which each is one measurement.
inline constexpr int stretch_round_trips = 20;

/// The latencies measured between two cores.
struct LineLatency {
  /// From a store on one core until the other sees it: half a round trip of one cache line between
  /// two atomic counters, the lower quartile over stretches of 20 round trips. NaN: busy, no
  /// stretch came to its end.
  double seconds = 0.0;
  std::uint64_t round_trips = 0;  // that came to their end
  double took = 0.0;              // seconds, of all of them
  /// Whether both threads ended on one hardware thread, though each was told its own: some
  /// containers refuse, and they cannot answer each other there.
  bool together = false;
};

/// Takes about `budget`, ten times as long at most; a second where the other core does not begin.
/// REQUIRES: two different units.
LineLatency line_latency(int unit, int other, std::chrono::nanoseconds budget);

/// The time for each pair of so many cores: 5 ms, and all pairs together at most 3 s; 64 cores have
/// 2016 pairs.
std::chrono::nanoseconds time_for_a_pair(std::size_t cores);

/// line_latency() of each pair, [row][column], symmetric with zeros on the diagonal.
std::vector<std::vector<LineLatency>> line_latencies(const std::vector<ProcessingUnit>& units);

/// Seconds that one write of a counter takes while another core writes, too: its own counter, on
/// another cache line, or the same one.
struct LineCost {
  double own_store = 0.0, shared_store = 0.0;  // relaxed stores
  double own_add = 0.0, shared_add = 0.0;      // atomic additions
};
/// The median of five turns of 2 ms of each. REQUIRES: two different units.
LineCost line_cost(int unit, int other);

/// Bytes a second that the units move together in a ← b + s·c (McCalpin's STREAM triad: 24 bytes an
/// element, in double precision), the best of five; each thread first touches its own arrays, so
/// that their pages are on its node. `bytes` are those of all arrays together. REQUIRES: units.
double triad_bandwidth(std::span<const int> units, std::size_t bytes);

/// How many bytes of arrays show the memory and not the caches of so many cores: 64 MiB each, and
/// at least four times the last cache, within a quarter of the memory that is available.
std::size_t triad_bytes(std::size_t cores);

}  // namespace trainyard
