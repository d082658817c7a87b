// Checkpoints by the run's clock: --checkpoint-every DURATION.
#include <chrono>
#include <string>
#include <vector>

#include "trainyard/base/error.hpp"
#include "trainyard/configuration/options.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "run/small_runs.hpp"
#include "support/catch.hpp"

namespace trainyard {
namespace {

using namespace std::chrono_literals;

/// Four workers and 30 steps of a millisecond.
Configuration timed(const std::string& scheme, Duration interval) {
  Configuration c = small_configuration(scheme);
  c.steps = 30;
  c.line_time = Duration{0};
  c.checkpoint_every = interval;
  return c;
}

struct Observed {
  RunResult result;
  int checkpoints = 0;
};

Observed observed(const Configuration& c) {
  Observed seen;
  RunHooks hooks;
  hooks.leg_ended = [&](const RunState&) { ++seen.checkpoints; };
  seen.result = run_small(c, hooks);
  return seen;
}

Configuration in_one_piece(Configuration c) {
  c.checkpoint_every.reset();
  return c;
}

}  // namespace

TEST_CASE("a checkpoint by the clock is made when the step is done", "[run][legs]") {
  struct Row {
    Duration interval;
    int checkpoints;
  };
  // Steps of 1 ms: of five each, of six each, one each, and none.
  for (const auto& [interval, checkpoints] :
       {Row{5ms, 5}, Row{4500us, 5}, Row{5001us, 4}, Row{6ms, 4}, Row{1ns, 29}, Row{30ms, 0}}) {
    CAPTURE(interval.count());
    Configuration c = timed("ring", interval);
    c.checkpoint_time = 1ms;
    const Observed seen = observed(c);
    CHECK(seen.checkpoints == checkpoints);
    // The time until the next one is counted from when all go on.
    CHECK(seen.result.summary.seconds == Approx(0.030 + 0.001 * checkpoints).epsilon(1e-9));
    const RunResult whole = run_small(in_one_piece(c));
    CHECK(seen.result.summary.model_hash == whole.summary.model_hash);
    CHECK(seen.result.summary.samples_computed == whole.summary.samples_computed);
    CHECK(seen.result.metrics.size() == whole.metrics.size());
    check_adds_up(seen.result);
  }
}

TEST_CASE("between two rounds of a scheme there is no checkpoint", "[run][legs]") {
  Configuration c = timed("local-sgd", 3ms);
  c.hyperparameters["period"] = 8.0;
  const Observed seen = observed(c);
  CHECK(seen.checkpoints == 3);  // after 8, 16 and 24 steps
  CHECK(seen.result.summary.model_hash == run_small(in_one_piece(c)).summary.model_hash);
  CHECK_FALSE(says(seen.result, "no checkpoint was made"));
  c.hyperparameters["period"] = 50.0;  // longer than the run
  const Observed none = observed(c);
  CHECK(none.checkpoints == 0);
  CHECK(says(none.result, "no checkpoint was made"));
  CHECK(says(none.result, "one of local-sgd takes 50 steps"));
  c.checkpoint_every = Duration{1h};
  CHECK(says(observed(c).result, "the run ended after 30 ms, before the first one was due"));
}

TEST_CASE("who goes ahead of others meets them as well", "[run][legs]") {
  Configuration c = timed("ps-async", 6500us);
  c.stragglers = {{1, 3.0}};
  const Observed seen = observed(c);
  CHECK(seen.checkpoints > 2);
  // The slow one's third step ends after 9 ms, and the others have done their seventh.
  CHECK(seen.result.accounts[0].wait >= 2ms * seen.checkpoints);
  CHECK(seen.result.summary.samples_computed == 120U * 10U);
  CHECK(seen.result.summary.samples == 120U * 10U);
  check_adds_up(seen.result);
}

TEST_CASE("the end of a run is the end of its last leg", "[run][legs]") {
  Configuration c = timed("ring", 5ms);
  c.steps.reset();
  c.epochs.reset();
  c.seconds = 12ms;
  const Observed seen = observed(c);
  CHECK(seen.checkpoints == 2);
  CHECK(seen.result.summary.seconds == Approx(0.012));
  c.seconds = 10ms;  // of the run and of a leg at once
  CHECK(observed(c).checkpoints == 1);
  Configuration rounds = timed("local-sgd", 3ms);
  rounds.hyperparameters["period"] = 8.0;
  rounds.steps.reset();
  rounds.epochs.reset();
  rounds.seconds = 13ms;  // in the midst of a round that a checkpoint waits for
  CHECK(observed(rounds).result.summary.seconds == Approx(0.013));
}

TEST_CASE("on threads each leg has a step, however soon it is to end", "[run][legs]") {
  for (const char* scheme : {"ring", "ps-sync", "ps-async", "hogwild"}) {
    CAPTURE(scheme);
    Configuration c = timed(scheme, Duration(1));
    const std::string hash = run_small(in_one_piece(c)).summary.model_hash;
    c.time = TimeMode::wall;
    c.compute_time.reset();
    const Observed seen = observed(c);
    CHECK(seen.checkpoints > 0);
    CHECK(seen.checkpoints < 120);
    CHECK(seen.result.summary.samples == 120U * 10U);
    if (find_scheme(scheme).order.pace == Pace::lockstep) {
      CHECK(seen.result.summary.model_hash == hash);
    }
  }
}

TEST_CASE("an interval is a number of epochs, or a time with its unit", "[run][legs]") {
  const Option& option = option_named("checkpoint-every");
  const auto set = [&](const std::string& text) {
    Configuration c;
    option.set(c, text, "--checkpoint-every");
    return c;
  };
  CHECK(std::get<double>(*set("0.5").checkpoint_every) == 0.5);
  CHECK(std::get<Duration>(*set("1.5min").checkpoint_every) == 90s);
  for (const char* text : {"0.5", "90s", "250us"}) {
    CAPTURE(text);
    CHECK(option.get(set(text)) == text);
    Configuration read;
    parse_configuration(configuration_text(set(text)), "text", read);
    CHECK(read.checkpoint_every == set(text).checkpoint_every);
  }
  for (const char* text : {"0", "-1", "0s", "5parsecs", "s"}) {
    CAPTURE(text);
    CHECK_THROWS_WITH(set(text), ContainsSubstring("--checkpoint-every"));
  }
}

}  // namespace trainyard
