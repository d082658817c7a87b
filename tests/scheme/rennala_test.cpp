// Steps of B gradients of one model, against the rule written out with workers of unequal speed,
// and against the schemes that its extremes are.
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

/// How much slower each worker is than the first: no two are ever ready at one moment.
const std::vector<double> slowness{1.0, 1.37, 2.61, 7.93};

/// On row i's f_i(x) = ½ Σ_j h_ij (x_j − b_ij)², which is worker i's.
Doubles by_the_rule(const Dataset& data, int gradients, bool stops, int steps) {
  const std::size_t size = data.features / 2, workers = slowness.size();
  Doubles x(size, 0.0), sum = x;
  std::vector<Doubles> read(workers, x);
  std::vector<int> of_step(workers, 0);
  Doubles ready = slowness;
  int taken = 0;
  for (int step = 0; step < steps;) {
    std::size_t first = 0;
    for (std::size_t i = 1; i < workers; ++i) {
      if (ready[i] < ready[first]) first = i;
    }
    const double now = ready[first];
    bool closes = false;
    if (of_step[first] == step) {
      for (std::size_t j = 0; j < size; ++j) {
        const double h = static_cast<double>(data.dense_row(first)[j]);
        const double b = static_cast<double>(data.dense_row(first)[size + j]);
        sum[j] += h * (read[first][j] - b);
      }
      closes = ++taken == gradients;
    }
    if (closes) {
      for (std::size_t j = 0; j < size; ++j) x[j] -= lr * sum[j] / gradients;
      sum.assign(size, 0.0);
      taken = 0;
      ++step;
    }
    for (std::size_t i = 0; i < workers; ++i) {
      if (i != first && !(closes && stops)) continue;
      read[i] = x;
      of_step[i] = step;
      ready[i] = now + slowness[i];
    }
  }
  return x;
}

void check_rule(const char* scheme, bool stops, int servers) {
  const Dataset data = test::unlike_data(static_cast<int>(slowness.size()));
  for (const int gradients : {1, 2, 4, 7, 13}) {
    for (const int steps : {1, 2, 3, 10, 21}) {
      CAPTURE(scheme, gradients, steps, servers);
      Configuration c;
      c.scheme = scheme;
      c.workers = static_cast<int>(slowness.size());
      c.servers = servers;
      c.steps = static_cast<std::uint64_t>(steps);
      c.optimizer.lr = lr;
      c.hyperparameters["gradients"] = gradients;
      for (int i = 1; i < c.workers; ++i) {
        c.stragglers.push_back({i, slowness[static_cast<std::size_t>(i)]});
      }
      test::check_close(test::run_on_quadratic(c, data).model,
                        by_the_rule(data, gradients, stops, steps));
    }
  }
}

}  // namespace

TEST_CASE("rennala takes the first gradients of one model, whoever computed them",
          "[scheme][rule:rennala]") {
  check_rule("rennala", false, 1);
  check_rule("rennala", false, 2);
}

TEST_CASE("rennala-interrupt begins each step with all workers",
          "[scheme][rule:rennala-interrupt]") {
  check_rule("rennala-interrupt", true, 1);
}

TEST_CASE("one gradient of each of equal workers makes a step of ps-sync, bit for bit",
          "[scheme]") {
  for (const LoadedData& data : {test::dense_problem(), test::sparse_problem()}) {
    for (const int n : {1, 2, 5, 8}) {
      CAPTURE(data.name, n);
      Configuration c = quick("ps-sync", n, 40);
      c.l2 = 1e-3;
      c.optimizer.momentum = 0.5;
      c.optimizer.lr_decay = 0.1;
      c.evaluate_every = 0.2;
      const RunResult sync = train(c, data);
      for (const char* scheme : {"rennala", "rennala-interrupt"}) {
        CAPTURE(scheme);
        c.scheme = scheme;
        const RunResult alike = train(c, data);
        CHECK(alike.summary.model_hash == sync.summary.model_hash);
        CHECK(alike.summary.seconds == sync.summary.seconds);
        CHECK(alike.summary.samples == sync.summary.samples);
        CHECK(alike.summary.samples_computed == sync.summary.samples);
        REQUIRE(alike.metrics.size() == sync.metrics.size());
        for (std::size_t i = 0; i < sync.metrics.size(); ++i) {
          CHECK(alike.metrics[i].train_loss == sync.metrics[i].train_loss);
        }
      }
      c.scheme = "ps-sync";
    }
  }
}

TEST_CASE("rennala with one gradient a step is ringmaster with fresh ones, bit for bit",
          "[scheme]") {
  for (const LoadedData& data : {test::dense_problem(), test::sparse_problem()}) {
    for (const auto& [ringmaster, rennala] :
         {std::pair{"ringmaster", "rennala"},
          std::pair{"ringmaster-interrupt", "rennala-interrupt"}}) {
      for (const int n : {1, 2, 5}) {
        CAPTURE(data.name, rennala, n);
        Configuration c = quick(ringmaster, n, 60);
        c.l2 = 1e-3;
        c.compute_noise.exponential = 1.0;
        c.network = {.latency = std::chrono::microseconds(50), .bytes_per_second = 1e8};
        c.hyperparameters = {{"delay-threshold", 1.0}};
        const RunResult fresh = train(c, data);
        c.scheme = rennala;
        c.hyperparameters = {{"gradients", 1.0}};
        const RunResult one = train(c, data);
        CHECK(one.summary.model_hash == fresh.summary.model_hash);
        CHECK(one.summary.seconds == fresh.summary.seconds);
        CHECK(one.summary.bytes_sent == fresh.summary.bytes_sent);
      }
    }
  }
}

// A worker that takes 1 ms and one that takes 100: a step of four gradients is four of the first.
TEST_CASE("a fast worker gives several of a step's gradients, and a slow one none", "[scheme]") {
  const LoadedData data = test::dense_problem();
  for (const TimeMode time : {TimeMode::simulated, TimeMode::wall}) {
    for (const char* scheme : {"rennala", "rennala-interrupt"}) {
      CAPTURE(scheme, time_mode_text(time));
      Configuration c = quick(scheme, 2, 20);
      c.time = time;
      c.stragglers = {{1, 100.0}};
      c.hyperparameters["gradients"] = 4;
      const Summary s = train(c, data).summary;
      CHECK(s.steps == 20);
      CHECK(s.samples == 20U * 4U * 4U);
      if (time == TimeMode::wall) continue;
      CHECK(s.seconds == Approx(std::string(scheme) == "rennala" ? 0.1 : 0.08).epsilon(1e-9));
    }
  }
}

// Exponential times with mean c: of n that all compute always one is ready every c/n.
TEST_CASE("with memoryless workers that are stopped a step takes B c / n", "[scheme]") {
  const LoadedData data = test::dense_problem(40, 2);
  for (const int gradients : {1, 3, 10}) {
    constexpr std::uint64_t steps = 20'000;
    Configuration c = quick("rennala-interrupt", 5, steps);
    c.batch = 1;
    c.evaluate_every = 1e9;
    c.hyperparameters["gradients"] = gradients;
    parse_compute_noise("memoryless", "test", c.compute_noise);
    CAPTURE(gradients, c.seed);
    CHECK(train(c, data).summary.seconds / (1e-3 * steps) == Approx(gradients / 5.0).epsilon(0.03));
  }
}

TEST_CASE("a step of rennala-interrupt takes c + (B + n)(α + t)", "[scheme]") {
  const LoadedData data = test::dense_problem(50, 840);
  for (const int n : {1, 2, 5, 8}) {
    for (int gradients = 1; gradients <= n; ++gradients) {
      for (const double compute : {3.0, 300.0}) {
        CAPTURE(n, gradients, compute);
        Configuration c = quick("rennala-interrupt", n, 1);
        c.hyperparameters["gradients"] = gradients;
        c.compute_time = seconds(compute);
        c.network = {.latency = seconds(1.5), .bytes_per_second = 840 * 4 / 5.0};
        CHECK(train(c, data).summary.seconds ==
              Approx(compute + (gradients + n) * 6.5).epsilon(1e-12));
      }
    }
  }
}

// Nobody waits at one server for what another one has.
TEST_CASE("rennala's servers close their steps each by itself", "[scheme]") {
  const LoadedData data = test::dense_problem();
  for (const int gradients : {1, 4, 11}) {
    for (const int servers : {2, 3, 7}) {
      CAPTURE(gradients, servers);
      Configuration c = quick("rennala", 4, 60);
      c.servers = servers;
      c.hyperparameters["gradients"] = gradients;
      c.network = {.latency = std::chrono::microseconds(200), .bytes_per_second = 1e6};
      c.network.jitter = {Jitter::Kind::exponential, std::chrono::microseconds(400)};
      c.compute_noise.exponential = 1.0;
      const Summary s = train(c, data).summary;
      CHECK(s.steps == 60);
      CHECK(s.samples == 60U * 4U * static_cast<unsigned>(gradients));
      CHECK(s.train_loss < 0.69);
    }
  }
}
