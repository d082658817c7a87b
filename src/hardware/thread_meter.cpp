#include "trainyard/hardware/thread_meter.hpp"

#include <bit>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>

#include <linux/perf_event.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "trainyard/hardware/machine.hpp"

namespace trainyard {

namespace {

struct Event {
  std::uint32_t type;
  std::uint64_t config;
  std::optional<std::uint64_t> ThreadCounts::*value;
};

constexpr std::uint64_t remote_load = PERF_COUNT_HW_CACHE_NODE |
                                      (PERF_COUNT_HW_CACHE_OP_READ << 8U) |
                                      (PERF_COUNT_HW_CACHE_RESULT_MISS << 16U);

constexpr std::array<Event, 4> events_counted{{
    {PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, &ThreadCounts::cycles},
    {PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, &ThreadCounts::instructions},
    {PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES, &ThreadCounts::cache_misses},
    {PERF_TYPE_HW_CACHE, remote_load, &ThreadCounts::remote_loads},
}};

/// In user mode only: that is what perf_event_paranoid = 2, the kernel's own setting, lets
/// everybody count, and figures of different machines are then of the same thing.
perf_event_attr attributes_of(const Event& event) {
  perf_event_attr attributes{};
  attributes.size = sizeof attributes;
  attributes.type = event.type;
  attributes.config = event.config;
  attributes.disabled = 1;
  attributes.exclude_kernel = 1;
  attributes.exclude_hv = 1;
  attributes.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
  return attributes;
}

/// The layout that read(2) gives with that format.
struct Reading {
  std::uint64_t value, enabled_ns, running_ns;
};

/// Extrapolates: of events that take turns on the processor's registers, each counts for a part of
/// the time only.
std::optional<std::uint64_t> value_at(int descriptor) {
  Reading reading{};
  if (descriptor < 0 || ::read(descriptor, &reading, sizeof reading) != sizeof reading) {
    return std::nullopt;
  }
  if (reading.running_ns == 0) return std::nullopt;  // it never had its turn
  if (reading.running_ns >= reading.enabled_ns) return reading.value;
  const double part =
      static_cast<double>(reading.running_ns) / static_cast<double>(reading.enabled_ns);
  return static_cast<std::uint64_t>(static_cast<double>(reading.value) / part);
}

ThreadCounts kernel_counts() {
  ThreadCounts counts;
  rusage usage{};
  if (getrusage(RUSAGE_THREAD, &usage) != 0) return counts;
  counts.context_switches = static_cast<std::uint64_t>(usage.ru_nvcsw + usage.ru_nivcsw);
  counts.page_faults = static_cast<std::uint64_t>(usage.ru_minflt + usage.ru_majflt);
  return counts;
}

std::optional<std::uint64_t> difference(const std::optional<std::uint64_t>& now,
                                        const std::optional<std::uint64_t>& before) {
  return now && before ? std::optional(*now - *before) : std::nullopt;
}

std::optional<std::uint64_t> migrations_so_far() {
  std::ifstream file("/proc/thread-self/sched");
  return migrations_in({std::istreambuf_iterator<char>(file), {}});
}

bool is_pinned() {
  std::array<unsigned long, 128> allowed{};  // 8192 processors, which is what kernels are built for
  if (sched_getaffinity(0, sizeof allowed, reinterpret_cast<cpu_set_t*>(allowed.data())) != 0) {
    return false;
  }
  int processors = 0;
  for (const unsigned long word : allowed) processors += std::popcount(word);
  return processors == 1;
}

}  // namespace

int open_event(const perf_event_attr& event, int group) {
  constexpr int this_thread = 0, any_processor = -1;
  return static_cast<int>(syscall(SYS_perf_event_open, &event, this_thread, any_processor, group,
                                  PERF_FLAG_FD_CLOEXEC));
}

/// In one group, so that cycles and instructions are of the same moments; what does not fit into
/// it, or is not counted together with the others, counts by itself.
ThreadMeter::ThreadMeter(const OpenEvent& open) {
  static_assert(events == events_counted.size());
  int group = -1;
  for (std::size_t e = 0; e < events; ++e) {
    perf_event_attr attributes = attributes_of(events_counted[e]);
    attributes.disabled = group < 0 ? 1 : 0;  // the others count while the first does
    int descriptor = open(attributes, group);
    if (descriptor < 0 && group >= 0) {
      attributes.disabled = 1;
      descriptor = open(attributes, -1);
    }
    descriptors_[e] = Descriptor(descriptor);
    if (group < 0) group = descriptor;
  }
}

void ThreadMeter::start() {
  for (const Descriptor& descriptor : descriptors_) {
    if (descriptor.is_open()) ioctl(descriptor.number(), PERF_EVENT_IOC_ENABLE, 0);
  }
  before_ = kernel_counts();
}

ThreadCounts ThreadMeter::read() const {
  ThreadCounts counts = kernel_counts();
  counts.context_switches = difference(counts.context_switches, before_.context_switches);
  counts.page_faults = difference(counts.page_faults, before_.page_faults);
  for (std::size_t e = 0; e < events; ++e) {
    counts.*events_counted[e].value = value_at(descriptors_[e].number());
  }
  return counts;
}

ThreadTrail::ThreadTrail() {
  if (!is_pinned()) moves_before_ = migrations_so_far();
}

ThreadPlace ThreadTrail::here() const {
  ThreadPlace place;
  place.unit = unit_of_this_thread();
  place.pinned = is_pinned();
  place.moves = place.pinned ? 0 : difference(migrations_so_far(), moves_before_);
  return place;
}

std::optional<std::uint64_t> migrations_in(const std::string& text) {
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    if (!line.starts_with("se.nr_migrations")) continue;
    const std::size_t colon = line.find(':');
    std::uint64_t value = 0;
    if (colon != std::string::npos && std::istringstream(line.substr(colon + 1)) >> value) {
      return value;
    }
  }
  return std::nullopt;
}

}  // namespace trainyard
