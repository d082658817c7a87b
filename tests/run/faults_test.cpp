// Runs in which messages are lost and sent again, links are slow, and workers stand still.
#include "trainyard/network/faults.hpp"

#include <chrono>
#include <string>
#include <vector>

#include "trainyard/scheme/scheme.hpp"

#include "run/small_runs.hpp"
#include "support/catch.hpp"
#include "support/left_out.hpp"

namespace trainyard {
namespace {

using namespace std::chrono_literals;

void set_faults(Configuration& c, const std::string& text) {
  parse_faults(text, "--fault", c.network.faults);
  c.network.faults.retransmission = {.timeout = 3ms};
}

Configuration with_faults(const std::string& scheme, const std::string& text) {
  Configuration c = small_configuration(scheme);
  c.network.latency = 100us;
  c.network.bytes_per_second = 1e7;
  c.line_time = Duration{0};
  set_faults(c, text);
  return c;
}

double seconds_of(const Configuration& c) {
  return run_small(c).summary.seconds;
}

}  // namespace

TEST_CASE("with faults on its network every scheme ends, adds up and repeats", "[run][faults]") {
  for (const Scheme& scheme : schemes()) {
    INFO(scheme.name);
    Configuration c =
        with_faults(scheme.name,
                    "loss:gilbert:0.05,0.25,0.8,0.01+slow-link:1:3@5ms-20ms+stall:2@4ms-9ms"
                    "+partition:0-1|2-3@22ms-26ms");
    c.hyperparameters = {{"participation", 1.0}, {"delta", 0.5}};
    const RunResult once = run_small(c), again = run_small(c);
    CHECK(once.summary.model_hash == again.summary.model_hash);
    CHECK(once.summary.seconds == again.summary.seconds);
    CHECK(once.summary.tries_lost == again.summary.tries_lost);
    CHECK(once.summary.compute_s + once.summary.transfer_s + once.summary.wait_s ==
          Approx(once.summary.seconds).epsilon(1e-9));
    Configuration without = c;
    without.network.faults = {};
    const RunResult whole = run_small(without);
    CHECK(whole.summary.tries_lost == 0U);
    // Who waits for all learns the same, later.
    if (!by_arrival(scheme)) {
      CHECK(once.summary.model_hash == whole.summary.model_hash);
      CHECK(once.summary.messages == whole.summary.messages);
      CHECK(once.summary.bytes_sent == whole.summary.bytes_sent);
      CHECK(once.summary.seconds >= whole.summary.seconds);
    }
  }
}

TEST_CASE("a worker that stands still is late by as much", "[run][faults]") {
  // One worker alone: 60 minibatches of a millisecond.
  Configuration c = small_configuration("sequential");
  c.workers = 1;
  REQUIRE(seconds_of(c) == Approx(0.120));
  struct Row {
    const char* faults;
    double late_ms;
  };
  for (const auto& [faults, late_ms] : {
           Row{"stall:0@3ms-10ms", 7.0},
           Row{"stall:0@3.25ms-10ms", 6.75},                    // in the midst of a minibatch
           Row{"stall:0@3.25ms-3.5ms", 0.25},                   // all of it
           Row{"stall:0@1h-2h", 0.0},                           // not there any more
           Row{"stall:0@30ms-31ms+stall:0@3ms-10ms", 8.0},      // two, in any order
           Row{"stall:0@3ms-10ms+stall:0@5ms-12ms", 9.0},       // that overlap
           Row{"stall:0@3.5ms-4ms+stall:0@4.25ms-4.75ms", 1.0}  // in one minibatch
       }) {
    CAPTURE(faults);
    set_faults(c, faults);
    CHECK(seconds_of(c) == Approx(0.120 + 1e-3 * late_ms).epsilon(1e-9));
  }
}

TEST_CASE("who waits for all stands still with one, who does not goes on", "[run][faults]") {
  const auto late = [](const char* scheme) {
    Configuration c = small_configuration(scheme);
    const double whole = seconds_of(c);
    set_faults(c, "stall:2@3ms-13ms");
    return seconds_of(c) - whole;
  };
  CHECK(late("ring") == Approx(0.010));
  CHECK(late("ps-sync") == Approx(0.010));
  // The four share the passes: three do in 10 ms what the fourth does not, up to a minibatch.
  CHECK(late("ps-async") <= 0.010 / 4 + 0.001);
  CHECK(late("ps-async") > 0.0);
}

TEST_CASE("a message on its way to a worker that stands still arrives meanwhile", "[run][faults]") {
  // Of a ring of two with messages of 4 ms: what is sent at 1 ms is there at 5 ms.
  Configuration c = small_configuration("ring");
  c.workers = 2;
  c.steps = 1;
  c.network.latency = 4ms;
  REQUIRE(seconds_of(c) == Approx(0.009));
  set_faults(c, "stall:1@2ms-4ms");
  CHECK(seconds_of(c) == Approx(0.009));
  set_faults(c, "stall:1@2ms-6ms");  // it sends on at 6 ms
  CHECK(seconds_of(c) == Approx(0.010));
}

TEST_CASE("threads lose the same tries as simulated ranks", "[run][faults]") {
  Configuration c = with_faults("ring", "loss:0.2");
  c.network.faults.retransmission.timeout = 50us;
  const RunResult simulated = run_small(c);
  CHECK(simulated.summary.tries_lost > 0U);
  c.time = TimeMode::wall;
  c.compute_time.reset();
  const RunResult threads = run_small(c);
  CHECK(threads.summary.tries_lost == simulated.summary.tries_lost);
  CHECK(threads.summary.model_hash == simulated.summary.model_hash);
}

TEST_CASE("one that stands still shows nothing, nor do the others then", "[run][faults]") {
  for (const char* collective : {"by-size", "ps-colocated"}) {
    CAPTURE(collective);
    Configuration c = small_configuration("all-reduce");
    c.ingredients = {{"collective", collective}};
    const RunResult simulated = run_small(c);
    c.time = TimeMode::wall;
    c.compute_time.reset();
    set_faults(c, "stall:2@0ms-5ms");
    CHECK(run_small(c).summary.model_hash == simulated.summary.model_hash);
  }
}

TEST_CASE("who serves while it computes serves late what came while it stood", "[run][faults]") {
  // The others' gradients come while the minibatch is stopped, and the step ends as much later.
  for (const char* scheme : {"ddp", "ad-psgd", "uncoded", "ringmaster"}) {
    CAPTURE(scheme);
    Configuration c = with_faults(scheme, "stall:1@4500us-9ms+stall:1@11ms-12ms");
    c.network.faults.losses.clear();
    const RunResult once = run_small(c);
    Configuration whole = c;
    whole.network.faults = {};
    const double late = once.summary.seconds - run_small(whole).summary.seconds;
    CHECK(late >= 0.0);
    CHECK(late <= 0.0055 + 0.003);  // both stretches, and a step or two that they put out of pace
    CHECK(run_small(c).summary.model_hash == once.summary.model_hash);
  }
}

// What came while it stood still was handed over when the minibatch was done, behind what came
// when it moved again: chunks of a ring were then added to the wrong parts.
TEST_CASE("who stands still while it serves hears messages in their order", "[run][faults]") {
  Configuration c = small_configuration("ddp");
  c.batch = 2;
  c.steps = 2;
  c.compute_time = 100us;
  c.stragglers = {{0, 1.5}};
  c.network.latency = Duration{0};
  const RunResult whole = run_small(c);
  for (const char* stall : {"stall:2@0s-115us", "stall:2@50us-130us"}) {
    CAPTURE(stall);
    set_faults(c, stall);
    const RunResult once = run_small(c);
    CHECK(once.summary.model_hash == whole.summary.model_hash);
    CHECK(once.summary.seconds >= whole.summary.seconds);
  }
}

TEST_CASE("losses and time-outs that would never end are refused", "[run][faults]") {
  Configuration c = with_faults("ring", "loss:0.3");
  c.network.faults.retransmission.doubles = true;
  CHECK_THROWS_WITH(run_small(c), ContainsSubstring("--retransmit: of 30 % of the tries"));
  CHECK_NOTHROW(run_small(with_faults("ring", "loss:0.9")));
}

TEST_CASE("on threads a worker stands still by the machine's clock", "[run][faults]") {
  Configuration c = small_configuration("ring");
  c.time = TimeMode::wall;
  c.compute_time.reset();
  set_faults(c, "stall:2@0ms-40ms");
  CHECK(seconds_of(c) >= 0.040);
}

TEST_CASE("a run says what was lost", "[run][faults]") {
  Configuration c = with_faults("ring", "loss:0.2");
  std::vector<std::string> notes;
  RunHooks hooks;
  hooks.remark = [&](const std::string& note) { notes.push_back(note); };
  const RunResult result = run_small(c, hooks);
  const std::string lost = std::to_string(result.summary.tries_lost.value());
  std::string all;
  for (const std::string& note : notes) all += note + "\n";
  CHECK_THAT(all, ContainsSubstring("note: " + lost + " of the tries to send a message were lost"));
  CHECK_THAT(all, ContainsSubstring("made again after 3 ms; bytes and messages count once"));
}

TEST_CASE("faults name workers and ranks that are there", "[run][faults]") {
  CHECK_THROWS_WITH(run_small(with_faults("ring", "slow-link:0,5:2")),
                    ContainsSubstring("--fault: it names rank 5; there are ranks 0 to"));
  CHECK_THROWS_WITH(run_small(with_faults("ps-sync", "stall:4@0s-1s")),
                    ContainsSubstring("--fault: stall:4 is no worker"));
  CHECK_NOTHROW(run_small(with_faults("ps-sync", "slow-link:0,4:2")));
}

}  // namespace trainyard
