// Parts of a step that several workers compute, one after another, of which the first copy counts.
#include <algorithm>
#include <cmath>
#include <vector>

#include "trainyard/base/random.hpp"
#include "trainyard/runtime/compute_noise.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "support/catch.hpp"
#include "support/golden.hpp"
#include "support/training.hpp"

using namespace trainyard;
using test::quick;
using test::train;

namespace {

Configuration uncoded(int workers, int copies, int distinct, std::uint64_t steps) {
  Configuration c = quick("uncoded", workers, steps);
  c.hyperparameters = {{"copies", copies}, {"distinct", distinct}};
  return c;
}

/// The k-th smallest, from 1.
double kth(std::vector<double> values, int k) {
  std::ranges::sort(values);
  return values[static_cast<std::size_t>(k) - 1];
}

/// When each part is there, of workers that take so long for each of theirs.
std::vector<double> times_of_parts(const std::vector<std::vector<double>>& seconds) {
  const std::size_t n = seconds.size();
  std::vector<double> there(n, 1e300);
  for (std::size_t worker = 0; worker < n; ++worker) {
    double now = 0.0;
    for (std::size_t j = 0; j < seconds[worker].size(); ++j) {
      now += seconds[worker][j];
      there[(worker + j) % n] = std::min(there[(worker + j) % n], now);
    }
  }
  return there;
}

}  // namespace

TEST_CASE("uncoded with all parts is ps-sync, bit for bit", "[scheme]") {
  for (const LoadedData& data : {test::dense_problem(), test::sparse_problem()}) {
    for (const int n : {1, 2, 5, 8}) {
      for (const TimeMode time : {TimeMode::simulated, TimeMode::wall}) {
        Configuration c = quick("ps-sync", n, 40);
        c.time = time;
        c.sparse_wire = SparseWire::off;  // it sends its vectors whole
        c.evaluate_every = 0.2;
        c.optimizer.momentum = 0.5;
        c.optimizer.lr_decay = 0.1;
        c.compute_noise.exponential = 0.6;
        const RunResult sync = train(c, data);
        c.scheme = "uncoded";
        for (const int copies : {1, 2, 3, 8}) {
          if (copies > n) continue;
          CAPTURE(data.name, n, copies, time_mode_text(time));
          c.hyperparameters["copies"] = copies;
          const RunResult found = train(c, data);
          CHECK(found.summary.model_hash == sync.summary.model_hash);
          CHECK(found.summary.samples == sync.summary.samples);
          REQUIRE(found.metrics.size() == sync.metrics.size());
          for (std::size_t i = 0; i < sync.metrics.size(); ++i) {
            CHECK(found.metrics[i].train_loss == sync.metrics[i].train_loss);
          }
          if (copies == 1) {
            CHECK(found.summary.samples_computed == sync.summary.samples);
            CHECK(found.summary.bytes_sent == sync.summary.bytes_sent);
          }
          if (copies == 1 && time == TimeMode::simulated) {
            CHECK(found.summary.seconds == sync.summary.seconds);
          }
        }
      }
    }
  }
}

TEST_CASE("uncoded with one copy is ps-backup-interrupt, bit for bit", "[scheme]") {
  const LoadedData data = test::dense_problem();
  for (const int n : {2, 5, 8}) {
    for (const int backups : {0, 1, n - 1}) {
      for (const double latency : {0.0, 2e-4}) {
        CAPTURE(n, backups, latency);
        Configuration c = uncoded(n, 1, n - backups, 60);
        c.compute_noise.exponential = 1.0;
        c.network.latency = seconds(latency);
        const Summary found = train(c, data).summary;
        c.scheme = "ps-backup-interrupt";
        c.hyperparameters = {{"backups", backups}};
        const Summary expected = train(c, data).summary;
        CHECK(found.model_hash == expected.model_hash);
        CHECK(found.seconds == expected.seconds);
        CHECK(found.samples == expected.samples);
        CHECK(found.samples_computed == expected.samples_computed);
        CHECK(found.bytes_sent == expected.bytes_sent);
      }
    }
  }
}

TEST_CASE("uncoded follows ps-sync, whoever is slow", "[scheme][rule:uncoded]") {
  const auto golden = test::golden_trajectories();
  const Dataset data = test::golden_data(golden);
  for (const int copies : {2, 3, 5}) {
    for (const int slow : {0, 3}) {
      Configuration c = test::golden_configuration(golden, "uncoded");
      c.hyperparameters["copies"] = copies;
      c.stragglers = {{slow, 13.7}, {4, 1.3}};
      for (const auto& [t, state] : golden["psgd_mean"]["states"].items()) {
        CAPTURE(copies, slow, t);
        c.steps = std::stoull(t);
        test::check_close(test::run_on_quadratic(c, data).model, state);
      }
    }
  }
}

// Worker 1 of three is never in time. In 2 c the others have computed its part too, each in its
// second place; after c there are parts 0 and 2 alone.
TEST_CASE("uncoded steps along the mean of the parts that came in time", "[scheme]") {
  const std::vector<double> h{1.0, 2.0, 4.0}, b{1.0, -1.0, 3.0};
  const Dataset data = test::quadratic_data({{1.0}, {2.0}, {4.0}}, {{1.0}, {-1.0}, {3.0}});
  Configuration c;
  c.scheme = "uncoded";
  c.workers = 3;
  c.optimizer.lr = 0.125;
  c.steps = 20;
  c.stragglers = {{1, 7.3}};
  for (const auto& [distinct, parts] : {std::pair{2, std::vector<std::size_t>{0, 2}},
                                        std::pair{3, std::vector<std::size_t>{0, 1, 2}}}) {
    CAPTURE(distinct);
    double x = 0.0;
    for (int t = 0; t < 20; ++t) {
      double sum = 0.0;
      for (const std::size_t part : parts) sum += h[part] * (x - b[part]);
      x -= 0.125 * sum / distinct;
    }
    c.hyperparameters["distinct"] = distinct;
    CHECK(test::run_on_quadratic(c, data).model[0] == Approx(x).epsilon(1e-12));
  }
  Configuration counted = uncoded(3, 2, 3, 20);
  counted.stragglers = {{1, 7.3}};
  const Summary s = train(counted, test::dense_problem()).summary;
  CHECK(s.seconds == Approx(20 * 2e-3).epsilon(1e-12));
  CHECK(s.samples == 20U * 3U * 4U);
  CHECK(s.samples_computed == 20U * 5U * 4U);  // two of each other worker, one begun by worker 1
}

TEST_CASE("a step of uncoded ends when the D-th part is there", "[scheme]") {
  const LoadedData data = test::dense_problem(50, 4);
  for (std::uint32_t seed = 1; seed <= 40; ++seed) {
    RandomStream random(seed, Purpose::scheme);
    const int n = 1 + static_cast<int>(random.below(9));
    const auto drawn_of_all = [&] {
      return 1 + static_cast<int>(random.below(static_cast<std::uint32_t>(n)));
    };
    const int copies = drawn_of_all(), distinct = drawn_of_all();
    CAPTURE(seed, n, copies, distinct);
    Configuration c = uncoded(n, copies, distinct, 6);
    std::vector<std::vector<double>> parts;
    for (int w = 0; w < n; ++w) {
      const double factor = 1.0 + 9.0 * random.uniform();
      c.stragglers.push_back({w, factor});
      parts.emplace_back(static_cast<std::size_t>(copies), 1e-3 * factor);
    }
    CHECK(train(c, data).summary.seconds ==
          Approx(6 * kth(times_of_parts(parts), distinct)).epsilon(1e-9));
  }
}

// A worker draws how long a part takes when it begins it, and begins the next one at once: so does
// the one whose part closes the step.
TEST_CASE("with random compute times a step of uncoded ends when the D-th part is there",
          "[scheme]") {
  const LoadedData data = test::dense_problem(50, 4);
  for (const auto& [n, copies, distinct] :
       {std::tuple{4, 1, 3}, std::tuple{6, 3, 6}, std::tuple{7, 7, 5}, std::tuple{8, 2, 8}}) {
    CAPTURE(n, copies, distinct);
    Configuration c = uncoded(n, copies, distinct, 200);
    c.compute_noise.exponential = 2.0;
    std::vector<ComputeNoise> noises;
    for (int w = 0; w < n; ++w) {
      noises.emplace_back(c.compute_noise, c.seed, static_cast<std::uint32_t>(w));
    }
    double expected = 0.0;
    for (int step = 0; step < 200; ++step) {
      std::vector<std::vector<double>> parts;
      for (ComputeNoise ahead : noises) {  // a copy, as not all of it may come to be
        auto& own = parts.emplace_back();
        for (int j = 0; j < copies; ++j) own.push_back(1e-3 * ahead.next().factor);
      }
      const double end = kth(times_of_parts(parts), distinct);
      for (std::size_t w = 0; w < noises.size(); ++w) {
        double began = 0.0;
        for (const double part : parts[w]) {
          if (began > end * (1 + 1e-12)) break;
          (void)noises[w].next();
          began += part;
        }
      }
      expected += end;
    }
    CHECK(train(c, data).summary.seconds == Approx(expected).epsilon(1e-7));
  }
}

TEST_CASE("the first step of uncoded takes c + (n + D)(α + t)", "[scheme]") {
  const LoadedData data = test::dense_problem(50, 840);
  const auto seconds_of = [&](int n, int copies, int distinct, double compute,
                              std::uint64_t steps) {
    Configuration c = uncoded(n, copies, distinct, steps);
    c.servers = 3;  // has one all the same
    c.compute_time = seconds(compute);
    c.network = {.latency = seconds(1.5), .bytes_per_second = 840 * 4 / 5.0};
    return train(c, data).summary.seconds;
  };
  for (const int n : {1, 2, 5, 8}) {
    for (const int distinct : {1, n / 2 + 1, n}) {
      CAPTURE(n, distinct);
      const double messages = (n + distinct) * 6.5;
      CHECK(seconds_of(n, 1, distinct, 3.0, 1) == Approx(3.0 + messages).epsilon(1e-12));
      // Nobody has done a second part before the new model is there.
      CHECK(seconds_of(n, n, distinct, 1000.0, 1) == Approx(1000.0 + messages).epsilon(1e-12));
    }
  }
  // What nobody needs any more occupies the ports too: where messages take longer than parts,
  // copies make every later step longer.
  CHECK(seconds_of(4, 3, 4, 3.0, 10) > 1.5 * seconds_of(4, 1, 4, 3.0, 10));
}

TEST_CASE("uncoded on threads drops late parts, and the run ends", "[scheme]") {
  const LoadedData data = test::dense_problem();
  Configuration c = uncoded(6, 3, 4, 100);
  c.time = TimeMode::wall;
  c.stragglers = {{1, 30.0}, {4, 9.5}};
  const Summary s = train(c, data).summary;
  CHECK(s.steps == 100);
  CHECK(s.samples == 100U * 4U * 4U);
  CHECK(s.samples_computed > s.samples);
  CHECK(s.train_loss < 0.69);
}

TEST_CASE("parts of uncoded are computed by two workers where nobody says how many", "[scheme]") {
  const Scheme& scheme = find_scheme("uncoded");
  CHECK(with_fallbacks(scheme, {}, 1) == Hyperparameters{{"copies", 1.0}, {"distinct", 1.0}});
  CHECK(with_fallbacks(scheme, {}, 7) == Hyperparameters{{"copies", 2.0}, {"distinct", 7.0}});
  const Cast made = cast_of(scheme, 4, 3, {}, {{"copies", 3.0}, {"distinct", 2.0}});
  CHECK(made.shares_of(0) == std::vector{0, 1, 2});
  CHECK(made.shares_of(3) == std::vector{3, 0, 1});
  const LoadedData data = test::dense_problem();
  CHECK_THROWS_WITH(
      train(uncoded(4, 5, 4, 1), data),
      ContainsSubstring("--copies 5: there are 4 parts") && ContainsSubstring("at most 4"));
  CHECK_THROWS_WITH(train(uncoded(4, 2, 5, 1), data),
                    ContainsSubstring("--distinct 5: there are 4 parts"));
}

// When a leg ends the last model is on its way to workers that are at a later part.
TEST_CASE("uncoded goes on from leg to leg with the parts that it has not computed", "[scheme]") {
  const LoadedData data = test::dense_problem();
  for (const int copies : {1, 2, 3, 6}) {
    for (const auto latency : {std::chrono::microseconds(0), std::chrono::microseconds(1700)}) {
      CAPTURE(copies, latency.count());
      Configuration c = uncoded(6, copies, 6, 25);
      c.network.latency = latency;
      c.stragglers = {{2, 3.0}};
      const Summary whole = train(c, data).summary;
      for (const double passes : {0.06, 0.3}) {  // each step, every fifth
        c.checkpoint_every = passes;
        const Summary legs = train(c, data).summary;
        CHECK(legs.steps == 25.0);
        CHECK(legs.model_hash == whole.model_hash);
      }
      c.hyperparameters["distinct"] = 4;
      CHECK(train(c, data).summary.steps == 25.0);
    }
  }
}
