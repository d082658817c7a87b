// by-size: the tree below the threshold that the closed forms say, the ring above it.
#include <algorithm>
#include <cstring>
#include <vector>

#include "trainyard/collective/all_reduce.hpp"

#include "support/catch.hpp"
#include "support/runtimes.hpp"

using namespace trainyard;

namespace {

struct Outcome {
  Duration took{0};
  std::uint64_t bytes = 0, messages = 0;
  std::vector<float> sum;
};

/// Of vectors whose sums are rounded, so that the order of the summands shows.
Outcome summed(const test::Runtime& runtime, const char* way, int n, std::size_t length,
               const Network& network) {
  std::vector<std::vector<float>> vectors;
  for (int w = 0; w < n; ++w) vectors.emplace_back(length, 1.0F / static_cast<float>(3 * w + 7));
  const RuntimeReport report = runtime.run(test::setup_of(n, 0, network), [&](Rank& rank) {
    rank.begin();
    all_reduce_sum(rank, vectors[static_cast<std::size_t>(rank.rank())], find_all_reduce(way));
  });
  Outcome outcome{.took = report.elapsed, .sum = vectors[0]};
  for (const RankAccount& account : report.accounts) {
    outcome.bytes += account.bytes_sent;
    outcome.messages += account.messages_sent;
  }
  return outcome;
}

bool same(const Outcome& a, const Outcome& b) {
  return a.took == b.took && a.bytes == b.bytes && a.messages == b.messages && a.sum == b.sum;
}

/// t = α (n − 1 − ⌈log2 n⌉)/(⌈log2 n⌉ − (n−1)/n), in numbers.
double threshold(int n, int rounds, const Network& network) {
  const double times = (n - 1.0 - rounds) / (rounds - (n - 1.0) / n);
  return times * to_seconds(network.latency) * network.bytes_per_second / sizeof(float);
}

}  // namespace

TEST_CASE("by-size is the tree below its threshold and the ring above", "[collective]") {
  const Network network{.latency = std::chrono::milliseconds(1), .bytes_per_second = 4e6};
  struct Row {
    int n, rounds;  // ⌈log2 n⌉
  };
  for (const auto& [n, rounds] :
       {Row{4, 2}, Row{5, 3}, Row{6, 3}, Row{8, 3}, Row{9, 4}, Row{16, 4}, Row{17, 5}}) {
    const auto limit = static_cast<std::size_t>(threshold(n, rounds, network));
    CAPTURE(n, limit);
    REQUIRE(limit > 300);
    // Parts are uneven, which moves the threshold by a number or so a round.
    const auto margin = static_cast<std::size_t>(n);
    for (const std::size_t length : {std::size_t{1}, limit / 2, limit - margin}) {
      const Outcome found = summed(test::runtimes()[0], "by-size", n, length, network);
      CHECK(same(found, summed(test::runtimes()[0], "tree", n, length, network)));
      CHECK(found.took < summed(test::runtimes()[0], "ring", n, length, network).took);
    }
    for (const std::size_t length : {limit + margin, 2 * limit, 20 * limit}) {
      const Outcome found = summed(test::runtimes()[0], "by-size", n, length, network);
      CHECK(same(found, summed(test::runtimes()[0], "ring", n, length, network)));
      CHECK(found.took < summed(test::runtimes()[0], "tree", n, length, network).took);
    }
  }
}

TEST_CASE("by-size moves its threshold with the network", "[collective]") {
  constexpr int n = 8;
  constexpr std::size_t length = 1000;
  const auto way_of = [&](const Network& network) {
    const Outcome found = summed(test::runtimes()[0], "by-size", n, length, network);
    const Outcome tree = summed(test::runtimes()[0], "tree", n, length, network);
    const Outcome ring = summed(test::runtimes()[0], "ring", n, length, network);
    CHECK(found.took == std::min(tree.took, ring.took));
    return found.messages == ring.messages ? "ring" : "tree";
  };
  CHECK(way_of({.latency = std::chrono::milliseconds(10), .bytes_per_second = 4e6}) ==
        std::string("tree"));
  CHECK(way_of({.latency = std::chrono::microseconds(10), .bytes_per_second = 4e6}) ==
        std::string("ring"));
  CHECK(way_of({.latency = std::chrono::milliseconds(10), .bytes_per_second = 4e4}) ==
        std::string("ring"));
}

TEST_CASE("by-size counts the bytes of a number in double precision", "[collective]") {
  // As floats the vector would be below the threshold of 1.9 α, as doubles it is above.
  constexpr int n = 8;
  const Network network{.latency = std::chrono::milliseconds(1), .bytes_per_second = 4e6};
  const auto length = static_cast<std::size_t>(0.75 * threshold(n, 3, network));
  const auto took = [&](const char* way) {
    std::vector<std::vector<double>> vectors(n, std::vector<double>(length, 1.0));
    return run_virtual(test::setup_of(n, 0, network),
                       [&](Rank& rank) {
                         rank.begin();
                         all_reduce_sum(rank, vectors[static_cast<std::size_t>(rank.rank())],
                                        find_all_reduce(way));
                       })
        .elapsed;
  };
  CHECK(took("by-size") == took("ring"));
  CHECK(took("ring") < took("tree"));
  CHECK(summed(test::runtimes()[0], "by-size", n, length, network).took ==
        summed(test::runtimes()[0], "tree", n, length, network).took);
}

TEST_CASE("by-size comes to the same answer on threads", "[collective]") {
  const Network network{.latency = std::chrono::microseconds(50), .bytes_per_second = 4e6};
  for (const std::size_t length : {10U, 5000U}) {
    for (const int n : {5, 8}) {
      CAPTURE(length, n);
      const Outcome simulated = summed(test::runtimes()[0], "by-size", n, length, network);
      const Outcome threads = summed(test::runtimes()[1], "by-size", n, length, network);
      CHECK(threads.sum == simulated.sum);
      CHECK(threads.messages == simulated.messages);
      CHECK(threads.bytes == simulated.bytes);
    }
  }
}

TEST_CASE("by-size where the network takes no time: one shot, servers on workers, the ring",
          "[collective]") {
  for (const int n : {1, 2, 3, 4, 7, 16}) {
    for (const std::size_t length : {1U, 55U, 272U, 273U, 2048U, 5000U, 70000U}) {
      CAPTURE(n, length);
      const Outcome simulated = summed(test::runtimes()[0], "by-size", n, length, {});
      const Outcome threads = summed(test::runtimes()[1], "by-size", n, length, {});
      CHECK(threads.sum == simulated.sum);
      CHECK(threads.messages == simulated.messages);
      CHECK(threads.bytes == simulated.bytes);
      const auto others = static_cast<std::uint64_t>(n) - 1;
      if (length * 4 <= 8192 && others * length * 4 <= 16384) {
        CHECK(threads.messages == n * others);
        CHECK(threads.bytes == n * others * length * 4);
        float in_order = 1.0F / 7.0F;
        for (int w = 1; w < n; ++w) in_order += 1.0F / static_cast<float>(3 * w + 7);
        CHECK(threads.sum == std::vector<float>(length, in_order));
      } else {
        const char* way = n <= 3 ? "ring" : "ps-colocated";
        CHECK(threads.sum == summed(test::runtimes()[0], way, n, length, {}).sum);
        CHECK(threads.bytes == 2 * others * length * 4);
      }
    }
  }
}

TEST_CASE("more workers than are read at once sum around the ring", "[collective]") {
  constexpr int n = 65;
  const Outcome found = summed(test::runtimes()[0], "by-size", n, 10, {});
  CHECK(same(found, summed(test::runtimes()[0], "ring", n, 10, {})));
}
