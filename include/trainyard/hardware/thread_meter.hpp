// Counts what happens in one thread, without any privilege: what is refused is empty.
//
// Threads: one thread makes it, starts it, reads it and destroys it.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "trainyard/base/descriptor.hpp"
#include "trainyard/hardware/counters.hpp"

struct perf_event_attr;

namespace trainyard {

/// A file descriptor, or a negative number; of an event of the calling thread, on any processor, in
/// the group of the descriptor `group`, or in one of its own where that is -1. perf_event_open(2).
using OpenEvent = std::function<int(const perf_event_attr& event, int group)>;
int open_event(const perf_event_attr& event, int group);

class ThreadMeter {
 public:
  /// The most files that it has open.
  static constexpr std::size_t events = 4;

  /// Opens the events, which takes some 10 µs each; nothing is counted yet.
  explicit ThreadMeter(const OpenEvent& open = open_event);

  void start();
  /// Since start().
  ThreadCounts read() const;

 private:
  std::array<Descriptor, events> descriptors_;
  ThreadCounts before_;  // of the kernel, which counts from the thread's begin
};

/// Follows a thread from core to core while it works.
class ThreadTrail {
 public:
  /// The calling thread's, from now on.
  ThreadTrail();
  /// Now, without core and node, which are the machine's to say.
  ThreadPlace here() const;

 private:
  std::optional<std::uint64_t> moves_before_;
};

/// The number that follows "se.nr_migrations" in the text of /proc/thread-self/sched.
std::optional<std::uint64_t> migrations_in(const std::string& text);

}  // namespace trainyard
