#include <array>
#include <atomic>
#include <vector>

#include <tbb/global_control.h>

#include "trainyard/base/random.hpp"

#include "support/catch.hpp"
#include "support/runtimes.hpp"

using namespace trainyard;
using test::setup_of;

namespace {

struct Arrival {
  int to, from;
  std::int64_t at;
  bool operator==(const Arrival&) const = default;
};

/// Ranks that compute for random times and talk to random others; who hears what when.
std::vector<Arrival> random_talk(std::uint64_t seed) {
  std::vector<Arrival> heard;
  const Network network{.latency = seconds(0.5), .bytes_per_second = 3.0};
  run_virtual(setup_of(7, 2, network), [&](Rank& rank) {
    rank.begin();
    RandomStream random(seed, Purpose::scheme, static_cast<std::uint32_t>(rank.rank()));
    const std::array<float, 3> payload{};
    if (rank.rank() >= rank.workers()) {
      while (const auto message = rank.receive_any()) {
        heard.push_back({rank.rank(), message->from(), rank.now().count()});
        rank.send(message->from(), payload);
      }
      return;
    }
    double sum = 0.0;
    for (int step = 0; step < 30; ++step) {
      rank.compute({.simulated = seconds(static_cast<double>(random.below(4)))}, [&] {
        for (int i = 0; i < 1000; ++i) sum += i;
      });
      const int server = rank.server(static_cast<int>(random.below(2)));
      rank.send(server, payload);
      (void)rank.receive(server);
      heard.push_back({rank.rank(), server, rank.now().count()});
    }
  });
  return heard;
}

}  // namespace

TEST_CASE("a simulated run repeats event by event, on any number of cores", "[runtime]") {
  const auto first = random_talk(1);
  REQUIRE(first.size() == 7 * 30 * 2);
  CHECK(random_talk(1) == first);
  CHECK_FALSE(random_talk(2) == first);
  for (const std::size_t threads : {1U, 2U, 8U}) {
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
    CHECK(random_talk(1) == first);
  }
}

TEST_CASE("work that reads shared memory sees the instant in which it starts", "[runtime]") {
  int shared = 0;
  int seen = -1;
  run_virtual(setup_of(2), [&](Rank& rank) {
    rank.begin();
    if (rank.rank() == 0) {
      rank.compute({.simulated = seconds(2), .reads_shared = true}, [&] { seen = shared; });
    } else {
      rank.compute({.simulated = seconds(1)}, [] {});
      shared = 1;
    }
  });
  CHECK(seen == 0);
}

TEST_CASE("of ranks that wake at the same moment the lower goes first", "[runtime]") {
  std::vector<int> order;
  run_virtual(setup_of(20), [&](Rank& rank) {
    rank.begin();
    rank.compute({.simulated = seconds(1)}, [] {});
    order.push_back(rank.rank());
  });
  for (int i = 0; i < 20; ++i) CHECK(order[static_cast<std::size_t>(i)] == i);
}

TEST_CASE("a thousand ranks are cheap", "[runtime]") {
  int sum = 0;
  const RuntimeReport report = run_virtual(setup_of(1000), [&](Rank& rank) {
    rank.begin();
    const int next = (rank.rank() + 1) % 1000;
    for (int i = 0; i < 10; ++i) {
      rank.send(next, std::span<const float>{});
      (void)rank.receive((rank.rank() + 999) % 1000);
    }
    ++sum;
  });
  CHECK(sum == 1000);
  CHECK(report.accounts.size() == 1000);
}
