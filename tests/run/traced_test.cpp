// Runs whose workers are down when a file says so.
#include <chrono>
#include <string>

#include "trainyard/base/error.hpp"
#include "trainyard/run/checkpoint.hpp"

#include "data/files.hpp"
#include "run/small_runs.hpp"
#include "support/catch.hpp"

namespace trainyard {
namespace {

using namespace std::chrono_literals;

/// Four workers and 30 steps of a millisecond, with a checkpoint after each five.
Configuration with_faults(const std::string& faults, OnFailure on_failure) {
  Configuration c = small_configuration("ring");
  c.steps = 30;
  c.epochs.reset();
  if (on_failure == OnFailure::restart) c.checkpoint_every = 5.0 / 15.0;
  c.network.faults.on_failure = on_failure;
  c.network.faults.detection = 5ms;
  parse_faults(faults, "--fault", c.network.faults);
  return c;
}

class Traces {
 public:
  /// The fault whose file has this text.
  std::string trace(const std::string& text) {
    return "trace:" + folder_.write("trace" + std::to_string(++files_), text).string();
  }

 private:
  TemporaryFolder folder_;
  int files_ = 0;
};

void check_same(const RunResult& a, const RunResult& b) {
  CHECK(a.summary.model_hash == b.summary.model_hash);
  CHECK(a.summary.seconds == b.summary.seconds);
  CHECK(a.summary.crashes == b.summary.crashes);
  CHECK(a.summary.lost_s == b.summary.lost_s);
  CHECK(a.summary.samples_computed == b.summary.samples_computed);
}

}  // namespace

TEST_CASE("a trace is the crashes that it says", "[run][crash]") {
  Traces files;
  const std::string back = files.trace("12.5,remove,2\n20,add,2\n24,remove,1\n25,add,1\n");
  const std::string named = "crash:2@12500us-20ms+crash:1@24ms-25ms";
  for (const OnFailure rule :
       {OnFailure::wait, OnFailure::stop, OnFailure::restart, OnFailure::shrink}) {
    CAPTURE(on_failure_text(rule));
    const RunResult traced = run_small(with_faults(back, rule));
    check_same(traced, run_small(with_faults(named, rule)));
    check_adds_up(traced);
    CHECK(traced.summary.seconds > (rule == OnFailure::stop ? 0.012 : 0.0305));
  }
  const std::string gone = files.trace("17.5,remove,2\n");
  for (const OnFailure rule : {OnFailure::wait, OnFailure::stop, OnFailure::shrink}) {
    CAPTURE(on_failure_text(rule));
    const RunResult traced = run_small(with_faults(gone, rule));
    check_same(traced, run_small(with_faults("crash:2@17500us", rule)));
    CHECK(says(traced, "worker 2 crashed at 17.5 ms for good") == (rule == OnFailure::wait));
  }
}

TEST_CASE("who comes late or again and again is down meanwhile", "[run][crash]") {
  Traces files;
  check_same(run_small(with_faults(files.trace("4,add,0\n"), OnFailure::wait)),
             run_small(with_faults("crash:0@0s-4ms", OnFailure::wait)));
  // One client for all four workers: down for 3 of every 10 ms, of a run of 30 ms of work.
  const std::string client =
      files.trace(R"({"7": {"active": [0], "inactive": [0.007], "finish_time": 0.01}})");
  const RunResult telephones = run_small(with_faults(client, OnFailure::wait));
  CHECK(telephones.summary.seconds == Approx(0.030 + 4 * 0.003));
  // A node is gone, and another takes its place at once.
  const std::string spare =
      files.trace("0,add,a\n0,add,b\n0,add,c\n0,add,d\n0,add,e\n12.5,remove,c\n");
  check_same(run_small(with_faults(spare, OnFailure::restart)),
             run_small(with_faults("crash:2@12500us-12500us", OnFailure::restart)));
}

TEST_CASE("a trace that does not fit its run is refused by its line", "[run][crash]") {
  Traces files;
  const auto refusal = [](const Configuration& c) -> std::string {
    try {
      (void)run_small(c);
    } catch (const OptionError& error) {
      return error.what();
    }
    return "";
  };
  const std::string fifth = files.trace("1,remove,0\n2,add,0\n3,remove,4\n");
  CHECK_THAT(refusal(with_faults(fifth, OnFailure::wait)),
             ContainsSubstring("--fault: " + fifth + ":3: there is no worker 4; they are 0 to 3"));
  const std::string gone = files.trace("17.5,remove,2\n");
  CHECK_THAT(refusal(with_faults(gone, OnFailure::restart)),
             ContainsSubstring(gone + " does not say when worker 2 is back"));
  Configuration on_threads = with_faults(gone, OnFailure::wait);
  on_threads.time = TimeMode::wall;
  on_threads.compute_time.reset();
  CHECK_THAT(refusal(on_threads), ContainsSubstring("in simulated time alone"));
}

TEST_CASE("a resumed run wants the trace that it had", "[run][crash]") {
  const TemporaryFolder folder;
  const auto trace = folder.write("trace", "12.5,remove,2\n20,add,2\n");
  Configuration c = with_faults("trace:" + trace.string(), OnFailure::restart);
  c.checkpoint = folder.path() / "saved";
  const RunResult whole = run_small(c);
  const auto resume = [&](const std::string& force) {
    FoundCheckpoint found = latest_checkpoint(c.checkpoint);
    Configuration asked;
    asked.resume = c.checkpoint;
    asked.force_resume = force;
    RunHooks hooks;
    hooks.resumed = &found.archive;
    return run_small(resumed_configuration(found, asked), hooks);
  };
  CHECK(resume("").summary.model_hash == whole.summary.model_hash);
  folder.write("trace", "12.5,remove,2\n29,add,2\n");
  CHECK_THROWS_WITH(resume(""), ContainsSubstring("the trace of faults holds something else") &&
                                    ContainsSubstring("--force-resume fault"));
  CHECK(resume("fault").summary.model_hash == whole.summary.model_hash);
}

}  // namespace trainyard
