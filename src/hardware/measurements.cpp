#include "trainyard/hardware/measurements.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <limits>
#include <optional>
#include <set>
#include <span>
#include <system_error>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

#include "trainyard/base/aligned_buffer.hpp"
#include "trainyard/base/error.hpp"
#include "trainyard/hardware/memory.hpp"
#include "trainyard/hardware/thread_limits.hpp"

namespace trainyard {

namespace {

using Clock = std::chrono::steady_clock;

/// Two lines: the processor may fetch the neighbour of one that it fetches.
struct alignas(128) Line {
  std::atomic<std::uint64_t> value{0};
};

double seconds_since(Clock::time_point began) {
  return std::chrono::duration<double>(Clock::now() - began).count();
}

double quantile(std::vector<double> values, double fraction) {
  const double place = fraction * static_cast<double>(values.size());
  const auto found = values.begin() + static_cast<std::ptrdiff_t>(place);
  std::ranges::nth_element(values, found);
  return *found;
}

double median(std::vector<double> values) {
  return quantile(std::move(values), 0.5);
}

/// Waits until as many threads have come as shall.
class Gate {
 public:
  explicit Gate(std::size_t threads) : missing_(static_cast<std::int64_t>(threads)) {}
  void pass() {
    // acq_rel and acquire: what was made ready before the gate is seen behind it.
    missing_.fetch_sub(1, std::memory_order_acq_rel);
    while (missing_.load(std::memory_order_acquire) > 0) std::this_thread::yield();
  }
  /// Nobody waits any more.
  void open() {
    missing_.store(0, std::memory_order_release);  // release: as above
  }

 private:
  std::atomic<std::int64_t> missing_;
};

/// work(i) for each unit on a thread pinned to it, until all have ended. Where the system gives no
/// thread, `give_up` lets those go that wait for it. Throws RunError.
template <typename Work, typename GiveUp>
void on_units(std::span<const int> units, const Work& work, const GiveUp& give_up) {
  std::vector<std::jthread> threads;
  threads.reserve(units.size());
  try {
    for (std::size_t i = 0; i < units.size(); ++i) {
      threads.emplace_back([&work, i, unit = units[i]] {
        pin_this_thread(unit);
        work(i);
      });
    }
  } catch (const std::system_error& error) {
    give_up();
    throw RunError(fmt::format("cannot start {} threads: {}{}", units.size(),
                               error.code().message(), thread_limits_text()));
  }
}

constexpr std::uint64_t last_turn = std::numeric_limits<std::uint64_t>::max();

/// After so many looks, some 10 µs, the other one has no core, and may have this one.
constexpr int looks_before_yielding = 4096;

/// Answers each odd number with the next even one.
void answer(Line& line) {
  while (true) {
    std::uint64_t seen = 0;
    // relaxed, here and where it is asked: the number is all that is handed over.
    for (int looks = 1; (seen = line.value.load(std::memory_order_relaxed)) % 2 == 0; ++looks) {
      if (looks % looks_before_yielding == 0) std::this_thread::yield();
    }
    if (seen == last_turn) return;
    line.value.store(seen + 1, std::memory_order_relaxed);
  }
}

/// False when no answer has come by then.
bool ask(Line& line, std::uint64_t odd, Clock::time_point deadline) {
  line.value.store(odd, std::memory_order_relaxed);
  for (int looks = 1; line.value.load(std::memory_order_relaxed) == odd; ++looks) {
    if (looks % looks_before_yielding != 0) continue;
    if (Clock::now() > deadline) return false;
    std::this_thread::yield();
  }
  return true;
}

/// Two threads write at the same time, for so long that their beginnings and ends do not matter;
/// seconds a write, the mean of both.
template <typename Write>
double time_of_write(const std::array<int, 2>& units, bool shared, const Write& write) {
  constexpr auto long_enough = std::chrono::milliseconds(2);
  constexpr std::uint64_t in_a_row = 1000;  // against some 30 ns that a look at the clock takes
  std::array<Line, 2> lines;
  std::array<double, 2> took{};
  Gate gate(2);
  const auto work = [&](std::size_t which) {
    std::atomic<std::uint64_t>& value = lines[shared ? 0 : which].value;
    gate.pass();
    const auto began = Clock::now();
    std::uint64_t writes = 0;
    do {
      for (std::uint64_t i = 0; i < in_a_row; ++i) write(value, writes++);
    } while (Clock::now() - began < long_enough);
    took[which] = seconds_since(began) / static_cast<double>(writes);
  };
  on_units(units, work, [&] { gate.open(); });
  return (took[0] + took[1]) / 2.0;
}

/// The arrays that one thread streams through.
struct Arrays {
  explicit Arrays(std::size_t length) : a(length), b(length), c(length) {}
  AlignedBuffer<double> a, b, c;

  void touch() {
    std::ranges::fill(a, 0.0);
    std::ranges::fill(b, 1.0);
    std::ranges::fill(c, 2.0);
  }
  void triad(double factor) {
    double* to = a.data();
    const double *from = b.data(), *times = c.data();
    for (std::size_t i = 0; i < a.size(); ++i) to[i] = from[i] + factor * times[i];
  }
};

}  // namespace

std::vector<ProcessingUnit> first_units(const Machine& machine, std::size_t most) {
  std::vector<ProcessingUnit> all;
  std::set<int> cores;
  for (const ProcessingUnit& unit : machine.units) {
    if (cores.insert(unit.core).second) all.push_back(unit);
  }
  if (all.size() <= most) return all;
  std::vector<ProcessingUnit> some;
  for (std::size_t i = 0; i < most; ++i) some.push_back(all[i * all.size() / most]);
  return some;
}

LineLatency line_latency(int unit, int other, std::chrono::nanoseconds budget) {
  require(unit != other, "a line goes between two units");
  Line line;
  LineLatency found;
  std::array<std::optional<int>, 2> places;
  std::vector<double> times;
  times.reserve(static_cast<std::size_t>(budget / std::chrono::nanoseconds(100)) + 1);
  const auto measure = [&] {
    std::uint64_t odd = 1;
    bool answered = ask(line, odd, Clock::now() + std::chrono::seconds(1));  // the other one begins
    const auto began = Clock::now();
    while (answered && Clock::now() - began < budget && times.size() < times.capacity()) {
      const auto start = Clock::now();
      for (int i = 0; answered && i < stretch_round_trips; ++i) {
        answered = ask(line, odd += 2, began + 10 * budget);
        found.round_trips += answered ? 1 : 0;
      }
      if (answered) times.push_back(seconds_since(start) / (2 * stretch_round_trips));
    }
    found.took = seconds_since(began);
    line.value.store(last_turn, std::memory_order_relaxed);  // relaxed: it says all itself
  };
  // If no second thread can be started, the first one ends without it.
  const auto work = [&](std::size_t which) {
    which == 0 ? answer(line) : measure();
    places[which] = unit_of_this_thread();
  };
  on_units(std::array{other, unit}, work,
           [&] { line.value.store(last_turn, std::memory_order_relaxed); });
  found.together = places[0] && places[0] == places[1];
  found.seconds =
      times.empty() ? std::numeric_limits<double>::quiet_NaN() : quantile(std::move(times), 0.25);
  return found;
}

std::chrono::nanoseconds time_for_a_pair(std::size_t cores) {
  constexpr std::chrono::nanoseconds of_a_pair = std::chrono::milliseconds(5);
  constexpr std::chrono::nanoseconds of_all = std::chrono::seconds(3);
  const std::size_t pairs = std::max<std::size_t>(1, cores * (cores - 1) / 2);
  return std::min(of_a_pair, of_all / static_cast<std::int64_t>(pairs));
}

std::vector<std::vector<LineLatency>> line_latencies(const std::vector<ProcessingUnit>& units) {
  const std::size_t count = units.size();
  const std::chrono::nanoseconds budget = time_for_a_pair(count);
  std::vector<std::vector<LineLatency>> all(count, std::vector<LineLatency>(count));
  for (std::size_t row = 0; row < count; ++row) {
    for (std::size_t column = row + 1; column < count; ++column) {
      all[row][column] = line_latency(units[row].index, units[column].index, budget);
      all[column][row] = all[row][column];
    }
  }
  return all;
}

LineCost line_cost(int unit, int other) {
  require(unit != other, "two units write");
  using Value = std::atomic<std::uint64_t>;
  // relaxed: nobody reads what is written, only how long it takes matters.
  const auto store = [](Value& value, std::uint64_t i) {
    value.store(i, std::memory_order_relaxed);
  };
  const auto add = [](Value& value, std::uint64_t) {
    value.fetch_add(1, std::memory_order_relaxed);
  };
  const std::array units{unit, other};
  std::array<std::vector<double>, 4> times;
  for (int turn = 0; turn < 5; ++turn) {  // in turn, so that a slow moment is not one figure's own
    times[0].push_back(time_of_write(units, false, store));
    times[1].push_back(time_of_write(units, true, store));
    times[2].push_back(time_of_write(units, false, add));
    times[3].push_back(time_of_write(units, true, add));
  }
  return {median(times[0]), median(times[1]), median(times[2]), median(times[3])};
}

double triad_bandwidth(std::span<const int> units, std::size_t bytes) {
  constexpr std::size_t repetitions = 5;
  const std::size_t length = bytes / (3 * sizeof(double) * units.size());
  std::deque<Arrays> arrays;
  for (std::size_t i = 0; i < units.size(); ++i) arrays.emplace_back(length);
  std::deque<Gate> gates;
  for (std::size_t g = 0; g < 2 * repetitions; ++g) gates.emplace_back(units.size());
  // Beginning and end for each repetition and thread. A repetition takes from the first beginning
  // to the last end, whichever thread was held up at a gate.
  std::vector<std::array<Clock::time_point, 2>> spans(repetitions * units.size());
  const auto work = [&](std::size_t which) {
    arrays[which].touch();
    for (std::size_t r = 0; r < repetitions; ++r) {
      gates[2 * r].pass();
      auto& [began, ended] = spans[r * units.size() + which];
      began = Clock::now();
      arrays[which].triad(0.5 + static_cast<double>(r));
      ended = Clock::now();
      gates[2 * r + 1].pass();
    }
  };
  on_units(units, work, [&] { std::ranges::for_each(gates, &Gate::open); });
  double best = std::numeric_limits<double>::infinity();
  for (std::size_t r = 0; r < repetitions; ++r) {
    const auto of_all = std::span(spans).subspan(r * units.size(), units.size());
    const auto began = (*std::ranges::min_element(of_all, {}, [](auto& s) { return s[0]; }))[0];
    const auto ended = (*std::ranges::max_element(of_all, {}, [](auto& s) { return s[1]; }))[1];
    best = std::min(best, std::chrono::duration<double>(ended - began).count());
  }
  return static_cast<double>(3 * sizeof(double) * length * units.size()) / best;
}

std::size_t triad_bytes(std::size_t cores) {
  constexpr std::size_t for_each_core = std::size_t{64} << 20U;
  const long cache = sysconf(_SC_LEVEL3_CACHE_SIZE);  // 0 or less where it is not known
  const std::size_t wanted =
      std::max(cores * for_each_core, 4 * static_cast<std::size_t>(std::max(0L, cache)));
  return std::min(wanted, available_memory() / 4);
}

}  // namespace trainyard
