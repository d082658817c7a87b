#include "trainyard/hardware/counters.hpp"

namespace trainyard {

namespace {

using Counts = ThreadCounts;

constexpr ThreadCounter table[] = {
    {"cycles", "cycles", &Counts::cycles},
    {"instructions", "instructions", &Counts::instructions},
    {"cache_misses", "cache misses", &Counts::cache_misses},
    {"remote_loads", "remote loads", &Counts::remote_loads},
    {"context_switches", "context switches", &Counts::context_switches},
    {"page_faults", "page faults", &Counts::page_faults},
};

}  // namespace

std::span<const ThreadCounter> thread_counters() {
  return table;
}

std::optional<ThreadCounts> sum_of(std::span<const ThreadCounts> threads) {
  if (threads.empty()) return std::nullopt;
  ThreadCounts sum = threads.front();
  for (const ThreadCounts& thread : threads.subspan(1)) {
    for (const ThreadCounter& counter : table) {
      auto& so_far = sum.*counter.value;
      const auto& more = thread.*counter.value;
      so_far = so_far && more ? std::optional(*so_far + *more) : std::nullopt;
    }
  }
  return sum;
}

}  // namespace trainyard
