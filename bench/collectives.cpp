// All-reduce on threads: what a message costs when the network is perfect, so that nothing but the
// machine is measured. Compare with MPI on the same machine, in the same minute.
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <functional>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>

#include "trainyard/base/aligned_buffer.hpp"
#include "trainyard/collective/all_reduce.hpp"
#include "trainyard/hardware/machine.hpp"
#include "trainyard/model/kernels.hpp"
#include "trainyard/runtime/rank.hpp"

namespace trainyard {
namespace {

using benchmark::State;

RuntimeSetup on_this_machine(int workers, int servers = 0) {
  const Machine machine = this_machine();
  return {.workers = workers,
          .servers = servers,
          .network = {},
          .pinned_to = place_ranks(machine, workers + servers, Placement::compact),
          .cores_are_shared = workers + servers > machine.cores};
}

/// work(0) and work(1) at the same time, where two ranks would be placed. With one core they would
/// wait for each other by spinning.
void on_two_cores(const std::function<void(std::size_t)>& work) {
  const RuntimeSetup setup = on_this_machine(2);
  const auto placed = [&](std::size_t mine) {
    pin_this_thread(setup.pinned_to[mine]);
    work(mine);
  };
  const std::jthread other([&] { placed(1); });
  const std::jthread one([&] { placed(0); });
}

bool skip_on_one_core(State& state) {
  const bool shared = on_this_machine(2).cores_are_shared;
  if (shared) state.SkipWithError("two cores are needed");
  return shared;
}

/// All-reduces of so many bytes that are timed together: about a millisecond.
int stretch_of(std::size_t bytes, int workers) {
  const double likely_us = 1.0 + static_cast<double>(bytes) * workers / 20000.0;
  return std::clamp(static_cast<int>(1000.0 / likely_us), 2, 1000);
}

/// The median, and the tenth of them that were disturbed least.
void report(State& state, std::vector<double> seconds) {
  std::ranges::sort(seconds);
  state.counters["µs"] = seconds[seconds.size() / 2] * 1e6;
  state.counters["p10 µs"] = seconds[seconds.size() / 10] * 1e6;
}

/// Seconds that an all-reduce of `length` floats takes, for each of so many stretches of some in a
/// row, by the clock of worker 0: one stretch is too short for much else to happen meanwhile.
std::vector<double> all_reduce_seconds(const AllReduce& way, int workers, std::size_t length,
                                       int stretches, int in_a_row) {
  std::vector<double> took;
  took.reserve(static_cast<std::size_t>(stretches));
  const auto program = [&](Rank& rank) {
    auto vector = AlignedBuffer<float>::zeroed(rank.rank() < workers ? length : 0);
    rank.begin();
    if (rank.rank() >= workers) return way.serve(rank, Scalar::float32, length);
    for (int i = 0; i < 2 * in_a_row; ++i) way.sum(rank, vector.span());
    for (int s = 0; s < stretches; ++s) {
      const Time began = rank.now();
      for (int i = 0; i < in_a_row; ++i) way.sum(rank, vector.span());
      if (rank.rank() == 0) took.push_back(to_seconds(rank.now() - began) / in_a_row);
    }
  };
  run_wall(on_this_machine(workers, way.servers(workers, 1)), program);
  return took;
}

void all_reduce(State& state, const AllReduce& way) {
  const auto workers = static_cast<int>(state.range(0));
  const auto bytes = static_cast<std::size_t>(state.range(1));
  const int in_a_row = stretch_of(bytes, workers);
  const int stretches = bytes > (1U << 23U) ? 8 : 40;
  std::vector<double> took;
  for ([[maybe_unused]] auto _ : state) {
    const auto more = all_reduce_seconds(way, workers, bytes / sizeof(float), stretches, in_a_row);
    took.insert(took.end(), more.begin(), more.end());
    state.SetIterationTime(more.back());
  }
  report(state, std::move(took));
}

const bool registered = [] {
  constexpr std::int64_t KiB = 1024, MiB = 1024 * KiB;
  for (const AllReduce& way : all_reduces()) {
    auto* bench = benchmark::RegisterBenchmark(("all_reduce/" + way.name).c_str(),
                                               [&way](State& state) { all_reduce(state, way); });
    bench->ArgNames({"n", "bytes"})->UseManualTime()->Iterations(2)->Unit(benchmark::kMicrosecond);
    bench->ArgsProduct({{2}, {4 * KiB, 64 * KiB, MiB, 4 * MiB, 16 * MiB, 64 * MiB}});
    bench->ArgsProduct({{4, 8}, {4 * KiB, 64 * KiB, MiB, 4 * MiB}});
    if (this_machine().cores >= 16) {
      bench->ArgsProduct({{4, 8}, {64 * MiB}});
      bench->ArgsProduct({{16}, {4 * KiB, 64 * KiB, MiB, 4 * MiB, 64 * MiB}});
    }
  }
  return true;
}();

/// A ring all-reduce of two by hand, without messages: each sums one half, and copies the other
/// when it has been summed. What it takes is the lines' way from core to core, and two meetings.
class BareAllReduce {
 public:
  explicit BareAllReduce(std::size_t floats)
      : vectors_{AlignedBuffer<float>::zeroed(floats), AlignedBuffer<float>::zeroed(floats)} {}

  /// Seconds of one, by the clock of `mine`.
  double run(std::size_t mine, int times) {
    const std::span<float> own = vectors_[mine].span(), others = vectors_[1 - mine].span();
    const std::size_t half = own.size() / 2, summed = mine * half, copied = half - summed;
    const auto began = std::chrono::steady_clock::now();
    for (int i = 0; i < times; ++i) {
      meet(mine);
      kernels::add(others.subspan(summed, half), own.subspan(summed, half));
      meet(mine);
      std::ranges::copy(others.subspan(copied, half), own.begin() + static_cast<long>(copied));
    }
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
    return took.count() / times;
  }

 private:
  struct alignas(64) Flag {
    std::atomic<int> passed{0};
  };

  /// release, acquire: what one wrote before it, the other reads behind it.
  void meet(std::size_t mine) {
    const int passed = flags_[mine].passed.load(std::memory_order_relaxed) + 1;  // its own
    flags_[mine].passed.store(passed, std::memory_order_release);
    while (flags_[1 - mine].passed.load(std::memory_order_acquire) < passed) {
    }
  }

  std::array<AlignedBuffer<float>, 2> vectors_;
  std::array<Flag, 2> flags_;
};

void bare_all_reduce(State& state) {
  if (skip_on_one_core(state)) return;
  const auto bytes = static_cast<std::size_t>(state.range(0));
  const int in_a_row = stretch_of(bytes, 2);
  constexpr int stretches = 40;
  std::vector<double> took;
  for ([[maybe_unused]] auto _ : state) {
    BareAllReduce bare(bytes / sizeof(float));
    on_two_cores([&](std::size_t mine) {
      bare.run(mine, 2 * in_a_row);
      for (int s = 0; s < stretches; ++s) {
        const double seconds = bare.run(mine, in_a_row);
        if (mine == 0) took.push_back(seconds);
      }
    });
    state.SetIterationTime(took.back());
  }
  report(state, std::move(took));
}
BENCHMARK(bare_all_reduce)
    ->ArgName("bytes")
    ->Arg(4 << 10)
    ->Arg(64 << 10)
    ->Arg(1 << 20)
    ->UseManualTime()
    ->Iterations(5)
    ->Unit(benchmark::kMicrosecond);

/// One way of a message of so many bytes there and back, and beside it what the machine takes to
/// hand a cache line over and back: nothing can be faster, and on virtual machines it differs by a
/// factor of ten from one hour to the next.
double cache_line_seconds(int trips) {
  alignas(64) std::atomic<int> line{0};
  const auto began = std::chrono::steady_clock::now();
  on_two_cores([&](std::size_t rank) {
    const auto mine = static_cast<int>(rank);
    for (int i = 0; i < trips; ++i) {
      // acquire, release: as a message's flag would be.
      while (line.load(std::memory_order_acquire) != 2 * i + mine) {
      }
      line.store(2 * i + mine + 1, std::memory_order_release);
    }
  });
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
  return took.count() / (2.0 * trips);
}

void ping_pong(State& state) {
  if (skip_on_one_core(state)) return;
  const auto bytes = static_cast<std::size_t>(state.range(0));
  constexpr int trips = 20000;
  std::vector<double> message_ns, line_ns;
  for ([[maybe_unused]] auto _ : state) {
    Duration took{0};
    run_wall(on_this_machine(2), [&](Rank& rank) {
      const auto payload = AlignedBuffer<float>::zeroed(bytes / sizeof(float));
      const int other = 1 - rank.rank();
      rank.begin();
      const Time began = rank.now();
      for (int i = 0; i < trips; ++i) {
        if (rank.rank() == 0) rank.send(other, payload.span());
        (void)rank.receive(other);
        if (rank.rank() == 1) rank.send(other, payload.span());
      }
      if (rank.rank() == 0) took = rank.now() - began;
    });
    message_ns.push_back(to_seconds(took) / (2.0 * trips) * 1e9);
    line_ns.push_back(cache_line_seconds(trips) * 1e9);
    state.SetIterationTime(message_ns.back() * 1e-9);
  }
  state.counters["one way ns"] = std::ranges::min(message_ns);
  state.counters["cache line ns"] = std::ranges::min(line_ns);
}
BENCHMARK(ping_pong)
    ->ArgName("bytes")
    ->Arg(4)
    ->Arg(256)
    ->Arg(4096)
    ->UseManualTime()
    ->Iterations(5)
    ->Unit(benchmark::kNanosecond);

}  // namespace
}  // namespace trainyard
