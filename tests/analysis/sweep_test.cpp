#include "trainyard/analysis/sweep.hpp"

#include <algorithm>
#include <vector>

#include "trainyard/base/error.hpp"

#include "support/catch.hpp"

using namespace trainyard;

namespace {

const std::vector<Variant> ring_and_gossip{{"ring", ""}, {"gossip", "ring"}};

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
      sweep(parse_sweep("latency=10us:100ms", "--vary"), ring_and_gossip, eight_workers());
  REQUIRE(result.points.size() == 9);
  CHECK(result.points.front().cheapest == 0);
  CHECK(result.points.back().cheapest == 1);
  REQUIRE(result.crossings.size() == 1);
  const Crossing& crossing = result.crossings.front();
  const double transfer = 262144 * 4 / 125e6;
  CHECK(crossing.low <= transfer / 48);
  CHECK(crossing.high >= transfer / 48);
  CHECK(crossing.high / crossing.low < 1.002);
  CHECK(crossing.before.text() == "ring");
  CHECK(crossing.after.text() == "gossip:ring");
}

TEST_CASE("a range of numbers doubles, others go by ratio, lists are sorted", "[analysis]") {
  CHECK(parse_sweep("workers=2:12", "--vary").values == std::vector<double>{2, 4, 8, 12});
  CHECK(parse_sweep("servers=4,1,4", "--vary").values == std::vector<double>{1, 4});
  const std::vector<double> sizes = parse_sweep("size=4B:1024B", "--vary").values;
  REQUIRE(sizes.size() == 9);
  CHECK(sizes[4] == Approx(64));
  CHECK(parse_sweep("latency=0s,1ms", "--vary").values == std::vector<double>{0.0, 1e-3});
  CHECK(parse_sweep("bandwidth=8Mbps", "--vary").values == std::vector<double>{1e6});
  CHECK(parse_sweep("compute-time=5ms", "--vary").values == std::vector<double>{5e-3});
}

TEST_CASE("where nothing sends, nothing is cheapest", "[analysis]") {
  const SweepResult result =
      sweep(parse_sweep("workers=1,2", "--vary"), {{"hogwild", ""}, {"ring", ""}}, eight_workers());
  CHECK(result.points[0].cheapest == -1);
  CHECK(result.points[1].cheapest == 1);
  CHECK(result.crossings.empty());
}

TEST_CASE("where nothing is played, nothing is cheapest", "[analysis]") {
  const SweepResult result = sweep(parse_sweep("workers=2,1000000", "--vary"),
                                   {{"ring", ""}, {"ps-sync", ""}}, eight_workers());
  CHECK(result.points[0].cheapest >= 0);
  CHECK(result.points[1].cheapest == -1);
  CHECK(result.crossings.empty());
}

TEST_CASE("sweeps that make no sense are refused", "[analysis]") {
  for (const char* text : {"lr=1,2", "latency", "latency=", "latency=3", "latency=0s:1s",
                           "latency=2s:1s", "workers=0,1", "workers=1.5", "bandwidth=infinite",
                           "size=3", "compute-time=auto", "latency=1ms:2ms:3ms", "workers=2,,4"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(parse_sweep(text, "--vary"), UsageError);
  }
}

TEST_CASE("a sweep over sizes finds the threshold of by-size", "[analysis]") {
  const std::vector<Variant> ways{
      {"all-reduce", "tree"}, {"all-reduce", "ring"}, {"all-reduce", "by-size"}};
  const SweepResult result = sweep(parse_sweep("size=16KiB:4MiB", "--vary"), ways, eight_workers());
  REQUIRE(result.crossings.size() == 1);
  const Crossing& crossing = result.crossings.front();
  CHECK(crossing.before.text() == "all-reduce:tree");
  CHECK(crossing.after.text() == "all-reduce:ring");
  // 6(α + t) = 14(α + t/8), α = 1 ms
  CHECK(crossing.high == Approx(8.0 / 4.25 * 1e-3 * 125e6).epsilon(0.002));
  for (const SweepPoint& point : result.points) {
    const double tree = point.predictions[0].step_s, ring = point.predictions[1].step_s;
    CHECK(point.predictions[2].step_s == std::min(tree, ring));
  }
}
