// Random slowdowns of computing: what they are on average, and that they repeat.
#include <cmath>

#include "trainyard/base/error.hpp"
#include "trainyard/runtime/compute_noise.hpp"

#include "support/catch.hpp"
#include "support/left_out.hpp"
#include "support/training.hpp"

using namespace trainyard;
using test::quick;
using test::train;

TEST_CASE("slowdowns have the mean and the pauses the frequency that was asked for", "[scheme]") {
  constexpr int many = 20000;
  const ComputeNoiseRule rule{
      .exponential = 0.5, .pause_probability = 0.1, .pause = std::chrono::milliseconds(7)};
  ComputeNoise noise(rule, 1, 0);
  double factors = 0.0;
  int beyond = 0;
  int pauses = 0;
  for (int i = 0; i < many; ++i) {
    const Slowdown slowdown = noise.next();
    REQUIRE(slowdown.factor >= 1.0);
    factors += slowdown.factor;
    if (slowdown.factor > 2.0) ++beyond;
    if (slowdown.pause == rule.pause) ++pauses;
    REQUIRE((slowdown.pause == rule.pause || slowdown.pause == Duration{0}));
  }
  CHECK(factors / many == Approx(1.5).epsilon(0.01));
  CHECK(beyond / double{many} == Approx(std::exp(-2.0)).epsilon(0.06));  // P(0.5·Exp > 1)
  CHECK(pauses / double{many} == Approx(0.1).epsilon(0.08));
}

TEST_CASE("a memoryless compute time is exponential with the mean that was asked for", "[scheme]") {
  constexpr int many = 20000;
  ComputeNoiseRule rule;
  parse_compute_noise("memoryless", "--compute-noise", rule);
  ComputeNoise noise(rule, 1, 0);
  double factors = 0.0;
  int beyond = 0;
  for (int i = 0; i < many; ++i) {
    const double factor = noise.next().factor;
    factors += factor;
    if (factor > 2.0) ++beyond;
  }
  CHECK(factors / many == Approx(1.0).epsilon(0.02));
  CHECK(beyond / double{many} == Approx(std::exp(-2.0)).epsilon(0.06));
}

// Fused, as compilers for Arm would have it, they would end in other bits there, and with them the
// times of simulated runs.
TEST_CASE("a slowdown's product is rounded before it is added to", "[scheme]") {
  ComputeNoise tails({.constant = 0.0, .exponential = 1.0}, 1, 0);
  ComputeNoise slowdowns({.exponential = 0.3}, 1, 0);
  for (int i = 0; i < 100; ++i) {
    const volatile double product = 0.3 * tails.next().factor;
    CHECK(slowdowns.next().factor == 1.0 + product);
  }
}

TEST_CASE("slowdowns depend on seed and worker alone", "[scheme]") {
  const ComputeNoiseRule tail{.exponential = 0.5};
  const ComputeNoiseRule both{
      .exponential = 0.5, .pause_probability = 0.5, .pause = std::chrono::milliseconds(1)};
  ComputeNoise once(tail, 1, 2);
  ComputeNoise again(tail, 1, 2);
  ComputeNoise with_pauses(both, 1, 2);
  ComputeNoise other_worker(tail, 1, 3);
  ComputeNoise other_seed(tail, 2, 2);
  for (int i = 0; i < 20; ++i) {
    const double factor = once.next().factor;
    CHECK(again.next().factor == factor);
    CHECK(with_pauses.next().factor == factor);  // pauses do not shift what else is drawn
    CHECK(other_worker.next().factor != factor);
    CHECK(other_seed.next().factor != factor);
  }
}

TEST_CASE("in virtual a run takes the sum of its slowed-down minibatches, exactly", "[scheme]") {
  const LoadedData data = test::dense_problem();
  Configuration c = quick("sequential", 2, 30);
  c.seed = 5;
  c.compute_noise = {
      .exponential = 0.3, .pause_probability = 0.2, .pause = std::chrono::milliseconds(3)};
  ComputeNoise first(c.compute_noise, c.seed, 0);
  ComputeNoise second(c.compute_noise, c.seed, 1);
  Duration expected{0};
  for (int step = 0; step < 30; ++step) {
    const Slowdown a = first.next();
    const Slowdown b = second.next();
    expected += Duration(std::llround(1e9 * (a.factor + b.factor))) + a.pause + b.pause;
  }
  CHECK(train(c, data).summary.seconds == to_seconds(expected));
  CHECK(train(c, data).summary.seconds == to_seconds(expected));
}

TEST_CASE("synchronous schemes wait for the slowest worker at every step", "[scheme]") {
  const auto all = test::schemes_where(
      test::is_synchronous, {{"sequential", "one rank computes for all"},
                             {"ps-backup", "does not wait for the slowest"},
                             {"ps-backup-interrupt", "does not wait for the slowest"},
                             {"gradient-coding", "a worker computes several minibatches a step"},
                             {"uncoded", "computes what the slowest would have"},
                             {"sandblaster", "an idle worker takes the next portion"},
                             {"tensor-split", "takes networks, and divides a minibatch's work"}});
  const LoadedData data = test::dense_problem();
  Configuration c = quick("ring", 4, 40);
  c.compute_noise = {.exponential = 1.0};
  std::vector<ComputeNoise> noises;
  for (std::uint32_t w = 0; w < 4; ++w) noises.emplace_back(c.compute_noise, c.seed, w);
  double expected = 0.0;
  for (int step = 0; step < 40; ++step) {
    double slowest = 0.0;
    for (ComputeNoise& noise : noises) slowest = std::max(slowest, noise.next().factor);
    expected += 1e-3 * slowest;
  }
  for (const std::string& scheme : all) {
    CAPTURE(scheme);
    c.scheme = scheme;
    c.encode_time = c.decode_time = Duration{0};
    c.hyperparameters = {{"cycle-time", 0.0}};  // nor for the next cycle
    CHECK(train(c, data).summary.seconds == Approx(expected).epsilon(1e-9));
  }
}

TEST_CASE("in wall pauses are really waited for, and the result is that of virtual", "[scheme]") {
  const LoadedData data = test::dense_problem();
  Configuration c = quick("ring", 2, 10);
  c.compute_noise = {
      .exponential = 0.1, .pause_probability = 1.0, .pause = std::chrono::milliseconds(2)};
  const RunResult simulated = train(c, data);
  c.time = TimeMode::wall;
  const RunResult real = train(c, data);
  CHECK(real.summary.seconds >= 0.02);
  CHECK(real.summary.model_hash == simulated.summary.model_hash);
}

TEST_CASE("noise and pauses are written as they are read", "[scheme]") {
  ComputeNoiseRule rule;
  for (const char* text : {"none", "exponential:0.3", "memoryless", "exponential:2"}) {
    parse_compute_noise(text, "--compute-noise", rule);
    CHECK(compute_noise_text(rule) == text);
  }
  for (const char* text : {"0.01:50ms", "none"}) {
    parse_pause(text, "--pause", rule);
    CHECK(pause_text(rule) == text);
  }
  for (const char* text : {"", "exponential", "exponential:-1", "exponential:x", "normal:1"}) {
    CAPTURE(text);
    CHECK_THROWS_WITH(parse_compute_noise(text, "--compute-noise", rule),
                      ContainsSubstring("--compute-noise: "));
  }
  for (const char* text : {"", "0.1", "1.5:1ms", "-0.1:1ms", "0.1:5", "x:1ms"}) {
    CAPTURE(text);
    CHECK_THROWS_WITH(parse_pause(text, "--pause", rule), ContainsSubstring("--pause: "));
  }
}
