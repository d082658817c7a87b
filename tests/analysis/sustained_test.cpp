// What `predict` says of a long run, against long runs.
#include <algorithm>
#include <cmath>
#include <random>

#include "trainyard/analysis/prediction.hpp"
#include "trainyard/analysis/sweep.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "support/catch.hpp"
#include "support/contestants.hpp"
#include "support/training.hpp"

using namespace trainyard;

namespace {

struct Case {
  Contestant contestant;
  int workers = 8, servers = 1;
  double latency_s = 0.0, bytes_per_second = 0.0, compute_s = 1e-3;
  std::uint64_t floats = 4096;
};

PredictionSetting setting_of(const Case& one) {
  PredictionSetting setting;
  Configuration& c = setting.configuration;
  c.workers = one.workers;
  c.servers = one.servers;
  c.network = {.latency = seconds(one.latency_s), .bytes_per_second = one.bytes_per_second};
  c.compute_time = seconds(one.compute_s);
  setting.parameters = one.floats;
  return setting;
}

/// A step of a run, from the difference of two that end at the same phase.
double step_of_runs(const Case& one, std::uint64_t before, std::uint64_t counted,
                    std::uint64_t seed) {
  const Scheme& scheme = find_scheme(one.contestant.scheme);
  Configuration c = setting_of(one).configuration;
  c.scheme = scheme.name;
  c.model = "logistic";
  c.batch = 1;
  c.time = TimeMode::simulated;
  c.evaluate_every = 1e9;
  c.line_time =
      Duration{0};  // a prediction leaves it out: which lines workers meet at is the data's
  c.sparse_wire = SparseWire::off;  // a row has one feature
  c.seed = seed;
  apply(one.contestant.settings, c);
  for (const HyperparameterInfo& each : scheme.hyperparameters) {
    if (each.in_the_long_run) c.hyperparameters[each.name] = *each.in_the_long_run;
  }
  const LoadedData data{
      "rows",
      generate_sparse_logistic(static_cast<std::size_t>(one.workers), one.floats, 1, 5),
      {}};
  const auto seconds_of = [&](std::uint64_t steps) {
    c.steps = steps;
    return test::train(c, data).summary.seconds;
  };
  return (seconds_of(before + counted) - seconds_of(before)) / static_cast<double>(counted);
}

/// Of a run that is `longer` times as long as what the prediction counts.
void check(const Case& one, std::uint64_t longer) {
  const Prediction found = predict(one.contestant, setting_of(one));
  const std::uint64_t counted = longer * found.steps_counted;
  CAPTURE(one.contestant.label, one.workers, one.servers, one.latency_s, one.bytes_per_second,
          one.compute_s, one.floats, found.steps_before, counted, found.step_error_s);
  REQUIRE(found.is_played);
  // A step of ringmaster is one gradient of n under way, and a tenth of palsgd's take none.
  const std::string& scheme = one.contestant.scheme;
  const double gradients = scheme.starts_with("ringmaster") ? 1.0 / one.workers
                           : scheme == "palsgd"             ? 0.9
                                                            : 1.0;
  CHECK(found.step_s >= gradients * one.compute_s * (1.0 - 1e-12) - found.step_error_s);
  // A graph's rounds are drawn from the seed, and known. What else is drawn is drawn otherwise
  // here, and the two runs' ends lie some messages apart.
  const bool by_chance = find_scheme(one.contestant.scheme).order.rhythm == Rhythm::by_chance;
  const double run =
      step_of_runs(one, found.steps_before, counted, by_chance ? 11 : Configuration().seed);
  const double message =
      one.latency_s + 4.0 * static_cast<double>(one.floats) / one.bytes_per_second;
  const double ends = by_chance ? 4.0 * message / static_cast<double>(counted) : 0.0;
  CHECK(std::abs(found.step_s - run) <= std::max(1e-6 * run, found.step_error_s + ends));
}

}  // namespace

// These were 2.026 ms, 0.841 ms, 19.41 ms, 0.982 ms and 0 s.
TEST_CASE("a sustained step is that of a run, however its end falls", "[analysis][sustained]") {
  for (const Case& one : {Case{test::contestant("mpca-sgd"), 8, 1, 10e-3, 125e6},
                          Case{test::contestant("mpca-sgd"), 4, 1, 5e-3, 12.5e6},
                          Case{test::contestant("easgd-async"), 8, 1, 1e-3, 1.25e6, 20e-3},
                          Case{test::contestant("eamsgd"), 8, 1, 1e-3, 1.25e6, 20e-3},
                          Case{test::contestant("gosgd"), 4, 1, 5e-3, 12.5e6}}) {
    check(one, 4);
  }
  const Case slow{test::contestant("mpca-sgd"), 8, 1, 100e-6, 12.5e6, 1e-3, 262144};
  const Prediction found = predict(slow.contestant, setting_of(slow));
  CHECK(found.step_s == Approx(1e-3).epsilon(1e-12));
  CHECK(found.bytes > 0.0);
}

TEST_CASE("what nobody waits for is never shorter than its computing", "[analysis][sustained]") {
  for (const char* scheme : {"gosgd", "mpca-sgd", "easgd-async", "tree-easgd", "ps-async"}) {
    for (const double latency : {0.0, 3e-3}) {
      const Case one{test::contestant(scheme), 3, 1, latency, 1e9};
      CAPTURE(scheme, latency);
      CHECK(predict(one.contestant, setting_of(one)).step_s >= 1e-3 * (1.0 - 1e-12));
    }
  }
}

// Their windows were 1.8 % and 1.2 % off.
TEST_CASE("a mean over what is drawn at random comes with its error", "[analysis][sustained]") {
  for (const Case& one : {Case{test::contestant("ad-psgd:ring"), 6, 1, 1e-3, 12.5e6, 2e-3, 512},
                          Case{test::contestant("fedavg"), 8, 1, 1e-3, 12.5e6, 2e-3, 512}}) {
    const Prediction found = predict(one.contestant, setting_of(one));
    CHECK(found.step_error_s > 0.0);
    CHECK(found.step_error_s < 0.02 * found.step_s);
    check(one, 2);
  }
  const Case even{test::contestant("ring"), 8, 1, 1e-3, 12.5e6};
  CHECK(predict(even.contestant, setting_of(even)).step_error_s == 0.0);
  PredictionSetting noisy = setting_of(even);
  noisy.configuration.compute_noise.exponential = 0.5;
  CHECK(predict(even.contestant, noisy).step_error_s > 0.0);
}

// 3 messages of 84 ms for every 100 steps of 1 ms, of each of four: the network carries fewer.
TEST_CASE("what piles up on the network is still to come", "[analysis][sustained]") {
  const Case one{test::contestant("gosgd"), 4, 1, 5e-3, 12.5e6, 1e-3, 262144};
  PredictionSetting setting = setting_of(one);
  setting.configuration.hyperparameters["send-probability"] = 0.03;
  const Prediction found = predict(one.contestant, setting);
  CHECK(found.step_s > 2e-3);
  CHECK(found.step_error_s > 0.0);
}

TEST_CASE("a scheme that nobody waits for crosses no other", "[analysis][sustained]") {
  PredictionSetting setting = setting_of({test::contestant("mpca-sgd"), 8, 1, 100e-6, 125e6});
  const SweepResult result =
      sweep(parse_variation("bandwidth=100Mbps,300Mbps,1Gbps"),
            {test::contestant("mpca-sgd"), test::contestant("easgd-async")}, setting);
  CHECK(result.crossings.empty());
  for (const SweepPoint& point : result.points) CHECK(point.cheapest == 0);
}

TEST_CASE("sustained steps of a sample of all schemes are those of long runs",
          "[analysis][sustained][slow]") {
  constexpr std::uint32_t seed = 20261126;
  constexpr int cases = 200;
  WARN("seed " << seed);
  std::vector<Contestant> contestants = predicted_contestants("all");
  // A pipeline is predicted by a chain of layers alike: prediction_test has it.
  std::erase_if(contestants, [](const Contestant& contestant) {
    const auto& all = find_scheme(contestant.scheme).hyperparameters;
    return std::ranges::count(all, std::string("stages"), &HyperparameterInfo::name) > 0;
  });
  std::mt19937 random(seed);
  const auto pick = [&](const auto& values) { return values[random() % values.size()]; };
  for (int i = 0; i < cases; ++i) {
    Case one;
    one.contestant = pick(contestants);
    one.workers = 2 + static_cast<int>(random() % 8);
    one.servers = 1 + static_cast<int>(random() % 3);
    one.latency_s = pick(std::vector<double>{0.0, 100e-6, 1e-3, 7e-3});
    one.bytes_per_second = pick(std::vector<double>{1.25e6, 12.5e6, 125e6, 1.25e9});
    one.compute_s = pick(std::vector<double>{1e-3, 3.7e-3, 20e-3});
    one.floats = 64 + random() % 5000;
    try {
      check(one, 4);
    } catch (const UsageError& error) {
      INFO(error.what());
      CHECK_FALSE(way_of(one.contestant).empty());  // a graph or collective that there is not
    }
  }
}
