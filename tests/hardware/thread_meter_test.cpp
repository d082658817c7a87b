#include "trainyard/hardware/thread_meter.hpp"

#include <cerrno>
#include <chrono>
#include <cstddef>
#include <thread>
#include <vector>

#include <linux/perf_event.h>
#include <sys/mman.h>
#include <unistd.h>

#include "trainyard/hardware/machine.hpp"

#include "support/catch.hpp"

namespace trainyard {

namespace {

int refuse(const perf_event_attr&, int) {
  errno = EACCES;  // what perf_event_paranoid = 3 answers
  return -1;
}

/// One after the other on a thread of their own.
template <typename Work>
ThreadCounts counts_of(const OpenEvent& open, const Work& work) {
  ThreadCounts counts;
  std::thread([&] {
    ThreadMeter meter(open);
    meter.start();
    work();
    counts = meter.read();
  }).join();
  return counts;
}

/// A pipe that holds what a counter would answer. It has no ioctl of a counter, which is ignored.
struct Answer {
  std::uint64_t value, enabled_ns, running_ns;
};
int descriptor_with(const Answer& answer) {
  int ends[2];
  if (pipe(ends) != 0) return -1;
  (void)!write(ends[1], &answer, sizeof answer);
  close(ends[1]);
  return ends[0];
}

}  // namespace

TEST_CASE("a thread's first touches of pages are counted", "[hardware]") {
  constexpr std::size_t pages = 300;
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const auto touch = [&] {
    void* memory =
        mmap(nullptr, pages * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return;
    madvise(memory, pages * page, MADV_NOHUGEPAGE);
    for (std::size_t p = 0; p < pages; ++p) static_cast<volatile char*>(memory)[p * page] = 1;
    munmap(memory, pages * page);
  };
  const ThreadCounts counts = counts_of(open_event, touch);
  REQUIRE(counts.page_faults);
  CHECK(*counts.page_faults >= pages);
  const ThreadCounts idle = counts_of(open_event, [] {});
  CHECK(*idle.page_faults < pages);
}

TEST_CASE("a thread that sleeps gives its core up each time", "[hardware]") {
  constexpr std::uint64_t naps = 20;
  const auto sleep = [] {
    for (std::uint64_t i = 0; i < naps; ++i) {
      // Of 10 µs, a virtual machine that was not running meanwhile has one over before it begins.
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  };
  const ThreadCounts counts = counts_of(open_event, sleep);
  REQUIRE(counts.context_switches);
  CHECK(*counts.context_switches >= naps);
}

TEST_CASE("what came before the start is not counted", "[hardware]") {
  ThreadCounts counts;
  std::thread([&] {
    ThreadMeter meter;
    for (int i = 0; i < 50; ++i) std::this_thread::sleep_for(std::chrono::microseconds(10));
    meter.start();
    counts = meter.read();
  }).join();
  CHECK(*counts.context_switches < 50);
}

TEST_CASE("without leave to count, what the processor counts is empty", "[hardware]") {
  const ThreadCounts counts = counts_of(refuse, [] {});
  CHECK(!counts.cycles);
  CHECK(!counts.instructions);
  CHECK(!counts.cache_misses);
  CHECK(!counts.remote_loads);
  CHECK(counts.context_switches);  // for which nobody is asked
  CHECK(counts.page_faults);
}

TEST_CASE("counters are a group and one that is refused in it counts alone", "[hardware]") {
  std::vector<int> groups;
  std::vector<bool> disabled;
  const auto open = [&](const perf_event_attr& event, int group) {
    groups.push_back(group < 0 ? -1 : 1);
    disabled.push_back(event.disabled != 0);
    const bool is_misses = event.config == PERF_COUNT_HW_CACHE_MISSES;
    const bool is_remote = event.type == PERF_TYPE_HW_CACHE;
    if ((is_misses && group >= 0) || is_remote) return -1;
    return descriptor_with({.value = 1000 + event.config, .enabled_ns = 50, .running_ns = 50});
  };
  const ThreadCounts counts = counts_of(open, [] {});
  CHECK(groups == std::vector<int>{-1, 1, 1, -1, 1, -1});
  CHECK(disabled == std::vector<bool>{true, false, false, true, false, true});
  CHECK(counts.cycles == 1000U + PERF_COUNT_HW_CPU_CYCLES);
  CHECK(counts.instructions == 1000U + PERF_COUNT_HW_INSTRUCTIONS);
  CHECK(counts.cache_misses == 1000U + PERF_COUNT_HW_CACHE_MISSES);
  CHECK(!counts.remote_loads);
}

TEST_CASE("a counter that had half of the time is doubled, one that had none is empty",
          "[hardware]") {
  const auto open = [](const perf_event_attr& event, int) {
    const bool never = event.config == PERF_COUNT_HW_INSTRUCTIONS;
    return descriptor_with({.value = 500, .enabled_ns = 80, .running_ns = never ? 0U : 40U});
  };
  const ThreadCounts counts = counts_of(open, [] {});
  CHECK(counts.cycles == 1000U);
  CHECK(!counts.instructions);
}

TEST_CASE("only user mode is asked for, of the thread itself", "[hardware]") {
  const auto open = [](const perf_event_attr& event, int) {
    return event.exclude_kernel != 0 && event.exclude_hv != 0 && event.inherit == 0
               ? descriptor_with({.value = 7, .enabled_ns = 1, .running_ns = 1})
               : -1;
  };
  CHECK(counts_of(open, [] {}).cycles == 7U);
}

TEST_CASE("of a pinned thread it is known where it is and that it stays", "[hardware]") {
  for (const ProcessingUnit& unit : this_machine().units) {
    ThreadPlace place;
    std::thread([&] {
      pin_this_thread(unit.index);
      const ThreadTrail trail;
      place = trail.here();
    }).join();
    CHECK(place.pinned);
    CHECK(place.unit == unit.index);
    CHECK(place.moves == 0U);
  }
}

TEST_CASE("how often a thread moved is what the kernel's table of it says", "[hardware]") {
  CHECK(migrations_in("trainyard (1, #threads: 3)\n-----\nse.vruntime     :   12.5\n"
                      "se.nr_migrations                             :                   42\n"
                      "nr_switches : 7\n") == 42U);
  CHECK(!migrations_in(""));
  CHECK(!migrations_in("nr_switches : 7\n"));
  CHECK(!migrations_in("se.nr_migrations\n"));
}

TEST_CASE("a sum has what every thread has", "[hardware]") {
  const ThreadCounts one{.cycles = 5, .context_switches = 1, .page_faults = 2};
  const ThreadCounts other{.cycles = 7, .instructions = 9, .context_switches = 3};
  CHECK(!sum_of({}));
  CHECK(sum_of(std::vector{one}) == one);
  const ThreadCounts expected{.cycles = 12, .context_switches = 4};
  CHECK(sum_of(std::vector{one, other}) == expected);
}

}  // namespace trainyard
