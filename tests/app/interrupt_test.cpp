// Signals: what they keep, and how soon they end the program.
#include <chrono>
#include <string>

#include "app/program.hpp"
#include "app/results.hpp"
#include "data/files.hpp"
#include "support/catch.hpp"

namespace trainyard {

namespace fs = std::filesystem;

namespace {

const Words endless{"run",     "--time", "virtual",    "--workers", "2",      "--epochs",
                    "1000000", "--json", "--progress", "--out",     "results"};

}  // namespace

TEST_CASE("each signal that asks the program to end keeps the results so far", "[app]") {
  // `timeout` and a closing terminal send theirs twice.
  for (const int signal : {SIGTERM, SIGHUP}) {
    INFO("signal " << signal);
    const TemporaryFolder folder;
    const Outcome outcome = run_program(
        endless,
        {.folder = folder.path(), .signal_after = " samples/s", .signal = signal, .signals = 2});
    CHECK(outcome.status == 130);
    CHECK_THAT(outcome.errors, ContainsSubstring("trainyard: interrupted"));
    CHECK(Json::parse(outcome.output)["interrupted"] == true);
    check_results_folder(folder.path() / "results/ring");
  }
}

TEST_CASE("a run on threads ends at a signal, whatever it waits for, and keeps its results",
          "[app]") {
  for (const Words& waits : {Words{"gosgd", "--send-probability", "1", "--latency", "20ms"},
                             {"ring", "--latency", "200s"},
                             {"local-sgd", "--pause", "1:200s"},
                             {"ad-psgd", "--pause", "1:200s"},
                             {"gossip-pga", "--latency", "200s", "--charge-control"}}) {
    INFO(waits.front() << ' ' << waits[1]);
    const TemporaryFolder folder;
    Words words{"run",     "--time", "wall",       "--workers", "2",       "--epochs",
                "1000000", "--json", "--progress", "--out",     "results", "--scheme"};
    words.insert(words.end(), waits.begin(), waits.end());
    const auto began = std::chrono::steady_clock::now();
    const Outcome outcome = run_program(
        words, {.folder = folder.path(), .signal_after = "clock 0 s", .signal = SIGTERM});
    CHECK(std::chrono::steady_clock::now() - began < std::chrono::seconds(100));
    CHECK(outcome.status == 130);
    CHECK(Json::parse(outcome.output)["interrupted"] == true);
    check_results_folder(folder.path() / "results" / waits.front());
  }
}

TEST_CASE("a hangup that is ignored when the program begins stays ignored", "[app]") {
  const Outcome outcome =
      run_program({"run", "--time", "virtual", "--steps", "40", "--evaluate-every", "0.01",
                   "--json", "--progress"},
                  {.signal_after = " samples/s", .signal = SIGHUP, .ignored = SIGHUP});
  CHECK(outcome.status == 0);
  CHECK(Json::parse(outcome.output)["interrupted"] == false);
}

TEST_CASE("before there is anything to keep a signal ends the program at once", "[app]") {
  const TemporaryFolder folder;
  REQUIRE(run_script("mkfifo input.svm", folder.path()).status == 0);
  for (const std::string signal : {"INT", "TERM", "HUP"}) {
    for (const std::string command : {"run --dataset input.svm --out z --trace t.json",
                                      "compare --dataset input.svm --out z"}) {
      INFO(signal << " " << command);
      // Opening the pipe waits until the program reads from it, and then it waits for more.
      const Outcome outcome =
          run_script("\"$P\" " + command + " & program=$!; exec 3>input.svm; kill -" + signal +
                         " $program; wait $program",
                     folder.path());
      CHECK(outcome.status == 130);
      CHECK(outcome.errors == "trainyard: interrupted\n");
      CHECK(outcome.output.empty());
    }
  }
  for (const auto& entry : fs::directory_iterator(folder.path())) {
    CHECK(entry.path().filename() == "input.svm");
  }
}

TEST_CASE("one interrupt ends the wait for the reader of a pipe", "[app]") {
  const TemporaryFolder folder;
  const Outcome outcome = run_script(
      "mkfifo t.json; \"$P\" run --time virtual --steps 3 --json --quiet --trace t.json >output &\n"
      "program=$!; until [ -s output ] || ! kill -0 $program; do sleep 0.02; done\n"
      "kill -TERM $program; (sleep 5; kill -KILL $program) 2>/dev/null >&2 & wait $program; s=$?\n"
      "kill $!; cat output; exit $s",
      folder.path());
  CHECK(outcome.status == 130);
  CHECK_THAT(outcome.errors, ContainsSubstring("--trace: t.json was not written"));
  CHECK(Json::parse(outcome.output)["interrupted"] == false);
}

TEST_CASE("a second interrupt ends at once a program that does not end", "[app]") {
  const TemporaryFolder folder;
  // The trace is larger than a pipe, which is open here and read by nobody.
  const Outcome outcome = run_script(
      "mkfifo t.json; exec 3<>t.json; \"$P\" run --time virtual --steps 1000 --trace-steps 0:1000 "
      "--quiet --trace t.json >output &\n"
      "program=$!; until [ -s output ] || ! kill -0 $program; do sleep 0.02; done\n"
      "kill -TERM $program; sleep 0.6; kill -TERM $program; wait $program",
      folder.path());
  CHECK(outcome.status == 130);
  CHECK_THAT(outcome.errors, ContainsSubstring("trainyard: interrupted"));
}

}  // namespace trainyard
