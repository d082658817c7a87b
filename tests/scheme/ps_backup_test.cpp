// Steps that close without the slowest workers.
#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "trainyard/scheme/scheme.hpp"

#include "support/catch.hpp"
#include "support/replicas.hpp"
#include "support/training.hpp"

using namespace trainyard;
using test::quick;
using test::train;

namespace {

/// The mean time from the close of a step to that of the next, where computing takes an exponential
/// time with mean 1: k of the gradients are there, and of the n workers m still finish what they
/// began in an earlier step. Each of the n − k that compute is the next to be ready with the same
/// probability. Every step begins with m = b.
double mean_step(int n, int needed, int k, int m, std::map<std::pair<int, int>, double>& known) {
  if (k == needed) return 0.0;
  const auto [entry, missing] = known.try_emplace({k, m}, 0.0);
  if (!missing) return entry->second;
  const double computing = n - k;
  double time = 1.0 / computing;
  if (n - k - m > 0) time += (n - k - m) / computing * mean_step(n, needed, k + 1, m, known);
  if (m > 0) time += m / computing * mean_step(n, needed, k, m - 1, known);
  return known[{k, m}] = time;
}

double mean_step(int needed, int backups, int late) {
  std::map<std::pair<int, int>, double> known;
  return mean_step(needed + backups, needed, 0, late, known);
}

}  // namespace

TEST_CASE("ps-backup without spares is ps-sync, bit for bit", "[scheme][rule:ps-backup]") {
  for (const LoadedData& data : {test::dense_problem(), test::sparse_problem()}) {
    for (const int n : {1, 2, 5, 8}) {
      for (const int servers : {1, 3}) {
        for (const TimeMode time : {TimeMode::simulated, TimeMode::wall}) {
          CAPTURE(data.name, n, servers, time_mode_text(time));
          Configuration c = quick("ps-sync", n, 40);
          c.servers = servers;
          c.time = time;
          c.sparse_wire = SparseWire::off;  // ps-backup-interrupt sends its models whole
          c.evaluate_every = 0.2;
          c.optimizer.momentum = 0.5;
          c.optimizer.lr_decay = 0.1;
          c.compute_noise.exponential = 0.3;
          c.network = {.latency = std::chrono::microseconds(50), .bytes_per_second = 1e8};
          const RunResult sync = train(c, data);
          c.scheme = servers == 1 && n % 2 == 0 ? "ps-backup-interrupt" : "ps-backup";
          c.hyperparameters["backups"] = 0;
          const RunResult backup = train(c, data);
          CHECK(backup.summary.model_hash == sync.summary.model_hash);
          CHECK(backup.summary.samples == sync.summary.samples);
          CHECK(backup.summary.samples_computed == sync.summary.samples);
          CHECK(backup.summary.bytes_sent == sync.summary.bytes_sent);
          if (time == TimeMode::wall) continue;
          CHECK(backup.summary.seconds == sync.summary.seconds);
          REQUIRE(backup.metrics.size() == sync.metrics.size());
          for (std::size_t i = 0; i < sync.metrics.size(); ++i) {
            CHECK(backup.metrics[i].train_loss == sync.metrics[i].train_loss);
            CHECK(backup.metrics[i].step == sync.metrics[i].step);
          }
        }
      }
    }
  }
}

TEST_CASE("where nobody says how many, one worker in twenty is a spare, rounded up", "[scheme]") {
  for (const auto& [workers, backups] :
       {std::pair{1, 0.0}, std::pair{2, 1.0}, std::pair{20, 1.0}, std::pair{21, 2.0},
        std::pair{60, 3.0}, std::pair{61, 4.0}, std::pair{100, 5.0}}) {
    CAPTURE(workers);
    for (const char* scheme : {"ps-backup", "ps-backup-interrupt"}) {
      CHECK(with_fallbacks(find_scheme(scheme), {}, workers).at("backups") == backups);
    }
  }
  CHECK(with_fallbacks(find_scheme("ps-backup"), {{"backups", 7.0}}, 40).at("backups") == 7.0);
}

TEST_CASE("the recursion for the mean step: all from the start, it is H_n - H_b", "[scheme]") {
  CHECK(mean_step(8, 0, 0) == Approx(2.718).epsilon(1e-3));  // catalogue §2.6
  CHECK(mean_step(8, 1, 0) == Approx(1.829).epsilon(1e-3));
  CHECK(mean_step(8, 2, 0) == Approx(1.429).epsilon(1e-3));
}

TEST_CASE("with exponential compute times a step takes what the recursion says", "[scheme][slow]") {
  const LoadedData data = test::dense_problem(40, 2);
  for (const int backups : {0, 1, 2, 3}) {
    constexpr std::uint64_t steps = 100'000;
    Configuration c = quick("ps-backup", 8 + backups, steps);
    c.batch = 1;
    c.evaluate_every = 1e9;
    c.hyperparameters["backups"] = backups;
    parse_compute_noise("memoryless", "test", c.compute_noise);
    const Summary s = train(c, data).summary;
    CAPTURE(backups, c.seed);
    CHECK(s.steps == steps);
    const double step = s.seconds / (1e-3 * steps);
    CHECK(step == Approx(mean_step(8, backups, backups)).epsilon(0.01));
    CHECK(step > 0.99 * mean_step(8, backups, 0));
  }
}

TEST_CASE("where the late ones drop their work a step takes H_n - H_b",
          "[scheme][slow][rule:ps-backup-interrupt]") {
  const LoadedData data = test::dense_problem(40, 2);
  for (const auto& [backups, expected] :
       {std::pair{0, 2.718}, std::pair{1, 1.829}, std::pair{2, 1.429}}) {  // catalogue §2.6
    constexpr std::uint64_t steps = 100'000;
    Configuration c = quick("ps-backup-interrupt", 8 + backups, steps);
    c.batch = 1;
    c.evaluate_every = 1e9;
    c.hyperparameters["backups"] = backups;
    parse_compute_noise("memoryless", "test", c.compute_noise);
    const Summary s = train(c, data).summary;
    CAPTURE(backups, c.seed);
    CHECK(s.steps == steps);
    CHECK(s.seconds / (1e-3 * steps) == Approx(expected).epsilon(0.01));
  }
}

TEST_CASE("on threads, late workers drop their work and the run ends", "[scheme]") {
  Configuration c = quick("ps-backup-interrupt", 6, 100);
  c.time = TimeMode::wall;
  c.hyperparameters["backups"] = 2;
  c.stragglers = {{1, 30.0}, {4, 9.5}};
  const Summary s = train(c, test::dense_problem()).summary;
  CHECK(s.steps == 100);
  CHECK(s.samples == 100U * 4U * 4U);
}

TEST_CASE("a step does not wait for the slowest, what they compute is reported", "[scheme]") {
  const LoadedData data = test::dense_problem();
  for (const TimeMode time : {TimeMode::simulated, TimeMode::wall}) {
    CAPTURE(time_mode_text(time));
    Configuration c = quick("ps-backup", 8, 100);
    c.time = time;
    c.hyperparameters["backups"] = 2;
    c.stragglers = {{1, 30.0}, {6, 9.5}};
    const Summary s = train(c, data).summary;
    CHECK(s.steps == 100);
    CHECK(s.samples == 100U * 6U * 4U);
    CHECK(s.epochs == Approx(100.0 * 24 / 400));
    CHECK(s.samples_computed > s.samples);
    if (time == TimeMode::wall) continue;
    // 100 steps of 1 ms; then worker 1 ends its 4th minibatch, at 120 ms.
    CHECK(s.seconds == Approx(0.120).epsilon(1e-9));
    CHECK(s.samples_computed == (100U * 6U + 11U + 4U) * 4U);
  }
}

TEST_CASE("whoever is always slow is never heard", "[scheme]") {
  const std::vector<std::vector<double>> h{{1.0}, {2.0}, {4.0}}, b{{1.0}, {-1.0}, {3.0}};
  Configuration c;
  c.scheme = "ps-backup";
  c.workers = 3;
  c.optimizer.lr = 0.125;
  c.steps = 20;
  c.stragglers = {{1, 7.3}};
  c.hyperparameters["backups"] = 1;
  double x = 0.0;
  for (int t = 0; t < 20; ++t) x -= 0.125 * ((x - 1.0) + 4.0 * (x - 3.0)) / 2;
  CHECK(test::run_on_quadratic(c, test::quadratic_data(h, b)).model[0] == Approx(x).epsilon(1e-12));
}

TEST_CASE("late gradients occupy the port, and the first step takes c + (2n - b)(α + t)",
          "[scheme]") {
  const LoadedData data = test::dense_problem(50, 840);
  for (const int n : {2, 5, 8}) {
    for (const int backups : {0, 1, n - 1}) {
      CAPTURE(n, backups);
      Configuration c = quick("ps-backup", n, 1);
      c.hyperparameters["backups"] = backups;
      c.compute_time = seconds(3.0);
      c.network = {.latency = seconds(1.5), .bytes_per_second = 840 * 4 / 5.0};
      CHECK(train(c, data).summary.seconds == Approx(3.0 + (2 * n - backups) * 6.5).epsilon(1e-12));
    }
  }
}

TEST_CASE("servers that close their steps each by itself wait for each other never", "[scheme]") {
  const LoadedData data = test::dense_problem();
  for (const int n : {2, 3, 5, 9}) {
    for (const int backups : {1, n / 2, n - 1}) {
      for (const int servers : {2, 3, 7}) {
        for (const std::uint64_t seed : {1U, 2U, 3U}) {
          CAPTURE(n, backups, servers, seed);
          Configuration c = quick("ps-backup", n, 60);
          c.seed = seed;
          c.servers = servers;
          c.hyperparameters["backups"] = backups;
          c.network = {.latency = std::chrono::microseconds(200), .bytes_per_second = 1e6};
          c.network.jitter = {Jitter::Kind::exponential, std::chrono::microseconds(400)};
          c.compute_noise.exponential = 1.0;
          const Summary s = train(c, data).summary;
          CHECK(s.steps == 60);
          CHECK(s.samples == 60U * 4U * static_cast<unsigned>(n - backups));
          CHECK(s.train_loss < 0.69);
        }
      }
    }
  }
}
