#include "trainyard/configuration/variation.hpp"

#include "trainyard/base/error.hpp"
#include "trainyard/base/units.hpp"

#include "support/catch.hpp"

namespace trainyard {

namespace {

using Values = std::vector<std::string>;

Values values_of(const char* text) {
  return parse_variation(text).values;
}

}  // namespace

TEST_CASE("a variation is a list or a range", "[study]") {
  CHECK(parse_variation("period=1,4,16").option == "period");
  CHECK(values_of("period=1,4,16") == Values{"1", "4", "16"});
  CHECK(values_of("latency=10us,1ms") == Values{"10us", "1ms"});
  CHECK(values_of("period=1:10") == Values{"1", "2", "4", "8", "10"});
  CHECK(values_of("topology=ring,torus") == Values{"ring", "torus"});
  CHECK(values_of("model=mlp:20,softmax") == Values{"mlp:20", "softmax"});
  CHECK(values_of("model=mlp:20,10;mlp:5") == Values{"mlp:20,10", "mlp:5"});
  CHECK(values_of("straggler=0:4") == Values{"0:4"});
  CHECK(values_of("straggler=0:4,1:8;2:3") == Values{"0:4,1:8", "2:3"});
}

TEST_CASE("a range of durations, rates or numbers goes evenly by ratio", "[study]") {
  const Values latencies = values_of("latency=10us:1ms");
  REQUIRE(latencies.size() == 9);
  CHECK(latencies.front() == "10us");
  CHECK(latencies.back() == "1ms");
  for (std::size_t i = 0; i < 9; ++i) {
    CHECK(to_seconds(parse_duration(latencies[i], "test")) ==
          Approx(1e-5 * std::pow(100.0, static_cast<double>(i) / 8)).epsilon(1e-3));
  }
  const Values rates = values_of("bandwidth=1Mbps:1Gbps");
  REQUIRE(rates.size() == 9);
  CHECK(parse_bandwidth(rates[4], "test") == Approx(125e3 * std::sqrt(1000.0)).epsilon(1e-3));
  const Values steps = values_of("lr=0.01:1");
  REQUIRE(steps.size() == 9);
  CHECK(steps[4] == "0.1");
}

TEST_CASE("rates are said in the unit that people use", "[study]") {
  const Variation rates = parse_variation("bandwidth=500kbps,5Mbps,1Gbps,1.4Gbps");
  const Measure* measure = line_of(rates, any_option()).measure;
  REQUIRE(measure != nullptr);
  CHECK(measure->shown(62.5e3) == "0.5 Mbps");
  CHECK(measure->shown(625e3) == "5 Mbps");
  CHECK(measure->shown(125e6) == "1 Gbps");
  CHECK(measure->shown(175e6) == "1.4 Gbps");
}

TEST_CASE("what cannot be varied is refused", "[study]") {
  for (const auto& [text, why] : {
           std::pair("period", "'period' has no values; accepted: NAME=A,B,… or NAME=A:B"),
           {"period=", "has no values"},
           {"perod=1", "did you mean 'period'?"},
           {"out=a,b", "'out' is no option in which runs of a comparison can differ"},
           {"lr=0.1,x", "lr: 'x' is not a finite number"},
           {"lr=0.1,,1", "the value is empty"},
           {"lr=0.1,0.1", "lr: '0.1' is there twice"},
           {"lr=0.1,1,0.10", "lr: '0.1' and '0.10' are the same value"},
           {"latency=1ms,1000us", "latency: '1ms' and '1000us' are the same value"},
           {"bandwidth=1Gbps,1000Mbps", "'1Gbps' and '1000Mbps' are the same value"},
           {"period=4,04", "'4' and '04' are the same value"},
           {"lr=1:0.1", "a range goes from above 0 to more"},
           {"latency=0us:1ms", "a range goes from above 0 to more"},
       }) {
    CAPTURE(text);
    CHECK_THROWS_AS(parse_variation(text), UsageError);
    CHECK_THROWS_WITH(parse_variation(text), ContainsSubstring(why));
  }
}

TEST_CASE("a grid has all combinations, the last varying fastest", "[study]") {
  using Point = std::vector<OptionText>;
  CHECK(grid_of({}) == std::vector<Point>{{}});
  CHECK(grid_of({{"period", {"1", "4"}}, {"lr", {"a", "b", "c"}}}) ==
        std::vector<Point>{{{"period", "1"}, {"lr", "a"}},
                           {{"period", "1"}, {"lr", "b"}},
                           {{"period", "1"}, {"lr", "c"}},
                           {{"period", "4"}, {"lr", "a"}},
                           {{"period", "4"}, {"lr", "b"}},
                           {{"period", "4"}, {"lr", "c"}}});
  CHECK_THROWS_WITH(grid_of({{"lr", {"1"}}, {"lr", {"2"}}}),
                    ContainsSubstring("lr is there twice"));
  const Values many(1000, "1");
  CHECK_THROWS_WITH(grid_of({{"a", many}, {"b", many}}), ContainsSubstring("more than 100000"));
}

}  // namespace trainyard
