#include "trainyard/runtime/staleness.hpp"

#include <cmath>

#include "support/catch.hpp"
#include "support/left_out.hpp"
#include "support/training.hpp"

using namespace trainyard;
using test::quick;
using test::train;

TEST_CASE("a histogram's mean and quantiles", "[scheme]") {
  Staleness staleness;
  CHECK(staleness.empty());
  for (std::uint64_t i = 1; i <= 100; ++i) staleness.record(i);
  CHECK(staleness.mean() == 50.5);
  CHECK(staleness.quantile(0.5) == 50);
  CHECK(staleness.quantile(0.99) == 99);
  CHECK(staleness.max() == 100);
  Staleness other;
  other.record(1'000'000);  // beyond the bins: counted, and the maximum is exact
  staleness.merge(other);
  CHECK(staleness.max() == 1'000'000);
  CHECK(staleness.mean() == Approx((5050 + 1e6) / 101));
}

// Catalogue §2.3: a closed loop of n always-busy workers has mean staleness n − 1, whatever their
// speeds; equal speeds give 0, 1, …, n − 2 and then n − 1 always.
TEST_CASE("n equal asynchronous workers have staleness n - 1", "[scheme]") {
  const LoadedData data = test::dense_problem();
  for (const int n : {1, 2, 5, 16}) {
    for (const double latency : {0.0, 1e-3}) {
      for (const int servers : {1, 2}) {
        CAPTURE(n, latency, servers);
        Configuration c = quick("ps-async", n, 200);
        c.servers = servers;
        c.network.latency = seconds(latency);
        const auto staleness = *train(c, data).summary.staleness;
        const double updates = 200.0 * n;
        const double ramp = n * (n - 1) / 2.0;  // missing from the first n updates
        // (Within the last few updates two shards may differ in whom they saw.)
        CHECK(staleness.mean == Approx((updates * (n - 1) - ramp) / updates).epsilon(2e-4));
        if (servers > 1 && latency > 0.0) continue;  // shards may see the workers in other orders
        CHECK(staleness.max == static_cast<std::uint64_t>(n - 1));
        CHECK(staleness.p50 == static_cast<std::uint64_t>(n - 1));
      }
    }
  }
}

TEST_CASE("equal asynchronous workers: staleness 0, 1, ..., n - 2, and then n - 1", "[scheme]") {
  const auto asynchronous = test::schemes_where(
      [](const Scheme& scheme) {
        return cast_of(scheme, {}).model == ModelHome::servers && scheme.order.pace == Pace::free;
      },
      {{"sandblaster", "is synchronous: portions of one gradient"},
       {"ps-hierarchical-async", "a group's gradients are one update, and here there is one group"},
       {"decoupled-diloco", "merges what several have sent"},
       {"halos", "updates its model once in several ways"},
       {"fedbuff", "updates its model once in several changes"},
       {"easgd-async", "replicas exchange with the centre, and no gradient is late"},
       {"eamsgd", "replicas exchange with the centre, and no gradient is late"}});
  const LoadedData data = test::dense_problem();
  for (const std::string& scheme : asynchronous) {
    for (const std::uint64_t n : {1U, 2U, 5U, 9U}) {
      std::uint64_t before = 0;
      for (std::uint64_t steps = 1; steps <= 4; ++steps) {
        CAPTURE(scheme, n, steps);
        Configuration c = quick(scheme, static_cast<int>(n), steps);
        c.hyperparameters["value-bound"] = 1e300;
        c.hyperparameters["period"] = 1;
        const auto staleness = *train(c, data).summary.staleness;
        const auto sum = static_cast<std::uint64_t>(
            std::llround(staleness.mean * static_cast<double>(n * steps)));
        CHECK(sum - before == (steps == 1 ? n * (n - 1) / 2 : n * (n - 1)));
        CHECK(staleness.max == n - 1);
        before = sum;
      }
    }
  }
}

// Memoryless workers: each of the n is the next with the same probability, whatever was before, so
// that k others come in between with probability (1/n)(1 − 1/n)^k.
TEST_CASE("with exponential compute times staleness is geometric", "[scheme]") {
  const LoadedData data = test::dense_problem(40, 2);
  constexpr double updates = 40'000;
  for (const char* scheme : {"ps-async", "hogwild"}) {
    for (const int n : {2, 4, 8}) {
      Configuration c = quick(scheme, n, static_cast<std::uint64_t>(updates) / n);
      c.batch = 1;
      parse_compute_noise("memoryless", "test", c.compute_noise);
      CAPTURE(scheme, n, c.seed);
      const Staleness found = train(c, data).staleness;
      // χ² over the values expected at least 20 times, the rest together.
      double chi_squared = 0.0;
      double rest = updates;
      double rest_found = updates;
      int cells = 0;
      for (std::uint64_t k = 0;; ++k) {
        const double expected = updates / n * std::pow(1.0 - 1.0 / n, static_cast<double>(k));
        if (expected < 20.0) break;
        const auto count = static_cast<double>(found.count(k));
        chi_squared += (count - expected) * (count - expected) / expected;
        rest -= expected;
        rest_found -= count;
        ++cells;
      }
      chi_squared += (rest_found - rest) * (rest_found - rest) / rest;
      // Its mean is `cells` and its variance 2·cells: four standard deviations.
      CHECK(chi_squared < cells + 4 * std::sqrt(2.0 * cells));
      CHECK(found.mean() == Approx(n - 1.0).epsilon(0.03));
    }
  }
}

TEST_CASE("mean staleness is n - 1 with unequal workers too", "[scheme]") {
  const LoadedData data = test::dense_problem();
  Configuration c = quick("ps-async", 4, 3000);
  c.stragglers = {{1, 3.0}, {2, 7.5}};
  const auto staleness = *train(c, data).summary.staleness;
  CHECK(staleness.mean == Approx(3.0).epsilon(0.01));
  CHECK(staleness.max > 3);
}

TEST_CASE("hogwild's staleness under simulation is n - 1", "[scheme]") {
  const LoadedData data = test::sparse_problem();
  const auto staleness = *train(quick("hogwild", 6, 500), data).summary.staleness;
  CHECK(staleness.mean == Approx(5.0).epsilon(0.01));
  CHECK(staleness.max == 5);
}

TEST_CASE("where nobody is ahead of anybody no staleness is reported", "[scheme]") {
  const LoadedData data = test::dense_problem();
  for (const std::string& scheme :
       test::schemes_where(test::repeats_with_one_tensor,
                           {{"pipedream", "its gradients are as old as the pipeline is long"}})) {
    CAPTURE(scheme);
    CHECK_FALSE(train(quick(scheme, 3, 5), data).summary.staleness.has_value());
  }
}
