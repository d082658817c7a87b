// Each averaging of two is atomic, and none waits for ever, whatever the network and the graph.
#include "trainyard/collective/pairwise_average.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "trainyard/base/random.hpp"
#include "trainyard/runtime/trace.hpp"

#include "support/catch.hpp"
#include "support/random_network.hpp"
#include "support/runtimes.hpp"

using namespace trainyard;
using test::random_network;
using test::setup_of;

namespace {

using Values = std::vector<double>;

}  // namespace

TEST_CASE("pairwise averaging keeps the sum and comes to the mean, on any network",
          "[collective]") {
  const auto seed = GENERATE(1U, 2U, 3U, 4U, 5U);
  CAPTURE(seed);
  RandomStream random(seed, Purpose::network);
  const int n = 3 + static_cast<int>(random.below(6));
  const Network network = random_network(random);
  std::vector<Values> x(static_cast<std::size_t>(n));
  Values sum(3);
  for (Values& each : x) {
    for (std::size_t j = 0; j < 3; ++j) {
      each.push_back(random.normal());
      sum[j] += each[j];
    }
  }
  // Who averages with whom: everybody, or on a ring of odd or even length.
  const bool ring = random.below(2) == 0;
  run_virtual(setup_of(n, 0, network), [&](Rank& rank) {
    std::vector<int> others;
    for (int i = 1; i < n; ++i) {
      if (!ring || i == 1 || i == n - 1) others.push_back((rank.rank() + i) % n);
    }
    RandomStream own(seed, Purpose::scheme, static_cast<std::uint32_t>(rank.rank()));
    PairwiseAverage average(rank, Vector(x[static_cast<std::size_t>(rank.rank())]), others);
    for (int k = 0; k < 400; ++k) {
      rank.compute_serving(
          {.simulated = seconds(1e-3 * own.exponential())}, [] {},
          [&](const Message& message) {
            average.serve(message);
            return true;
          });
      average.with(others[own.below(others.size())]);
    }
    average.finish();
  });
  for (std::size_t j = 0; j < 3; ++j) {
    double total = 0.0;
    for (const Values& each : x) total += each[j];
    CHECK(total == Approx(sum[j]).epsilon(1e-12).margin(1e-12));
    for (const Values& each : x) CHECK(each[j] == Approx(sum[j] / n).margin(1e-6));
  }
}

namespace {

std::vector<int> neighbours_of(const std::string& graph, int rank, int n) {
  std::vector<int> others;
  for (int other = 0; other < n; ++other) {
    const int distance = (other - rank + n) % n;
    const bool linked = graph == "full"   ? true
                        : graph == "star" ? rank == n / 2 || other == n / 2
                                          : distance == 1 || distance == n - 1;
    if (other != rank && linked) others.push_back(other);
  }
  return others;
}

/// Everybody averages `times` times with a random neighbour, between minibatches of random length,
/// of which rank 1's take five times as long. Leaves the matrix that maps all models at the
/// beginning to those at the end: row i is worker i's, who begins with the i-th unit vector.
std::vector<Values> averaged_at_random(const test::Runtime& runtime, const RuntimeSetup& setup,
                                       const std::string& graph, int times, std::uint32_t seed) {
  const int n = setup.workers;
  std::vector<Values> x(static_cast<std::size_t>(n), Values(static_cast<std::size_t>(n), 0.0));
  for (std::size_t i = 0; i < x.size(); ++i) x[i][i] = 1.0;
  runtime.run(setup, [&](Rank& rank) {
    const std::vector<int> others = neighbours_of(graph, rank.rank(), n);
    RandomStream own(seed, Purpose::scheme, static_cast<std::uint32_t>(rank.rank()));
    PairwiseAverage average(rank, Vector(x[static_cast<std::size_t>(rank.rank())]), others);
    rank.begin();
    for (int k = 0; k < times; ++k) {
      const double factor = rank.rank() == 1 ? 5.0 : 1.0;
      rank.compute_serving(
          {.simulated = seconds(factor * 1e-3 * own.exponential()), .slowdown = factor}, [] {},
          [&](const Message& message) {
            average.serve(message);
            return true;
          });
      average.with(others[own.below(others.size())]);
      average.serve_waiting();
    }
    average.finish();
  });
  return x;
}

/// The product of the averages that the messages say there were: of two that exchange vectors,
/// every second of these answers the one before, and that moment is when they average.
std::vector<Values> product_of_averages(const Trace& trace, int n) {
  std::vector<Values> x(static_cast<std::size_t>(n), Values(static_cast<std::size_t>(n), 0.0));
  for (std::size_t i = 0; i < x.size(); ++i) x[i][i] = 1.0;
  std::map<std::pair<int, int>, int> exchanged;
  for (const Transfer& message : trace.messages) {
    if (message.bytes == 0 || ++exchanged[std::minmax(message.from, message.to)] % 2 != 0) continue;
    Values& a = x[static_cast<std::size_t>(message.from)];
    Values& b = x[static_cast<std::size_t>(message.to)];
    for (std::size_t j = 0; j < a.size(); ++j) a[j] = b[j] = (a[j] + b[j]) / 2;
  }
  return x;
}

void check_doubly_stochastic(const std::vector<Values>& x) {
  for (std::size_t i = 0; i < x.size(); ++i) {
    double row = 0.0, column = 0.0;
    for (std::size_t j = 0; j < x.size(); ++j) {
      CHECK(x[i][j] >= 0.0);
      row += x[i][j];
      column += x[j][i];
    }
    CHECK(row == Approx(1.0).epsilon(1e-12));
    CHECK(column == Approx(1.0).epsilon(1e-12));
  }
}

}  // namespace

TEST_CASE("what pairwise averaging does is a product of averages of two", "[collective]") {
  for (const test::Runtime& runtime : test::runtimes()) {
    for (const char* graph : {"full", "star", "ring"}) {
      for (const std::uint32_t seed : {1U, 2U, 3U, 4U}) {
        const int n = 3 + static_cast<int>(seed % 4);  // rings of odd and of even length
        const int times = 1 + static_cast<int>(seed);
        CAPTURE(runtime.name, graph, n, times, seed);
        RandomStream random(seed, Purpose::network);
        RuntimeSetup setup = setup_of(n);
        // Threads say exactly when they post what only where messages take no time.
        if (runtime.run == run_virtual && seed > 1) setup.network = random_network(random);
        TraceRecorder recorder({.first = 0, .last = 1});
        setup.recorder = &recorder;
        const auto found = averaged_at_random(runtime, setup, graph, times, seed);
        const Trace trace = recorder.take();
        REQUIRE_FALSE(trace.cut);
        check_doubly_stochastic(found);
        const auto expected = product_of_averages(trace, n);
        std::size_t vectors = 0;
        for (const Transfer& message : trace.messages) vectors += message.bytes != 0 ? 1 : 0;
        // Two that wish for each other at once average once.
        CHECK(vectors % 2 == 0);
        CHECK(vectors <= 2U * static_cast<std::size_t>(n * times));
        CHECK(vectors >= static_cast<std::size_t>(n * times));
        for (std::size_t i = 0; i < found.size(); ++i) {
          for (std::size_t j = 0; j < found.size(); ++j) {
            CHECK(found[i][j] == Approx(expected[i][j]).epsilon(1e-12).margin(1e-12));
          }
        }
      }
    }
  }
}

TEST_CASE("who waits for an average is not drawn on by others meanwhile", "[collective]") {
  // Messages take longer than minibatches, so that all wish at once.
  Network network;
  network.latency = std::chrono::milliseconds(2);
  network.bytes_per_second = 1e6;
  for (const test::Runtime& runtime : test::runtimes()) {
    for (const char* graph : {"full", "star", "ring"}) {
      for (const std::uint32_t seed : {1U, 2U}) {
        CAPTURE(runtime.name, graph, seed);
        check_doubly_stochastic(
            averaged_at_random(runtime, setup_of(6, 0, network), graph, 2, seed));
      }
    }
  }
}

TEST_CASE("two who ask each other at once average, and do not swap", "[collective]") {
  for (const test::Runtime& runtime : test::runtimes()) {
    for (const Network& network :
         {Network{}, Network{.latency = std::chrono::microseconds(100), .bytes_per_second = 1e6}}) {
      CAPTURE(runtime.name, network.perfect());
      std::vector<Values> x{{1.0}, {4.0}};
      runtime.run(setup_of(2, 0, network), [&](Rank& rank) {
        PairwiseAverage average(rank, Vector(x[static_cast<std::size_t>(rank.rank())]),
                                {1 - rank.rank()});
        average.with(1 - rank.rank());
        average.finish();
      });
      CHECK(x[0][0] == 2.5);
      CHECK(x[1][0] == 2.5);
    }
  }
}

TEST_CASE("pairwise averaging of threads ends, and keeps the sum", "[collective]") {
  const int n = 6;
  std::vector<Values> x(n, Values(1));
  for (int i = 0; i < n; ++i) x[static_cast<std::size_t>(i)][0] = i;
  run_wall(setup_of(n), [&](Rank& rank) {
    std::vector<int> others;
    for (int i = 1; i < n; ++i) others.push_back((rank.rank() + i) % n);
    RandomStream own(1, Purpose::scheme, static_cast<std::uint32_t>(rank.rank()));
    PairwiseAverage average(rank, Vector(x[static_cast<std::size_t>(rank.rank())]), others);
    for (int k = 0; k < 200; ++k) {
      rank.compute_serving(
          {}, [] {},
          [&](const Message& message) {
            average.serve(message);
            return true;
          });
      average.with(others[own.below(others.size())]);
    }
    average.finish();
  });
  double total = 0.0;
  for (const Values& each : x) {
    total += each[0];
    CHECK(each[0] == Approx(2.5).margin(1e-6));
  }
  CHECK(total == Approx(15.0).epsilon(1e-12));
}
