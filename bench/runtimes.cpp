// What talking costs us, as opposed to what it costs the ranks: simulated messages a second, the
// switch alone, and how late an emulated delay is really over.
//
// What to compare with: SimGrid S4U simulates 0.45 to 0.59 M messages a second in a ring all-reduce
// of 8 to 256 ranks on one core of a 4 GHz machine.
#include <algorithm>
#include <chrono>
#include <vector>

#include <benchmark/benchmark.h>

#include "trainyard/collective/all_reduce.hpp"
#include "trainyard/hardware/machine.hpp"
#include "trainyard/network/switch.hpp"
#include "trainyard/runtime/rank.hpp"

namespace trainyard {
namespace {

using benchmark::Counter;
using benchmark::State;

const Network slow_network{.latency = std::chrono::milliseconds(1), .bytes_per_second = 125e6};

/// Ring all-reduce of one float a rank under simulated time: 2n(n−1) messages each.
void simulated_ring(State& state) {
  const auto n = static_cast<int>(state.range(0));
  const int rounds = std::max(1, 200000 / (2 * n * (n - 1)));
  std::vector<std::vector<float>> vectors(static_cast<std::size_t>(n),
                                          std::vector<float>(static_cast<std::size_t>(n)));
  for ([[maybe_unused]] auto _ : state) {
    run_virtual({.workers = n, .network = slow_network, .pinned_to = {}}, [&](Rank& rank) {
      rank.begin();
      for (int round = 0; round < rounds; ++round) {
        all_reduce_mean(rank, vectors[static_cast<std::size_t>(rank.rank())],
                        find_all_reduce("ring"));
      }
    });
  }
  state.counters["messages/s"] =
      Counter(2.0 * n * (n - 1) * rounds, Counter::kIsIterationInvariantRate);
}
BENCHMARK(simulated_ring)->Arg(8)->Arg(64)->Arg(256)->Arg(1024)->Unit(benchmark::kMillisecond);

/// The switch alone: every rank sends to the next, again and again.
void switch_alone(State& state) {
  const auto n = static_cast<int>(state.range(0));
  Switch sw(slow_network, n);
  Time now{0};
  std::int64_t messages = 0;
  for ([[maybe_unused]] auto _ : state) {
    for (int rank = 0; rank < n; ++rank) sw.post(rank, (rank + 1) % n, 1000, now);
    sw.advance(now, [&](const Transfer& transfer) { benchmark::DoNotOptimize(transfer.end); });
    now = sw.next_event();
    sw.advance(now - Duration(1), [](const Transfer&) {});
    messages += n;
  }
  state.counters["messages/s"] = Counter(static_cast<double>(messages), Counter::kIsRate);
}
BENCHMARK(switch_alone)->Arg(64)->Arg(1024);

/// How long after its moment an emulated arrival is seen in wall time, on average over 100 one-way
/// trips of a message between two ranks; the median over runs.
void late_arrival(State& state) {
  const auto latency = std::chrono::microseconds(state.range(0));
  std::vector<double> late_us;
  for ([[maybe_unused]] auto _ : state) {
    run_wall({.workers = 2,
              .network = {.latency = latency, .charge_control = true},
              .pinned_to = place_ranks(this_machine(), 2, Placement::compact),
              .cores_are_shared = this_machine().cores < 2},
             [&](Rank& rank) {
               rank.begin();
               for (int i = 0; i < 50; ++i) {
                 if (rank.rank() == 0) {
                   rank.send(1, std::span<const float>{});
                   (void)rank.receive(1);
                   continue;
                 }
                 (void)rank.receive(0);
                 rank.send(0, std::span<const float>{});
               }
               if (rank.rank() == 0) {
                 const double each = to_seconds(rank.now()) / 100;
                 late_us.push_back((each - to_seconds(latency)) * 1e6);
               }
             });
  }
  std::ranges::sort(late_us);
  state.counters["late µs"] = late_us[late_us.size() / 2];
}
BENCHMARK(late_arrival)->Arg(10)->Arg(50)->Arg(130)->Arg(1000)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace trainyard
