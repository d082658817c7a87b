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
#include "trainyard/runtime/trace.hpp"

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

/// Every rank sends a float to the next and waits for the one before, again and again: about a
/// million messages; only the steps are timed. An all-reduce of 16384 ranks would take minutes.
void simulated_neighbours(State& state) {
  const auto n = static_cast<int>(state.range(0));
  const int steps = 1'000'000 / n;
  constexpr int untimed_steps = 10;  // first touch of stacks and envelopes
  for ([[maybe_unused]] auto _ : state) {
    std::chrono::steady_clock::time_point begin, end;
    run_virtual({.workers = n, .network = slow_network, .pinned_to = {}}, [&](Rank& rank) {
      std::vector<float> value(1);
      rank.begin();
      for (int step = 0; step < untimed_steps + steps; ++step) {
        if (step == untimed_steps && rank.rank() == 0) begin = std::chrono::steady_clock::now();
        rank.send((rank.rank() + 1) % n, value);
        rank.receive_add((rank.rank() + n - 1) % n, value);
      }
      if (rank.rank() == n - 1) end = std::chrono::steady_clock::now();
    });
    state.SetIterationTime(std::chrono::duration<double>(end - begin).count());
  }
  state.counters["messages/s"] =
      Counter(static_cast<double>(n) * steps, Counter::kIsIterationInvariantRate);
}
BENCHMARK(simulated_neighbours)
    ->Arg(64)
    ->Arg(1024)
    ->Arg(4096)
    ->Arg(16384)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

/// The switch alone: every rank sends to the next, again and again.
void switch_alone(State& state) {
  const auto n = static_cast<int>(state.range(0));
  Switch sw(slow_network, n);
  Time now{0};
  std::int64_t messages = 0;
  for ([[maybe_unused]] auto _ : state) {
    for (int rank = 0; rank < n; ++rank) sw.post(rank, (rank + 1) % n, 1000, now);
    sw.advance(now, [&](const Transfer& transfer) { now = transfer.end; });  // the same of all
    messages += n;
  }
  state.counters["messages/s"] = Counter(static_cast<double>(messages), Counter::kIsRate);
}
BENCHMARK(switch_alone)->Arg(64)->Arg(1024);

/// What a fraction of the values does not exceed. REQUIRES: sorted.
double quantile(const std::vector<double>& values, double fraction) {
  return values[static_cast<std::size_t>(fraction * static_cast<double>(values.size() - 1))];
}

/// Ranks 2i and 2i+1 play ping-pong, all pairs at once; how late each message was received, in µs.
/// The moment it is due is the one the switch gave it, read from the trace; the moment it is there
/// is what the receiver's clock says as receive() returns. Both are of the run's one clock.
std::vector<double> lateness(int ranks, Duration latency, int trips) {
  TraceRecorder recorder({.first = 0, .last = 1}, std::size_t{1} << 20U);
  std::vector<std::vector<Time>> received(static_cast<std::size_t>(ranks));
  for (auto& times : received) times.reserve(static_cast<std::size_t>(trips));
  const auto program = [&](Rank& rank) {
    const int partner = rank.rank() ^ 1;
    auto& times = received[static_cast<std::size_t>(rank.rank())];
    rank.begin();
    for (int i = 0; i < trips; ++i) {
      if (rank.rank() < partner) rank.send(partner, std::span<const float>{});
      (void)rank.receive(partner);
      times.push_back(rank.now());
      if (rank.rank() > partner) rank.send(partner, std::span<const float>{});
    }
  };
  run_wall({.workers = ranks,
            .network = {.latency = latency, .charge_control = true},
            .pinned_to = place_ranks(this_machine(), ranks, Placement::compact),
            .cores_are_shared = this_machine().cores < ranks,
            .recorder = &recorder},
           program);
  std::vector<double> late_us;
  std::vector<std::size_t> seen(received.size(), 0);
  for (const Transfer& message : recorder.take().messages) {  // of a pair in the order of arrival
    const auto to = static_cast<std::size_t>(message.to);
    late_us.push_back(to_seconds(received[to][seen[to]++] - message.end) * 1e6);
  }
  return late_us;
}

/// How late an emulated delay is over: arguments are ranks and the latency in µs.
void late_arrival(State& state) {
  const auto ranks = static_cast<int>(state.range(0));
  const std::chrono::microseconds latency(state.range(1));
  const std::int64_t in_all = 200000 / state.range(1) / std::max(1, ranks / 8);
  const auto trips = static_cast<int>(std::clamp<std::int64_t>(in_all, 50, 2000));
  std::vector<double> late_us;
  for ([[maybe_unused]] auto _ : state) {
    const std::vector<double> more = lateness(ranks, latency, trips);
    late_us.insert(late_us.end(), more.begin(), more.end());
  }
  const auto early = std::ranges::count_if(late_us, [](double late) { return late < 0.0; });
  state.counters["early"] = static_cast<double>(early) / static_cast<double>(late_us.size());
  std::ranges::sort(late_us);
  state.counters["p50 µs"] = quantile(late_us, 0.5);
  state.counters["p99 µs"] = quantile(late_us, 0.99);
}
BENCHMARK(late_arrival)
    ->ArgNames({"ranks", "µs"})
    ->ArgsProduct({{2, 8, 64, 256}, {10, 130, 1000, 20000}})
    ->Iterations(3)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace trainyard
