// Barriers and messages without bytes, free and charged, under both runtimes.
#include <vector>

#include "support/catch.hpp"
#include "support/runtimes.hpp"

using namespace trainyard;
using test::setup_of;

TEST_CASE("in virtual a barrier is free, or takes ceil(log2 n) latencies", "[runtime]") {
  for (const bool charged : {false, true}) {
    for (const int n : {1, 2, 3, 8, 9}) {
      CAPTURE(charged, n);
      int rounds = 0;
      while ((1 << rounds) < n) ++rounds;
      const Network network{.latency = seconds(2), .charge_control = charged};
      const RuntimeReport report = run_virtual(setup_of(n, 1, network), [](Rank& rank) {
        rank.begin();
        if (rank.rank() == rank.workers()) return;  // the server
        for (int i = 0; i < 3; ++i) rank.barrier();
      });
      CHECK(to_seconds(report.elapsed) == (charged ? 3 * 2 * rounds : 0));
    }
  }
}

TEST_CASE("in virtual each leaves a charged barrier when it has been told of the last",
          "[runtime]") {
  const Network network{.latency = seconds(1), .charge_control = true};
  std::vector<double> left(4);
  run_virtual(setup_of(4, 0, network), [&](Rank& rank) {
    rank.begin();
    if (rank.rank() == 2) rank.compute({.simulated = seconds(10)}, [] {});
    rank.barrier();
    left[static_cast<std::size_t>(rank.rank())] = to_seconds(rank.now());
  });
  CHECK(left == std::vector<double>{11, 12, 10, 11});
}

TEST_CASE("in wall a charged barrier is left no earlier than it says", "[runtime]") {
  const Network network{.latency = seconds(0.005), .charge_control = true};
  std::vector<double> left(3);
  run_wall(setup_of(3, 0, network), [&](Rank& rank) {
    rank.begin();
    for (int i = 0; i < 2; ++i) rank.barrier();
    left[static_cast<std::size_t>(rank.rank())] = to_seconds(rank.now());
  });
  for (const double each : left) CHECK(each >= 2 * 2 * 0.005);
}

TEST_CASE("a message without bytes is free, or takes its link's latency", "[runtime]") {
  for (const bool charged : {false, true}) {
    const Network network{
        .latency = seconds(1), .bytes_per_second = 4.0, .charge_control = charged};
    Time received{0};
    run_virtual(setup_of(2, 0, network), [&](Rank& rank) {
      rank.begin();
      if (rank.rank() == 0) {
        rank.send(1, std::span<const float>{});
      } else {
        (void)rank.receive(0);
        received = rank.now();
      }
    });
    CHECK(to_seconds(received) == (charged ? 1 : 0));
  }
}
