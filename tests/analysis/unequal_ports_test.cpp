// What schemes take where workers send slowly, against closed forms.
#include <string>

#include "trainyard/analysis/advice.hpp"
#include "trainyard/analysis/prediction.hpp"
#include "trainyard/analysis/timeline.hpp"
#include "trainyard/configuration/defaults.hpp"

#include "support/catch.hpp"

using namespace trainyard;

namespace {

// Of timelines: 3 ms a minibatch, 1.5 ms a message, 4.8 ms for the model at 160 Mbps.
constexpr double compute = 3e-3, latency = 1.5e-3, transfer = 4.8e-3;

double makespan(const std::string& what, const std::vector<OptionText>& settings) {
  return to_seconds(make_timeline(what, settings).makespan());
}

}  // namespace

TEST_CASE("a parameter server whose workers send at a tenth waits for what they push",
          "[analysis]") {
  for (const int n : {2, 4, 8}) {
    CAPTURE(n);
    const OptionText workers{"workers", std::to_string(n)};
    const double push = n * (latency + 10.0 * transfer), pull = n * (latency + transfer);
    CHECK(makespan("ps-sync", {workers, {"up-bandwidth", "16Mbps"}}) ==
          Approx(compute + push + pull));
    // And the other way round where they receive slowly.
    const double slow_pull = n * (latency + 10.0 * transfer);
    CHECK(makespan("ps-sync", {workers, {"down-bandwidth", "16Mbps"}}) ==
          Approx(compute + n * (latency + transfer) + slow_pull));
  }
}

TEST_CASE("around a ring every message goes at the slower of up and down", "[analysis]") {
  const double slow = makespan("ring", {{"bandwidth", "16Mbps"}});
  CHECK(slow == Approx(compute + 6.0 * (latency + 10.0 * transfer / 4.0)));
  CHECK(makespan("ring", {{"up-bandwidth", "16Mbps"}}) == slow);
  CHECK(makespan("ring", {{"down-bandwidth", "16Mbps"}}) == slow);
  CHECK(makespan("ring", {{"up-bandwidth", "16Mbps"}, {"down-bandwidth", "160Mbps"}}) == slow);
}

TEST_CASE("a prediction on unequal ports is played, by a smaller model, too", "[analysis]") {
  PredictionSetting setting;
  Configuration& c = setting.configuration;
  c = default_configuration();
  c.workers = 4;
  c.compute_time = std::chrono::milliseconds(3);
  c.network.up_bytes_per_second = 12.5e6;  // a tenth
  const auto step_of = [&](const char* scheme, std::uint64_t parameters) {
    setting.parameters = parameters;
    return predict(predicted_contestants(scheme).front(), setting).step_s;
  };
  const auto ring = [&](std::uint64_t parameters) {
    const double bytes = 4.0 * static_cast<double>(parameters);
    return 3e-3 + 6.0 * (100e-6 + bytes / 4.0 / 12.5e6);
  };
  CHECK(step_of("ring", 100'000) == Approx(ring(100'000)));
  CHECK(step_of("ring", 500'000'000) == Approx(ring(500'000'000)).epsilon(1e-3));
  setting.most_floats = 4096;
  CHECK(step_of("ring", 100'000) == Approx(ring(100'000)).epsilon(1e-3));
}

TEST_CASE("advice names the ports that limit", "[analysis]") {
  AdviceQuestion question;
  PredictionSetting& setting = question.setting;
  setting.configuration = default_configuration();
  setting.configuration.workers = 4;
  setting.configuration.compute_time = std::chrono::milliseconds(3);
  setting.configuration.network.up_bytes_per_second = 12.5e6;
  setting.configuration.network.down_bytes_per_second = 250e6;
  const Advice advice = advise(question);
  CHECK(advice.limits.front().name == "bandwidth");
  bool has_up = false;
  for (const Lever& lever : advice.levers) {
    CHECK(lever.what != "twice the bandwidth of workers down");  // it is not what limits
    if (lever.what != "twice the bandwidth of workers up") continue;
    has_up = true;
    REQUIRE(lever.changes.size() == 1);
    CHECK(lever.changes.front() == OptionText{"up-bandwidth", "200Mbps"});
    CHECK(lever.factor > 1.2);
  }
  CHECK(has_up);
  // With ports that are alike, both ways.
  REQUIRE(advice.need.bytes_per_second.has_value());
  setting.configuration.network.up_bytes_per_second.reset();
  setting.configuration.network.down_bytes_per_second.reset();
  setting.configuration.network.bytes_per_second = *advice.need.bytes_per_second;
  CHECK(advise(question).best().share == Approx(0.9).epsilon(2e-3));
}
