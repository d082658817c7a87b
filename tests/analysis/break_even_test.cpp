// Where compression pays: predicted, by hand, and as runs have it.
#include "trainyard/analysis/break_even.hpp"

#include <cmath>
#include <string>

#include <nlohmann/json.hpp>

#include "trainyard/base/error.hpp"
#include "trainyard/report/prediction_format.hpp"

#include "support/catch.hpp"
#include "support/contestants.hpp"
#include "support/oracles.hpp"
#include "support/training.hpp"

using namespace trainyard;

namespace {

constexpr std::uint64_t floats = 4096;

PredictionSetting setting_of(int workers, Duration encode, Duration decode) {
  PredictionSetting setting;
  setting.parameters = floats;
  Configuration& c = setting.configuration;
  c.workers = workers;
  c.compute_time = std::chrono::milliseconds(3);
  c.network = {.latency = std::chrono::microseconds(50), .bytes_per_second = 1e6};
  c.encode_time = encode;
  c.decode_time = decode;
  return setting;
}

}  // namespace

// Over a ring a step gains 2·4d/B − 2·(d + 4)/B by a byte a number, and loses e + d_ec, and what
// decoding the last message takes: the own one and the first are decoded while others are under
// way.
TEST_CASE("the break-even of dcd on a ring is where the bytes saved take as long as coding",
          "[analysis]") {
  const Duration encode = std::chrono::nanoseconds(3), decode = std::chrono::nanoseconds(1);
  const PredictionSetting setting = setting_of(8, encode, decode);
  const BreakEven found = break_even(test::contestant("dcd:ring"), "qsgd:127", setting);
  REQUIRE(found.bytes_per_second);
  const double d = floats, saved = 2.0 * (4.0 * d - (d + 4.0));
  const double coding = d * (to_seconds(encode) + to_seconds(decode));
  CHECK(*found.bytes_per_second == Approx(saved / coding).epsilon(1e-3));
  CHECK(found.step_s < found.plain_step_s);  // at 1 MB/s
  CHECK(found.bytes == Approx(8 * 2 * (d + 4.0)));
  CHECK(found.plain_bytes == Approx(8 * 2 * 4.0 * d));
}

TEST_CASE("encoding that takes no time pays always, and one that saves nothing never",
          "[analysis]") {
  const PredictionSetting free = setting_of(4, Duration{0}, Duration{0});
  CHECK(break_even(test::contestant("csgd"), "sign", free).always);
  const PredictionSetting slow = setting_of(4, std::chrono::nanoseconds(3), Duration{0});
  CHECK(break_even(test::contestant("csgd"), "clip:1", slow).never);
  CHECK_FALSE(break_even(test::contestant("csgd"), "clip:1", slow).bytes_per_second);
}

// What is predicted is what runs show: at nine tenths of it a run is faster encoded, at eleven
// tenths plain.
TEST_CASE("runs on both sides of a break-even agree with it", "[analysis]") {
  const LoadedData data = test::dense_problem(100, floats);
  PredictionSetting setting =
      setting_of(5, std::chrono::nanoseconds(2), std::chrono::nanoseconds(1));
  for (const char* text : {"csgd", "ec-sgd", "double-squeeze", "coded-all-reduce", "choco"}) {
    const Contestant scheme = coded_schemes(text).front().scheme;
    for (const char* codec : {"qsgd:127", "sign", "top-k:1%"}) {
      CAPTURE(text, codec);
      const BreakEven found = break_even(scheme, codec, setting);
      REQUIRE(found.bytes_per_second);
      const auto seconds_of = [&](const char* by, double bytes_per_second, std::uint64_t steps) {
        Configuration c = test::quick(text, 5, steps);
        c.ingredients["codec"] = by;
        c.compute_time = setting.configuration.compute_time;
        c.network = setting.configuration.network;
        c.network.bytes_per_second = bytes_per_second;
        const bool plain = std::string(by) == "identity";
        c.encode_time = plain ? Duration{0} : setting.configuration.encode_time;
        c.decode_time = plain ? Duration{0} : setting.configuration.decode_time;
        return test::train(c, data).summary.seconds;
      };
      // Of steps in a long run: the first one, from lock-step, takes longer.
      const auto seconds = [&](const char* by, double bytes_per_second) {
        return seconds_of(by, bytes_per_second, 30) - seconds_of(by, bytes_per_second, 10);
      };
      const double below = 0.95 * *found.bytes_per_second, above = 1.05 * *found.bytes_per_second;
      CHECK(seconds(codec, below) < seconds("identity", below));
      CHECK(seconds(codec, above) > seconds("identity", above));
    }
  }
}

TEST_CASE("what depends on the data is not predicted", "[analysis]") {
  PredictionSetting setting = setting_of(4, Duration{0}, Duration{0});
  CHECK_THROWS_WITH(break_even(test::contestant("csgd"), "qsgd-elias:7", setting),
                    ContainsSubstring("--codec qsgd-elias:7: how long its messages are"));
  setting.configuration.ingredients["codec"] = "top-k-sampled:1%";
  CHECK_THROWS_AS(predict(test::contestant("choco:ring"), setting), OptionError);
  CHECK_NOTHROW(predict(test::contestant("ring"), setting));
  // Nor is a count of numbers, where a smaller model stands in.
  setting.configuration.ingredients["codec"] = "top-k:k=100";
  CHECK_NOTHROW(predict(test::contestant("choco:ring"), setting));
  setting.parameters = std::uint64_t{1} << 24;
  CHECK_THROWS_WITH(predict(test::contestant("choco:ring"), setting),
                    ContainsSubstring("top-k:k=100: a model of 16777216 parameters"));
}

TEST_CASE("a scheme that encodes nothing has no break-even", "[analysis]") {
  CHECK_THROWS_WITH(coded_schemes("ring"), ContainsSubstring("--schemes: ring takes no codec"));
  CHECK_THROWS_AS(coded_schemes("dcd:rign"), UsageError);
  const auto labels = [](std::string_view text) {
    std::vector<std::string> all;
    for (const CodedScheme& each : coded_schemes(text, {"sign"})) all.push_back(each.scheme.label);
    return all;
  };
  CHECK(labels("") == std::vector<std::string>{"csgd", "coded-all-reduce", "choco:ring"});
  CHECK(labels("dcd:torus") == std::vector<std::string>{"dcd:torus"});
}

TEST_CASE("a scheme that says its codec is asked about that one", "[analysis]") {
  const auto asked = [](std::string_view text, const std::vector<std::string>& codecs = {}) {
    std::vector<std::string> all;
    for (const auto& [scheme, codec] : coded_schemes(text, codecs)) {
      all.push_back(scheme.label + " with " + codec);
    }
    return all;
  };
  CHECK(asked("csgd:sign,coded-all-reduce{codec=qsgd:127}") ==
        std::vector<std::string>{"csgd:sign with sign",
                                 "coded-all-reduce{codec=qsgd:127} with qsgd:127"});
  CHECK(asked("csgd:sign,dcd:torus", {"fp16"}) ==
        std::vector<std::string>{"csgd:sign with sign", "dcd:torus with fp16"});
  CHECK(asked("dcd").size() > 10);
  CHECK_THROWS_WITH(coded_schemes("csgd:sign", {"fp16"}),
                    ContainsSubstring("--codec fp16: each of --schemes says a codec itself"));
  // The plain step beside it is of a scheme that encodes nothing.
  const PredictionSetting setting = setting_of(4, Duration{0}, Duration{0});
  const CodedScheme own = coded_schemes("csgd:sign").front();
  const BreakEven found = break_even(own.scheme, own.codec, setting);
  CHECK(found.bytes < found.plain_bytes);
  CHECK(found.plain_bytes == break_even(test::contestant("csgd"), "sign", setting).plain_bytes);
}

TEST_CASE("a table of break-evens says where each codec pays", "[analysis]") {
  const PredictionSetting setting =
      setting_of(4, std::chrono::nanoseconds(3), std::chrono::nanoseconds(1));
  const std::vector<BreakEven> rows{break_even(test::contestant("dcd:ring"), "sign", setting),
                                    break_even(test::contestant("dcd:ring"), "clip:1", setting)};
  const auto document = nlohmann::json::parse(break_even_json(setting, rows));
  CHECK(document["rows"][0]["pays"] == "below");
  CHECK(document["rows"][0]["break_even_bytes_per_s"].get<double>() == *rows[0].bytes_per_second);
  CHECK(document["rows"][1]["pays"] == "never");
  CHECK(document["rows"][1]["break_even_bytes_per_s"].is_null());
  CHECK_THAT(break_even_table(setting, rows),
             ContainsSubstring("dcd:ring") && ContainsSubstring("never"));
}

// catalogue §8.1: ResNet-20, 1.08 MB, 8 workers.
TEST_CASE("eight bits a number in the network regimes of the catalogue", "[analysis]") {
  const auto cases = test::read_oracle("cost_reference")["cases"];
  REQUIRE(cases.size() >= 3);
  for (const auto& [name, expected] : cases.items()) {
    if (name.find("ResNet20(1.08MB)_n8") == std::string::npos) continue;
    CAPTURE(name);
    PredictionSetting setting = setting_of(8, Duration{0}, Duration{0});
    setting.parameters = 270'000;
    Configuration& c = setting.configuration;
    c.compute_time = Duration{0};
    c.ingredients["codec"] = "qsgd:127";
    const std::string network = name.substr(name.find("_n8_") + 4);
    const std::size_t cut = network.find('_');
    c.network.bytes_per_second = parse_bandwidth(network.substr(0, cut), "test");
    c.network.latency = parse_duration(network.substr(cut + 1), "test");
    CHECK(predict(test::contestant("coded-all-reduce:qsgd:127"), setting).step_s ==
          Approx(expected["compressed_allreduce_8bit"].get<double>()).epsilon(0.01));
    CHECK(predict(test::contestant("dcd:ring"), setting).step_s ==
          Approx(expected["dcd_ring_8bit"].get<double>()).epsilon(0.01));
    CHECK(predict(test::contestant("deep-squeeze:one-peer-exp"), setting).step_s ==
          Approx(expected["one_peer_8bit"].get<double>()).epsilon(0.01));
  }
}
