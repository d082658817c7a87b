// A rank's codec at work: what it costs on either clock, error feedback, and what it refuses.
#include "trainyard/runtime/coder.hpp"

#include <cmath>
#include <limits>
#include <string>

#include "trainyard/run/plan.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "support/catch.hpp"
#include "support/training.hpp"

using namespace trainyard;
using test::quick;
using test::train;

namespace {

constexpr std::size_t features = 500;

const LoadedData& data() {
  static const LoadedData problem = test::dense_problem(60, features);
  return problem;
}

/// Every scheme that takes a codec.
std::vector<std::string> coded() {
  std::vector<std::string> names;
  for (const Scheme& scheme : schemes()) {
    if (takes(scheme, "codec")) names.push_back(scheme.name);
  }
  return names;
}

}  // namespace

TEST_CASE("coding takes its time for each number, and a straggler's longer", "[runtime]") {
  // One step of csgd with one worker: c + e + d up, e + d down.
  Configuration c = quick("csgd", 1, 1);
  c.hyperparameters["direction"] = 1;
  c.encode_time = std::chrono::nanoseconds(30);
  c.decode_time = std::chrono::nanoseconds(7);
  const double coding = features * 2 * (30e-9 + 7e-9);
  const Summary summary = train(c, data()).summary;
  CHECK(summary.seconds == Approx(1e-3 + coding).epsilon(1e-9));
  CHECK(*summary.coding_s == Approx(features * (30e-9 + 7e-9)).epsilon(1e-9));  // the worker's
  c.stragglers = {{0, 3.0}};
  CHECK(train(c, data()).summary.seconds ==
        Approx(3e-3 + features * 4 * (30e-9 + 7e-9)).epsilon(1e-9));
}

TEST_CASE("what coding came to is in the summary, on both clocks", "[runtime]") {
  for (const std::string& name : coded()) {
    for (const TimeMode time : {TimeMode::simulated, TimeMode::wall}) {
      CAPTURE(name, time_mode_text(time));
      Configuration c = quick(name, 3, 20);
      c.ingredients["codec"] = "qsgd:127";
      c.hyperparameters = {{"period", 2}, {"freeze-step", 1}};
      c.time = time;
      const Summary summary = train(c, data()).summary;
      REQUIRE(summary.compression);
      CHECK(*summary.compression > 3.5);  // a byte a number, and the norm
      CHECK(*summary.compression < 4.0);
      REQUIRE(summary.coding_error);
      CHECK(*summary.coding_error > 0.0);
      CHECK(*summary.coding_error < 500.0 / (4.0 * 127 * 127));  // QSGD's bound
      REQUIRE(summary.coding_s);
      CHECK(*summary.coding_s > 0.0);
      CHECK(*summary.coding_s <= summary.compute_s * (1 + 1e-9));
      c.ingredients["codec"] = "identity";
      const Summary plain = train(c, data()).summary;
      CHECK(plain.coding_s.has_value() != find_scheme(name).messages.codec_optional);
      CHECK(plain.compression.has_value() == plain.coding_s.has_value());
      CHECK(plain.compression.value_or(1.0) == 1.0);
      CHECK(plain.coding_error.value_or(0.0) == 0.0);
    }
  }
  CHECK_FALSE(train(quick("ring", 3, 5), data()).summary.compression);
  CHECK_FALSE(train(quick("ring", 3, 5), data()).summary.coding_s);
}

TEST_CASE("a vector that is not finite is not encoded, and the run has diverged", "[runtime]") {
  for (const Scheme& scheme : schemes()) {
    if (!encodes(scheme)) continue;
    const std::string& name = scheme.name;
    for (const TimeMode time : {TimeMode::simulated, TimeMode::wall}) {
      CAPTURE(name, time_mode_text(time));
      Configuration c = quick(name, 3, 100);
      if (scheme.messages.codec_optional) c.ingredients["codec"] = "qsgd:127";
      c.hyperparameters = {{"period", 1}, {"freeze-step", 1}};
      c.time = time;
      c.optimizer.lr = 1e38;  // the second model is beyond all floats
      c.l2 = 1.0;
      const Configuration resolved = resolve(c, {name}, data(), {});
      std::string said;
      RunHooks hooks;
      hooks.remark = [&](const std::string& text) { said += text + "\n"; };
      const RunResult result = run_experiment(plan_run(resolved, data()), hooks);
      CHECK(result.summary.diverged);
      CHECK_THAT(said, ContainsSubstring(name + ": in step ") &&
                           ContainsSubstring("a number that is not finite"));
      CHECK(result.metrics.front().train_loss == Approx(std::log(2.0)));
      CHECK(result.summary.messages > 0);
    }
  }
}

TEST_CASE("a codec that does not go with the rule is warned of", "[runtime]") {
  const auto said = [](const std::string& scheme, const std::string& codec) {
    Configuration c = quick(scheme, 2, 1);
    c.ingredients["codec"] = codec;
    std::string text;
    (void)resolve(c, {scheme}, data(), [&](const std::string& remark) { text += remark; });
    return text;
  };
  CHECK_THAT(said("csgd", "top-k:1%"), ContainsSubstring("csgd needs an unbiased codec"));
  CHECK_THAT(said("csgd", "qsgd:7"), !ContainsSubstring("unbiased"));
  CHECK(said("ec-sgd", "top-k:1%").find("warning") == std::string::npos);
  CHECK(said("ec-sgd", "qsgd:1").find("warning") == std::string::npos);
  CHECK_THAT(said("ec-sgd", "plain-sign"),
             ContainsSubstring("ec-sgd needs a codec that leaves out less than it keeps"));
}

// qsgd:1 of 500 numbers may be wrong by ω = √500 times ‖x‖²: fed back as it is, the error would
// grow.
TEST_CASE("where errors are fed back an unbiased codec is shrunk to a contraction", "[runtime]") {
  for (const char* scheme : {"ec-sgd", "double-squeeze", "deep-squeeze", "choco"}) {
    CAPTURE(scheme);
    Configuration c = quick(scheme, 3, 400);
    c.ingredients["codec"] = "qsgd:1";
    const RunResult result = train(c, data());
    CHECK(*result.summary.coding_error < std::sqrt(500.0) / (1.0 + std::sqrt(500.0)));
    CHECK_FALSE(result.summary.diverged);
    CHECK(result.summary.train_loss < result.metrics.front().train_loss);
  }
  Configuration c = quick("csgd", 3, 40);  // not where it has to be right on average
  c.ingredients["codec"] = "qsgd:1";
  CHECK(*train(c, data()).summary.coding_error > 1.0);
}

TEST_CASE("how long coding takes is in the resolved configuration", "[runtime]") {
  Configuration c = quick("choco", 2, 1);
  Configuration resolved = resolve(c, {"choco"}, data(), {});
  CHECK(resolved.encode_time == codec_info("qsgd:127").encode_time);
  CHECK(resolved.decode_time == codec_info("qsgd:127").decode_time);
  c.encode_time = std::chrono::nanoseconds(5);
  resolved = resolve(c, {"choco"}, data(), {});
  CHECK(resolved.encode_time == std::chrono::nanoseconds(5));
  CHECK(resolved.decode_time == codec_info("qsgd:127").decode_time);
  c.encode_time.reset();
  c.compute_time.reset();  // auto: both are measured
  std::string said;
  resolved =
      resolve(c, {"choco"}, data(), [&](const std::string& remark) { said += remark + "\n"; });
  REQUIRE(resolved.encode_time);
  CHECK(resolved.encode_time->count() > 0);
  CHECK_THAT(said, ContainsSubstring("to encode a parameter by qsgd:127"));
  CHECK_FALSE(resolve(quick("ring", 2, 1), {"ring"}, data(), {}).encode_time);
}
