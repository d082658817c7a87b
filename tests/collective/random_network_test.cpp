// All-reduces over networks drawn at random: racks, links named one by one, jitter, either kind of
// port. Whatever the network does to the times, sums and bytes stay what they are.
#include <algorithm>
#include <bit>
#include <map>
#include <vector>

#include "trainyard/base/random.hpp"
#include "trainyard/collective/all_reduce.hpp"
#include "trainyard/runtime/trace.hpp"

#include "support/catch.hpp"
#include "support/runtimes.hpp"

using namespace trainyard;
using test::setup_of;

namespace {

/// `slowest`: the largest latency.
Link random_link(RandomStream& random, Duration slowest) {
  return {.latency = scaled(slowest, random.uniform()),
          .bytes_per_second = random.below(4) == 0 ? std::numeric_limits<double>::infinity()
                                                   : 1e7 * (1 + 1e3 * random.uniform())};
}

Network random_network(RandomStream& random, int ranks, int workers, Duration slowest) {
  Network network;
  const Link inside = random_link(random, slowest);
  network.latency = inside.latency;
  network.bytes_per_second = inside.bytes_per_second;
  network.ports = random.below(2) == 0 ? PortMode::circuit : PortMode::cutthrough;
  network.charge_control = random.below(2) == 0;
  network.racks = 1 + static_cast<int>(random.below(static_cast<std::uint64_t>(workers)));
  const Link between = random_link(random, slowest);
  network.between_latency = between.latency;
  network.between_bytes_per_second = between.bytes_per_second;
  for (int from = 0; from < ranks; ++from) {
    for (int to = 0; to < ranks; ++to) {
      if (from == to || random.below(4) != 0) continue;
      network.links.named.push_back({from, to, random_link(random, slowest)});
    }
  }
  network.jitter = {static_cast<Jitter::Kind>(random.below(4)), scaled(slowest, random.uniform())};
  network.seed = random.below(1000);
  return network;
}

/// Floats sent by all ranks together in one all-reduce: worked out from who sends what to whom, not
/// from the code. p: the largest power of two that is not above n.
std::uint64_t floats_sent(const AllReduce& way, int n, int k, std::uint64_t length) {
  const auto p = static_cast<int>(std::bit_floor(static_cast<unsigned>(n)));
  const int log2_p = std::countr_zero(static_cast<unsigned>(p));
  const int servers = way.servers(n, k);
  int vectors = 2 * (n - 1);  // as often as the whole vector is sent
  if (way.name == "recursive-doubling") vectors = p * log2_p + 2 * (n - p);
  if (way.name == "ps" || way.name == "ps-sharded" || way.name == "tree-root") vectors = 2 * n;
  if (way.name == "hierarchical") vectors = 2 * n + 2 * (servers - 1);
  return static_cast<std::uint64_t>(vectors) * length;
}

/// Messages of a pair begin and end in the order of their posts.
bool in_order(const Trace& trace) {
  std::map<std::pair<int, int>, const Transfer*> last;
  for (const Transfer& message : trace.messages) {
    const Transfer*& before = last[{message.from, message.to}];
    if (before != nullptr && (message.start < before->start || message.end < before->end)) {
      return false;
    }
    before = &message;
  }
  return true;
}

void check_random_network(const test::Runtime& runtime, std::uint64_t seed, int most_workers,
                          Duration slowest) {
  RandomStream random(seed, Purpose::network);
  const int n = 1 + static_cast<int>(random.below(static_cast<std::uint64_t>(most_workers)));
  const int k = 1 + static_cast<int>(random.below(4));
  const std::size_t length = random.below(300);
  for (const AllReduce& way : all_reduces()) {
    const int servers = way.servers(n, k);
    TraceRecorder recorder({.first = 0, .last = 1});
    RuntimeSetup setup = setup_of(n, servers, random_network(random, n + servers, n, slowest));
    setup.recorder = &recorder;
    std::vector<std::vector<float>> vectors;
    for (int w = 0; w < n; ++w) vectors.emplace_back(length, static_cast<float>(w + 1));

    constexpr int rounds = 3;
    const RuntimeReport report = runtime.run(setup, [&](Rank& rank) {
      rank.begin();
      if (rank.rank() >= n) return way.serve(rank, Scalar::float32, length);
      for (int round = 0; round < rounds; ++round) {
        all_reduce_sum(rank, vectors[static_cast<std::size_t>(rank.rank())], way);
      }
    });

    INFO("seed " << seed << ", " << runtime.name << ", " << way.name << ", n = " << n
                 << ", k = " << k << ", length " << length);
    const auto total = static_cast<float>(n * (n + 1) / 2 * n * n);  // n times as much each round
    for (const auto& vector : vectors) REQUIRE(vector == std::vector<float>(length, total));
    std::uint64_t bytes = 0;
    for (const RankAccount& account : report.accounts) bytes += account.bytes_sent;
    CHECK(bytes == rounds * floats_sent(way, n, k, length) * sizeof(float));
    CHECK(in_order(recorder.take()));
  }
}

}  // namespace

TEST_CASE("random networks: sums, bytes and order hold, simulated", "[collective]") {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    check_random_network(test::runtimes()[0], seed, 17, std::chrono::milliseconds(5));
  }
}

TEST_CASE("random networks: sums, bytes and order hold, on threads", "[collective]") {
  for (std::uint64_t seed = 101; seed <= 104; ++seed) {
    check_random_network(test::runtimes()[1], seed, 5, std::chrono::microseconds(100));
  }
}

TEST_CASE("random networks: the same for more of them", "[collective][slow]") {
  for (std::uint64_t seed = 1001; seed <= 1100; ++seed) {
    check_random_network(test::runtimes()[0], seed, 17, std::chrono::milliseconds(5));
  }
  for (std::uint64_t seed = 1001; seed <= 1010; ++seed) {
    check_random_network(test::runtimes()[1], seed, 17, std::chrono::microseconds(200));
  }
}
