// Updates by gradients that are not too old, against the rule written out with workers of unequal
// speed, and against the schemes that its extremes are.
#include <cstdint>
#include <vector>

#include "support/catch.hpp"
#include "support/golden.hpp"
#include "support/training.hpp"

using namespace trainyard;
using test::quick;
using test::train;

namespace {

using Doubles = std::vector<double>;

constexpr double lr = 0.05;
constexpr std::uint64_t never = 1'000'000'000'000;

/// How much slower each worker is than the first: no two are ever ready at one moment.
const std::vector<double> slowness{1.0, 1.37, 2.61, 7.93};

struct Outcome {
  Doubles x;
  double last_update_at = 0.0;
};

/// On row i's f_i(x) = ½ Σ_j h_ij (x_j − b_ij)², which is worker i's.
Outcome by_the_rule(const Dataset& data, std::uint64_t threshold, bool stops, int updates) {
  const std::size_t size = data.features / 2, workers = slowness.size();
  Outcome found{Doubles(size, 0.0)};
  Doubles& x = found.x;
  std::vector<Doubles> read(workers, x);
  std::vector<std::uint64_t> read_after(workers, 0);
  Doubles ready = slowness;
  std::uint64_t done = 0;
  while (done < static_cast<std::uint64_t>(updates)) {
    std::size_t first = 0;
    for (std::size_t i = 1; i < workers; ++i) {
      if (ready[i] < ready[first]) first = i;
    }
    const double now = ready[first];
    if (done - read_after[first] < threshold) {
      for (std::size_t j = 0; j < size; ++j) {
        const double h = static_cast<double>(data.dense_row(first)[j]);
        const double b = static_cast<double>(data.dense_row(first)[size + j]);
        x[j] -= lr * h * (read[first][j] - b);
      }
      ++done;
      found.last_update_at = now;
    }
    for (std::size_t i = 0; i < workers; ++i) {
      const bool is_stopped = stops && done - read_after[i] >= threshold;
      if (i != first && !is_stopped) continue;
      read[i] = x;
      read_after[i] = done;
      ready[i] = now + slowness[i];
    }
  }
  return found;
}

Configuration unequal(const char* scheme, std::uint64_t threshold) {
  Configuration c;
  c.scheme = scheme;
  c.workers = static_cast<int>(slowness.size());
  c.optimizer.lr = lr;
  c.hyperparameters["delay-threshold"] = static_cast<double>(threshold);
  for (int i = 1; i < c.workers; ++i) {
    c.stragglers.push_back({i, slowness[static_cast<std::size_t>(i)]});
  }
  return c;
}

void check_rule(const char* scheme, bool stops, int servers) {
  const Dataset data = test::unlike_data(static_cast<int>(slowness.size()));
  for (const std::uint64_t threshold : {std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{3},
                                        std::uint64_t{5}, std::uint64_t{9}, never}) {
    for (const int updates : {1, 2, 3, 7, 20, 61}) {
      CAPTURE(scheme, threshold, updates, servers);
      Configuration c = unequal(scheme, threshold);
      c.steps = static_cast<std::uint64_t>(updates);
      c.servers = servers;
      test::check_close(test::run_on_quadratic(c, data).model,
                        by_the_rule(data, threshold, stops, updates).x);
    }
  }
}

}  // namespace

TEST_CASE("ringmaster drops gradients that are too old", "[scheme][rule:ringmaster]") {
  check_rule("ringmaster", false, 1);
  check_rule("ringmaster", false, 2);
}

TEST_CASE("ringmaster-interrupt stops workers whose gradients would be too old",
          "[scheme][rule:ringmaster-interrupt]") {
  check_rule("ringmaster-interrupt", true, 1);
}

// With R = 1 the slow ones are stopped at every update and never heard: one update a millisecond.
TEST_CASE("the threshold decides who is heard", "[scheme]") {
  const Dataset data = test::unlike_data(4);
  CHECK(by_the_rule(data, 1, true, 50).last_update_at == Approx(50.0));
  CHECK(by_the_rule(data, never, true, 50).last_update_at < 27.0);
}

TEST_CASE("ringmaster without a threshold is ps-async, bit for bit", "[scheme]") {
  for (const LoadedData& data : {test::dense_problem(), test::sparse_problem()}) {
    for (const int n : {1, 2, 5, 8}) {
      for (const int servers : {1, 3}) {
        CAPTURE(data.name, n, servers);
        Configuration c = quick("ps-async", n, 40);
        c.servers = servers;
        c.l2 = 1e-3;
        c.optimizer.momentum = 0.5;
        c.optimizer.lr_decay = 0.1;
        c.network = {.latency = std::chrono::microseconds(50), .bytes_per_second = 1e8};
        const RunResult without = train(c, data);
        c.scheme = "ringmaster";
        c.steps = 40U * static_cast<unsigned>(n);  // a step is an update
        c.hyperparameters["delay-threshold"] = static_cast<double>(never);
        const RunResult with = train(c, data);
        CHECK(with.summary.model_hash == without.summary.model_hash);
        CHECK(with.summary.samples == without.summary.samples);
        CHECK(with.summary.epochs == without.summary.epochs);
        CHECK(with.summary.staleness->max == without.summary.staleness->max);
        c.scheme = "ringmaster-interrupt";
        if (servers == 1) {
          c.sparse_wire = SparseWire::off;  // it sends models whole, which takes another time
          const RunResult interrupting = train(c, data);
          c.scheme = "ringmaster";
          CHECK(interrupting.summary.model_hash == train(c, data).summary.model_hash);
        }
      }
    }
  }
}

// Until the first of ps-async's workers finds that no minibatches are left, n before the last.
TEST_CASE("ringmaster without a threshold is ps-async with any order of arrival", "[scheme]") {
  const LoadedData data = test::dense_problem();
  Configuration c = quick("ps-async", 5, 60);
  c.compute_noise.exponential = 1.0;
  c.evaluate_every = 0.05;  // an update of 4 rows is 0.01, and five of them
  const RunResult without = train(c, data);
  c.scheme = "ringmaster";
  c.steps = 300;
  c.hyperparameters["delay-threshold"] = static_cast<double>(never);
  const RunResult with = train(c, data);
  REQUIRE(with.metrics.size() == without.metrics.size());
  for (std::size_t i = 0; i + 1 < with.metrics.size(); ++i) {
    CHECK(with.metrics[i].epoch == without.metrics[i].epoch);
    CHECK(with.metrics[i].seconds == without.metrics[i].seconds);
    CHECK(with.metrics[i].train_loss == without.metrics[i].train_loss);
  }
}

TEST_CASE("with fresh gradients alone ringmaster is ps-backup that waits for one, bit for bit",
          "[scheme]") {
  for (const LoadedData& data : {test::dense_problem(), test::sparse_problem()}) {
    for (const auto& [backup, ringmaster] :
         {std::pair{"ps-backup", "ringmaster"},
          std::pair{"ps-backup-interrupt", "ringmaster-interrupt"}}) {
      for (const int n : {1, 2, 5}) {
        CAPTURE(data.name, ringmaster, n);
        Configuration c = quick(backup, n, 60);
        c.l2 = 1e-3;
        c.compute_noise.exponential = 1.0;
        c.network = {.latency = std::chrono::microseconds(50), .bytes_per_second = 1e8};
        c.hyperparameters = {{"backups", n - 1.0}};
        const RunResult one = train(c, data);
        c.scheme = ringmaster;
        c.hyperparameters = {{"delay-threshold", 1.0}};
        const RunResult fresh = train(c, data);
        CHECK(fresh.summary.model_hash == one.summary.model_hash);
        CHECK(fresh.summary.seconds == one.summary.seconds);
        CHECK(fresh.summary.bytes_sent == one.summary.bytes_sent);
        CHECK(fresh.summary.samples_computed == one.summary.samples_computed);
        CHECK(fresh.summary.staleness->max == 0);
      }
    }
  }
}

TEST_CASE("no gradient that ringmaster takes is as old as the threshold", "[scheme]") {
  const LoadedData data = test::dense_problem();
  for (const char* scheme : {"ringmaster", "ringmaster-interrupt"}) {
    for (const TimeMode time : {TimeMode::simulated, TimeMode::wall}) {
      for (const std::uint64_t threshold : {1U, 2U, 4U}) {
        CAPTURE(scheme, time_mode_text(time), threshold);
        Configuration c = quick(scheme, 6, 300);
        c.time = time;
        c.compute_noise.exponential = 2.0;
        c.network = {.latency = std::chrono::microseconds(20), .bytes_per_second = 1e8};
        c.hyperparameters["delay-threshold"] = static_cast<double>(threshold);
        const Summary s = train(c, data).summary;
        CHECK(s.steps == 300);
        CHECK(s.samples == 300U * 4U);
        CHECK(s.samples_computed >= s.samples);
        CHECK(s.staleness->max < threshold);
      }
    }
  }
}

TEST_CASE("where nobody says how old gradients may be, equal workers lose none", "[scheme]") {
  for (const char* scheme : {"ringmaster", "ringmaster-interrupt"}) {
    for (const int n : {1, 3, 8}) {
      CAPTURE(scheme, n);
      CHECK(with_fallbacks(find_scheme(scheme), {}, n).at("delay-threshold") == n);
      Configuration c = quick(scheme, n, 200);
      c.network = {.latency = std::chrono::microseconds(20), .bytes_per_second = 1e8};
      const Summary s = train(c, test::dense_problem()).summary;
      // Beyond those of the updates only what was begun when the last one was made.
      CHECK(s.samples_computed <= s.samples + 4U * static_cast<unsigned>(n));
    }
  }
}
