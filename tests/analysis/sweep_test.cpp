#include "trainyard/analysis/sweep.hpp"

#include <algorithm>
#include <vector>

#include "trainyard/base/error.hpp"

#include "support/catch.hpp"
#include "support/contestants.hpp"

using namespace trainyard;

namespace {

std::vector<Contestant> ring_and_gossip() {
  return {test::contestant("ring"), test::contestant("gossip:ring")};
}

Variation varied(const char* text) {
  return parse_variation(text, predicted_quantities());
}

PredictionSetting eight_workers() {
  PredictionSetting setting;
  setting.configuration.compute_time = std::chrono::milliseconds(10);
  setting.configuration.network = {.latency = std::chrono::milliseconds(1),
                                   .bytes_per_second = 125e6};
  setting.parameters = 262144;
  return setting;
}

}  // namespace

TEST_CASE("the crossing point of ring and gossip is where 14(α + t/8) = 2(α + t)", "[analysis]") {
  const SweepResult result =
      sweep(varied("latency=10us:100ms"), ring_and_gossip(), eight_workers());
  REQUIRE(result.points.size() == 9);
  CHECK(result.points.front().cheapest == 0);
  CHECK(result.points.back().cheapest == 1);
  REQUIRE(result.crossings.size() == 1);
  const Crossing& crossing = result.crossings.front();
  const double transfer = 262144 * 4 / 125e6;
  CHECK(crossing.low <= transfer / 48);
  CHECK(crossing.high >= transfer / 48);
  CHECK(crossing.high / crossing.low < 1.002);
  CHECK(crossing.before == "ring");
  CHECK(crossing.after == "gossip:ring");
}

TEST_CASE("points with a measure are sorted, and keep their texts", "[analysis]") {
  const auto values = [](const char* text) {
    std::vector<double> all;
    for (const SweepPoint& point :
         sweep(varied(text), {test::contestant("ring")}, eight_workers()).points) {
      REQUIRE(point.value);
      all.push_back(*point.value);
    }
    return all;
  };
  CHECK(values("workers=2:12") == std::vector<double>{2, 4, 8, 12});
  CHECK(values("servers=4,1") == std::vector<double>{1, 4});
  CHECK(values("latency=1ms,0s") == std::vector<double>{0.0, 1e-3});
  CHECK(values("bandwidth=8Mbps") == std::vector<double>{1e6});
  CHECK(values("compute-time=5ms") == std::vector<double>{5e-3});
  const std::vector<double> sizes = values("size=4B:1024B");
  REQUIRE(sizes.size() == 9);
  CHECK(sizes[4] == Approx(64));
}

TEST_CASE("any option of a prediction is varied, and who has it for itself stays", "[analysis]") {
  const std::vector<Contestant> all =
      predicted_contestants("local-sgd:ring,local-sgd{period=8},ring");
  const SweepResult periods = sweep(varied("period=1:64"), all, eight_workers());
  REQUIRE(periods.points.size() == 7);
  CHECK(periods.line.counts);
  for (const SweepPoint& point : periods.points) {
    CHECK(point.predictions[1].step_s == periods.points[3].predictions[0].step_s);
    CHECK(point.predictions[2].step_s == periods.points[0].predictions[0].step_s);
  }
  const SweepResult graphs = sweep(varied("topology=full,ring"),
                                   predicted_contestants("gossip{batch=3}"), eight_workers());
  CHECK(graphs.line.measure == nullptr);
  CHECK(graphs.points[0].text == "full");
  CHECK_FALSE(graphs.points[0].value);
  CHECK(graphs.points[0].predictions[0].messages == 56);
  CHECK(graphs.points[1].predictions[0].messages == 16);
  CHECK(graphs.crossings.empty());
}

TEST_CASE("where nothing sends, nothing is cheapest", "[analysis]") {
  const SweepResult result =
      sweep(varied("workers=1,2"), {test::contestant("hogwild"), test::contestant("ring")},
            eight_workers());
  CHECK(result.points[0].cheapest == -1);
  CHECK(result.points[1].cheapest == 1);
  CHECK(result.crossings.empty());
}

TEST_CASE("where nothing is played, nothing is cheapest", "[analysis]") {
  const SweepResult result =
      sweep(varied("workers=2,1000000"), {test::contestant("ring"), test::contestant("ps-sync")},
            eight_workers());
  CHECK(result.points[0].cheapest >= 0);
  CHECK(result.points[1].cheapest == -1);
  CHECK(result.crossings.empty());
}

TEST_CASE("sweeps that make no sense are refused", "[analysis]") {
  for (const char* text : {"lr=1,2", "latency", "latency=", "latency=3", "latency=0s:1s",
                           "latency=2s:1s", "workers=0,1", "workers=1.5", "size=3",
                           "compute-time=auto", "latency=1ms:2ms:3ms", "workers=2,,4"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(varied(text), UsageError);
  }
}

TEST_CASE("a sweep over sizes finds the threshold of by-size", "[analysis]") {
  const std::vector<Contestant> ways{test::contestant("all-reduce:tree"),
                                     test::contestant("all-reduce:ring"),
                                     test::contestant("all-reduce:by-size")};
  const SweepResult result = sweep(varied("size=16KiB:4MiB"), ways, eight_workers());
  REQUIRE(result.crossings.size() == 1);
  const Crossing& crossing = result.crossings.front();
  CHECK(crossing.before == "all-reduce:tree");
  CHECK(crossing.after == "all-reduce:ring");
  // 6(α + t) = 14(α + t/8), α = 1 ms
  CHECK(crossing.high == Approx(8.0 / 4.25 * 1e-3 * 125e6).epsilon(0.002));
  for (const SweepPoint& point : result.points) {
    const double tree = point.predictions[0].step_s, ring = point.predictions[1].step_s;
    CHECK(point.predictions[2].step_s == std::min(tree, ring));
  }
}
