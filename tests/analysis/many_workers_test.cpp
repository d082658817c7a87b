// Predictions for more workers than are played: closed forms alone, within memory and seconds.
#include <chrono>
#include <cmath>

#include "trainyard/analysis/prediction.hpp"
#include "trainyard/base/memory_account.hpp"

#include "support/catch.hpp"
#include "support/contestants.hpp"
#include "support/memory_bound.hpp"

using namespace trainyard;

namespace {

PredictionSetting many_workers(int workers, std::uint64_t floats = 840) {
  PredictionSetting setting;
  setting.configuration.workers = workers;
  setting.configuration.network = {.latency = std::chrono::microseconds(10),
                                   .bytes_per_second = 1e9};
  setting.configuration.compute_time = std::chrono::milliseconds(3);
  setting.parameters = floats;
  return setting;
}

}  // namespace

// 2 · 10^12 messages a step: nobody waits for that.
TEST_CASE("of a million workers a prediction has the closed form alone", "[analysis]") {
  PredictionSetting setting = many_workers(1'000'000, 100'000'000);
  const double t = 4e8 / 1e9, c = 3e-3, latency = 10e-6, n = 1e6;
  const auto of = [&](const char* name) {
    const Prediction found = predict(predicted_contestants(name).front(), setting);
    CAPTURE(name);
    CHECK_FALSE(found.is_played);
    CHECK(std::isnan(found.step_s));
    REQUIRE(found.closed_form_s);
    return *found.closed_form_s;
  };
  CHECK(of("ring") == Approx(c + 2 * (n - 1) * (latency + t / n)).epsilon(1e-3));
  CHECK(of("ps-sync") == Approx(c + 2 * n * (latency + t)).epsilon(1e-9));
  CHECK(of("all-reduce:tree") == Approx(c + 40 * (latency + t)).epsilon(1e-9));
}

TEST_CASE("what finds no room is not played, and a graph without room is not built", "[analysis]") {
  const MemoryBound bound(memory_held() + 8'000'000'000);
  const PredictionSetting setting = many_workers(100'000);
  const auto of = [&](const char* name) {
    return predict(predicted_contestants(name).front(), setting);
  };
  const Prediction server = of("ps-sync");  // a replica of 100,000 floats each
  CHECK_FALSE(server.is_played);
  CHECK(server.closed_form_s);
  const Prediction full = of("gossip:full");  // 10^10 links
  CHECK_FALSE(full.is_played);
  CHECK_FALSE(full.closed_form_s);
  CHECK_FALSE(of("tree-easgd").is_played);  // 80 steps of each until its periods come together
  CHECK_FALSE(of("matcha").is_played);      // the plan of its rounds takes n³
  CHECK_FALSE(of("tensor-split:ring").is_played);  // 10^10 pairs of workers that hold a copy
}

TEST_CASE("parts of layers that hold the rows of many workers are not played", "[analysis]") {
  const PredictionSetting setting = many_workers(1024);
  CHECK_FALSE(predict(test::contestant("tensor-split:ring"), setting).is_played);
}

TEST_CASE("with thousands of workers only what takes seconds is played", "[analysis]") {
  const PredictionSetting setting = many_workers(5000);
  const auto of = [&](const char* name) {
    return predict(predicted_contestants(name).front(), setting);
  };
  CHECK_FALSE(of("ring").is_played);  // 50 million messages a step
  const Prediction sparse = of("gossip:one-peer-exp");
  CHECK(sparse.is_played);
  CHECK(sparse.closed_form_s);
}
