// What limits workers, and what would change it.
#include "trainyard/analysis/advice.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <string>

#include "trainyard/base/error.hpp"
#include "trainyard/configuration/defaults.hpp"

#include "support/catch.hpp"

namespace trainyard {
namespace {

using namespace std::chrono_literals;

/// Six machines with a model of 59 MB whose owners asked why they are slow: 1.26 s of each step are
/// the network's.
AdviceQuestion six_machines() {
  AdviceQuestion question;
  Configuration& c = question.setting.configuration;
  c = default_configuration();
  c.workers = 6;
  c.compute_time = 250ms;
  c.network.latency = 100us;
  c.network.bytes_per_second = 625e6 / 8;
  question.setting.parameters = 14'750'000;
  return question;
}

double ring_s(double compute_s, int workers, double latency_s, double model_bytes, double rate) {
  const double hops = 2.0 * (workers - 1);
  return compute_s + hops * (latency_s + model_bytes / workers / rate);
}

const AdvisedScheme& scheme_of(const Advice& advice, const std::string& label) {
  const auto found = std::ranges::find_if(advice.schemes, [&](const AdvisedScheme& scheme) {
    return scheme.prediction.contestant.label == label;
  });
  REQUIRE(found != advice.schemes.end());
  return *found;
}

double seconds_of(const Advice& advice, const std::string& limit) {
  for (const Limit& one : advice.limits) {
    if (one.name == limit) return one.seconds;
  }
  return 0.0;
}

const Lever* lever_of(const Advice& advice, const std::string& what) {
  const auto found = std::ranges::find(advice.levers, what, &Lever::what);
  return found == advice.levers.end() ? nullptr : &*found;
}

}  // namespace

TEST_CASE("of a ring the limit is what its formula says", "[analysis][advice]") {
  const AdviceQuestion question = six_machines();
  const Advice advice = advise(question);
  const double step_s = ring_s(0.25, 6, 1e-4, 59e6, 625e6 / 8);
  CHECK(advice.best().prediction.contestant.label == "ring");
  CHECK(advice.best().prediction.step_s == Approx(step_s).epsilon(1e-5));
  CHECK(advice.best().rate == Approx(6 * 32 / step_s).epsilon(1e-5));
  CHECK(advice.alone_rate == Approx(32 / 0.25));
  CHECK(advice.ideal_rate == Approx(6 * 32 / 0.25));
  CHECK(advice.best().share == Approx(0.25 / step_s).epsilon(1e-5));
  CHECK(advice.limits.front().name == "bandwidth");
  CHECK(seconds_of(advice, "bandwidth") == Approx(step_s - 0.25 - 10e-4).epsilon(1e-5));
  CHECK(seconds_of(advice, "computing") == 0.25);
  CHECK(seconds_of(advice, "stragglers") == 0.0);
  // T = c/0.9: 10 (α + N/(6B)) = c/9.
  const double need = 10.0 * 59e6 / 6.0 / (0.25 / 9.0 - 10e-4);
  CHECK(advice.need.bytes_per_second == Approx(need).epsilon(1e-3));
  const Lever* twice = lever_of(advice, "twice the bandwidth");
  REQUIRE(twice != nullptr);
  CHECK(twice->step_s == Approx(ring_s(0.25, 6, 1e-4, 59e6, 2 * 625e6 / 8)).epsilon(1e-5));
  CHECK(lever_of(advice, "half the latency") == nullptr);  // it gains less than 2 %
}

TEST_CASE("the figures of advice are those of predictions", "[analysis][advice]") {
  const AdviceQuestion question = six_machines();
  const Advice advice = advise(question);
  CHECK(advice.schemes.size() + advice.left_out.size() + 1 == advised_schemes().size());
  for (const AdvisedScheme& scheme : advice.schemes) {
    INFO(scheme.prediction.contestant.label);
    const Prediction alone = predict(scheme.prediction.contestant, question.setting);
    CHECK(scheme.prediction.step_s ==
          Approx(alone.step_s).epsilon(1e-4).margin(alone.step_error_s * 2.0));
    CHECK(scheme.rate == Approx(192.0 / scheme.prediction.step_s));
    CHECK(scheme.as_one == scheme.learns.empty());
  }
  for (std::size_t i = 1; i < advice.schemes.size(); ++i) {
    const AdvisedScheme &before = advice.schemes[i - 1], &after = advice.schemes[i];
    CHECK(((before.as_one && !after.as_one) || before.rate >= after.rate));
  }
  for (const Lever& lever : advice.levers) {
    INFO(lever.what);
    CHECK(lever.factor > 1.02);
    CHECK(lever.factor == Approx(lever.rate / advice.best().rate));
  }
  const Lever* rarely = lever_of(advice, "diloco{period=50}");
  REQUIRE(rarely != nullptr);
  CHECK(rarely->rate == scheme_of(advice, "diloco{period=50}").rate);
  CHECK(rarely->cost.find("less than 5.49 times") != std::string::npos);
  CHECK(lever_of(advice, "local-sgd{period=8}") == nullptr);  // three other ways are faster
}

TEST_CASE("a straggler, a latency and computing are limits, too", "[analysis][advice]") {
  AdviceQuestion question = six_machines();
  Configuration& c = question.setting.configuration;
  c.network.bytes_per_second = 1e12;
  c.stragglers = {{.rank = 2, .factor = 3.0}};
  Advice advice = advise(question);
  CHECK(advice.limits.front().name == "stragglers");
  CHECK(advice.limits.front().seconds == Approx(0.5).epsilon(1e-3));
  const Lever* alike = lever_of(advice, "workers that are alike");
  REQUIRE(alike != nullptr);
  CHECK(alike->factor == Approx(3.0).epsilon(0.01));
  c.stragglers.clear();
  advice = advise(question);
  CHECK(advice.limits.front().name == "computing");
  c.network.latency = 100ms;
  advice = advise(question);
  CHECK(advice.limits.front().name == "latency");
  CHECK_FALSE(advice.need.bytes_per_second);
  CHECK(advice.need.most_share < 0.9);
}

TEST_CASE("a window is a limit of its own", "[analysis][advice]") {
  AdviceQuestion question = six_machines();
  Network& network = question.setting.configuration.network;
  network.latency = 10ms;
  network.tcp_window = 65536;
  const Advice advice = advise(question);
  CHECK(advice.limits.front().name == "the window");
  const double bytes = 4.0 * 14'750'000, windowed = 65536.0 / 0.02;
  const AdvisedScheme& ring = scheme_of(advice, "ring");
  CHECK(ring.prediction.step_s == Approx(ring_s(0.25, 6, 0.01, bytes, windowed)).epsilon(1e-3));
  if (advice.best().prediction.contestant.label == "ring") {
    CHECK(seconds_of(advice, "the window") ==
          Approx(10.0 * bytes / 6.0 * (1.0 / windowed - 8.0 / 625e6)).epsilon(1e-3));
  }
  CHECK(seconds_of(advice, "bandwidth") == 0.0);  // more of it goes by unused
  const Lever* wider = lever_of(advice, "twice the window");
  REQUIRE(wider != nullptr);
  CHECK(wider->factor == Approx(2.0).epsilon(0.05));
  CHECK(lever_of(advice, "twice the bandwidth") == nullptr);
}

TEST_CASE("what explains a measured rate predicts it", "[analysis][advice]") {
  AdviceQuestion question = six_machines();
  question.measured_rate = 90.0;
  const Advice advice = advise(question);
  CHECK(advice.expected_rate == Approx(advice.best().rate));
  REQUIRE(advice.explanations.size() == 3);
  for (const Explanation& one : advice.explanations) {
    INFO(one.what);
    PredictionSetting setting = question.setting;
    for (const auto& [option, text] : one.changes) {
      option_named(option).set(setting.configuration, text, "test");
    }
    const double step_s = predict(advice.best().prediction.contestant, setting).step_s;
    CHECK(192.0 / step_s == Approx(90.0).epsilon(2e-3));
  }
  question.measured_rate = 0.99 * advice.best().rate;
  CHECK(advise(question).explanations.empty());
  // A server in the ring's place.
  question.measured_rate = 36.0;
  const Advice slow = advise(question);
  CHECK(std::ranges::any_of(slow.explanations, [](const Explanation& one) {
    return one.what.find("ps-sync does") != std::string::npos;
  }));
  question.measured_rate = 800.0;
  CHECK_THROWS_WITH(advise(question), ContainsSubstring("--measured") && ContainsSubstring("768"));
}

TEST_CASE("with a noise scale there is a best number of workers", "[analysis][advice]") {
  AdviceQuestion question = six_machines();
  question.noise_scale = 4000.0;
  const Advice advice = advise(question);
  for (const WorkerCount& count : advice.workers) {
    CAPTURE(count.workers);
    const double steps = 1.0 + 4000.0 / (32.0 * count.workers);
    const double now = advice.best().prediction.step_s * (1.0 + 4000.0 / 192.0);
    CHECK(count.time == Approx(count.step_s * steps / now).epsilon(1e-5));
    if (count.workers == 6) CHECK(count.time == Approx(1.0));
  }
  CHECK(advice.workers.front().workers == 1);
  CHECK(advice.workers.back().workers == 48);
}

TEST_CASE("fewer workers may be faster", "[analysis][advice]") {
  AdviceQuestion question = six_machines();
  question.setting.configuration.network.bytes_per_second = 100e6 / 8;
  const Advice advice = advise(question);
  CHECK(advice.best().rate < advice.alone_rate);
  const Lever* alone = lever_of(advice, "1 of the workers");
  REQUIRE(alone != nullptr);
  CHECK(alone->rate == Approx(128.0));
}

TEST_CASE("between racks their links are the limit, and what would change it",
          "[analysis][advice]") {
  AdviceQuestion question = six_machines();
  Network& network = question.setting.configuration.network;
  network.racks = 2;
  network.bytes_per_second = 1e12;
  network.between_bytes_per_second = 625e6 / 8;
  const Advice advice = advise(question);
  CHECK(advice.limits.front().name == "bandwidth");
  CHECK(advice.need.most_share > 0.9);
  REQUIRE(advice.need.bytes_per_second);
  network.between_bytes_per_second = 1.001 * *advice.need.bytes_per_second;
  CHECK(advise(question).best().share == Approx(0.9).epsilon(1e-3));
  CHECK(lever_of(advice, "twice the bandwidth between racks") != nullptr);
  CHECK(std::ranges::any_of(advice.schemes, [](const AdvisedScheme& scheme) {
    return scheme.prediction.contestant.label == "all-reduce:hierarchical-ring";
  }));
}

TEST_CASE("of fewer workers the fastest stay, whichever rank is slow", "[analysis][advice]") {
  for (const int slow : {0, 5}) {
    AdviceQuestion question = six_machines();
    question.setting.configuration.stragglers = {{.rank = slow, .factor = 10.0}};
    question.setting.configuration.network.bytes_per_second = 1e12;
    const Advice advice = advise(question);
    const Lever* fewer = lever_of(advice, "4 of the workers, the fastest");
    CAPTURE(slow);
    REQUIRE(fewer != nullptr);
    CHECK(fewer->step_s == Approx(ring_s(0.25, 4, 1e-4, 59e6, 1e12)).epsilon(2e-3));
  }
}

TEST_CASE("a rate above what is predicted is not as expected", "[analysis][advice]") {
  AdviceQuestion question = six_machines();
  question.measured_rate = 475.0;
  const Advice advice = advise(question);
  CHECK(std::ranges::any_of(advice.explanations, [](const Explanation& one) {
    return one.what.find("local-sgd{period=8} does") != std::string::npos;
  }));
}

}  // namespace trainyard
