// What an emulated message costs the machine: processor time, of all ranks together, the switch,
// the waiting and the threads' changes included. That is what a run with more ranks than cores
// shares with computing.
//
// `bare` is what is left without a network: the same exchanges of as many threads, by the atomic
// waits of the standard library. Whatever emulates a network with a thread for each rank pays as
// much for the changes of threads; where ranks have cores of their own, for looking whether a
// message is there.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <thread>
#include <vector>

#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include "trainyard/hardware/machine.hpp"
#include "trainyard/runtime/rank.hpp"

namespace trainyard {
namespace {

using benchmark::Counter;
using benchmark::State;

double processor_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

RuntimeSetup setup_of(int workers, int servers, Duration latency) {
  const int ranks = workers + servers;
  return {.workers = workers,
          .servers = servers,
          .network = {.latency = latency, .charge_control = true},
          .pinned_to = place_ranks(this_machine(), ranks, Placement::compact),
          .cores_are_shared = this_machine().cores < ranks};
}

/// So many that a run takes some tenths of a second.
int trips_of(int workers, Duration latency) {
  return std::max(20, (latency < std::chrono::milliseconds(1) ? 20000 : 800) / workers);
}

/// Runs the program over and over, and counts what a message took. Every worker sends `trips`.
void measure(State& state, const RuntimeSetup& setup, double messages,
             const std::function<void(Rank&)>& program) {
  const double before = processor_seconds();
  for ([[maybe_unused]] auto _ : state) run_wall(setup, program);
  const double used = processor_seconds() - before;
  const double all = messages * static_cast<double>(state.iterations());
  state.counters["processor µs/message"] = used / all * 1e6;
  state.counters["messages/s"] = Counter(all, Counter::kIsRate);
}

/// Everybody sends to the next and receives from the one before, as in a ring's all-reduce.
void emulated_ring(State& state) {
  const auto n = static_cast<int>(state.range(0));
  const std::chrono::microseconds latency(state.range(1));
  const int trips = trips_of(n, latency);
  std::vector<float> value(16);
  measure(state, setup_of(n, 0, latency), 1.0 * n * trips, [&](Rank& rank) {
    rank.begin();
    for (int i = 0; i < trips; ++i) {
      rank.send((rank.rank() + 1) % n, std::span<const float>(value));
      (void)rank.receive((rank.rank() + n - 1) % n);
    }
  });
}
BENCHMARK(emulated_ring)
    ->ArgNames({"ranks", "µs"})
    ->ArgsProduct({{2, 8, 16, 64, 256}, {1, 1000}})
    ->Iterations(3)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

struct alignas(128) Cell {
  std::atomic<int> messages{0};

  void add() {
    messages.fetch_add(1, std::memory_order_release);  // release: what was sent, as it were
    messages.notify_one();
  }
  void await(int wanted) const {
    for (int seen = messages.load(std::memory_order_acquire); seen < wanted;
         seen = messages.load(std::memory_order_acquire)) {
      messages.wait(seen, std::memory_order_acquire);  // acquire: pairs with add()
    }
  }
};

/// emulated_ring() without a network.
void bare_ring(State& state) {
  const auto n = static_cast<std::size_t>(state.range(0));
  const int trips = trips_of(static_cast<int>(n), std::chrono::microseconds(1));
  const double before = processor_seconds();
  for ([[maybe_unused]] auto _ : state) {
    std::vector<Cell> cells(n);
    std::vector<std::jthread> threads;
    for (std::size_t rank = 0; rank < n; ++rank) {
      threads.emplace_back([&, rank] {
        for (int i = 1; i <= trips; ++i) {
          cells[(rank + 1) % n].add();
          cells[rank].await(i);
        }
      });
    }
  }
  const double all = static_cast<double>(n) * trips * static_cast<double>(state.iterations());
  state.counters["processor µs/message"] = (processor_seconds() - before) / all * 1e6;
  state.counters["messages/s"] = Counter(all, Counter::kIsRate);
}
BENCHMARK(bare_ring)
    ->ArgName("ranks")
    ->Args({2})
    ->Args({8})
    ->Args({16})
    ->Args({64})
    ->Args({256})
    ->Iterations(3)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

/// Workers send to a server, which takes whatever comes and answers it.
void emulated_server(State& state) {
  const auto n = static_cast<int>(state.range(0));
  const std::chrono::microseconds latency(state.range(1));
  const int trips = trips_of(n, latency);
  std::vector<float> value(16);
  measure(state, setup_of(n, 1, latency), 2.0 * n * trips, [&](Rank& rank) {
    rank.begin();
    if (rank.rank() == n) {
      while (const auto message = rank.receive_any()) {
        rank.send(message->from(), std::span<const float>(value));
      }
      return;
    }
    for (int i = 0; i < trips; ++i) {
      rank.send(n, std::span<const float>(value));
      (void)rank.receive(n);
    }
  });
}
BENCHMARK(emulated_server)
    ->ArgNames({"ranks", "µs"})
    ->ArgsProduct({{2, 8, 16, 64, 256}, {0, 1, 1000}})
    ->Iterations(3)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace trainyard
