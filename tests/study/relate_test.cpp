#include "trainyard/study/relate.hpp"

#include <string>
#include <vector>

#include "report/results.hpp"
#include "support/catch.hpp"

namespace trainyard {

namespace {

/// What is said of a run that comes to its target within the first evaluation, looked at each half
/// of a pass, whose steps are each so much of one.
std::string said_of_early(double step_epochs) {
  std::vector<RunResult> runs;
  runs.push_back(bare_result("ring"));
  RunResult& run = runs.front();
  run.resolved.target_loss = 0.4;
  run.resolved.evaluate_every = 0.5;
  run.summary.steps = 10.0;
  run.summary.epochs = 10.0 * step_epochs;
  run.summary.seconds_to_target = run.summary.epochs_to_target = 1.0;
  std::string said;
  relate(runs, [&](const std::string& text) { said += text + "\n"; });
  return said;
}

}  // namespace

TEST_CASE("who is there by the first evaluation is advised to look as often as steps allow",
          "[study]") {
  CHECK_THAT(said_of_early(0.01),
             ContainsSubstring("--evaluate-every 0.05 looks ten times as often"));
  CHECK_THAT(said_of_early(0.128), ContainsSubstring("--evaluate-every 0.13 looks at every step"));
  CHECK_THAT(said_of_early(0.4), ContainsSubstring("nothing can look oftener"));
}

TEST_CASE("a loss below which some begin is no common target", "[study]") {
  for (const double start : {0.5, 0.3}) {  // the lowest that both hold is 0.35
    std::vector<RunResult> runs;
    for (const double first : {0.7, start}) {
      runs.push_back(bare_result("ring"));
      std::vector<Metrics>& metrics = runs.back().metrics;
      metrics = {{.step = 0.0, .train_loss = first},
                 {.step = 1.0, .seconds = 1.0, .train_loss = first / 2.0},
                 {.step = 2.0, .seconds = 2.0, .train_loss = first / 2.0}};
    }
    std::string said;
    relate(runs, [&](const std::string& text) { said += text + "\n"; });
    CAPTURE(start, said);
    CHECK(runs.front().summary.seconds_to_target.has_value() == (start == 0.5));
    CHECK((said.find("no common target") != std::string::npos) == (start == 0.3));
  }
}

TEST_CASE("a run that a crash has ended sets no common target", "[study]") {
  std::vector<RunResult> runs;
  for (const double end : {0.3, 0.6}) {
    runs.push_back(bare_result("ring"));
    runs.back().metrics = {{.step = 0.0, .train_loss = 0.7},
                           {.step = 1.0, .seconds = 1.0, .train_loss = end}};
  }
  runs.back().summary.crashed = true;
  relate(runs, [](const std::string&) {});
  CHECK(runs.front().summary.target_loss == 0.3);
}

TEST_CASE("a run at two values of what its scheme does not take counts once", "[study]") {
  std::vector<RunResult> runs;
  for (const char* topology : {"ring", "full"}) {
    runs.push_back(bare_result("ring"));
    runs.back().resolved.target_loss = 0.4;
    runs.back().summary.steps = 100.0;
    runs.back().summary.epochs = 1.0;
    runs.back().summary.varied = {{"topology", topology}};
    runs.back().summary.seconds_to_target = runs.back().summary.epochs_to_target = 1.0;
  }
  std::string said;
  relate(runs, [&](const std::string& text) { said += text + "\n"; });
  CHECK_THAT(said, ContainsSubstring("warning: 1 of 1 runs that reached the target"));
}

TEST_CASE("a speed-up over a slowed worker is said to be one", "[study]") {
  for (const int slowed : {0, 3}) {
    std::vector<RunResult> runs;
    for (const char* scheme : {"sequential", "ring"}) runs.push_back(bare_result(scheme));
    for (RunResult& run : runs) {
      run.resolved.target_loss = 0.4;
      run.resolved.stragglers = {{slowed, 5.0}};
      run.summary.seconds_to_target = run.summary.epochs_to_target = 1.5;
      run.metrics[1].seconds = 1.0;
    }
    std::string said;
    relate(runs, [&](const std::string& text) { said += text + "\n"; });
    CAPTURE(slowed, said);
    CHECK((said.find("over a slowed machine") != std::string::npos) == (slowed == 0));
  }
}

}  // namespace trainyard
