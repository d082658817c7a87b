// What the machine lacks: threads, memory, time that passes.
#include <string>
#include <vector>

#include "app/program.hpp"
#include "data/files.hpp"
#include "support/catch.hpp"

namespace trainyard {

// A sanitizer takes terabytes of addresses, so they cannot be limited.
#if !defined(TRAINYARD_SANITIZED)
TEST_CASE("ranks for which there are no threads are said, and nothing hangs", "[app]") {
  const TemporaryFolder folder;
  // 64 stacks of 8 MB are more than 300 MB of addresses.
  const Outcome outcome = run_script(
      "ulimit -s 8192; ulimit -v 300000\n"
      "exec timeout -s KILL 60 $P run --time wall --workers 64 --steps 5 --quiet",
      folder.path());
  CHECK(outcome.status == 1);
  CHECK_THAT(outcome.errors, ContainsSubstring("cannot start 64 threads: after "));
}
#endif

TEST_CASE("a model that does not fit is refused, with the line that makes it large", "[app]") {
  const TemporaryFolder folder;
  folder.write("two.svm", "1 1:1\n-1 2000000000:1\n");
  const Outcome outcome = run_program({"run", "--dataset", "two.svm", "--workers", "2", "--batch",
                                       "1", "--model", "mlp:1000", "--steps", "1"},
                                      {.folder = folder.path()});
  CHECK(outcome.status == 1);
  CHECK_THAT(outcome.errors,
             ContainsSubstring("not enough memory: ") &&
                 ContainsSubstring("line 2 of two.svm has feature index 2000000000") &&
                 ContainsSubstring("--force-memory"));
}

TEST_CASE("a clock that stands still ends the run", "[app]") {
  const std::vector<std::vector<std::string>> cases{
      {"--scheme", "hogwild", "--bandwidth", "1Gbps"},
      {"--scheme", "ring", "--workers", "1", "--latency", "1ms"},
      {"--scheme", "gosgd", "--send-probability", "0", "--latency", "1ms"},
      {"--scheme", "local-sgd", "--period", "1000000000", "--latency", "1ms"},
      {"--scheme", "downpour", "--fetch-period", "1000000000", "--push-period", "1000000000",
       "--latency", "1ms"}};
  for (const auto& flags : cases) {
    INFO(flags[1]);
    std::vector<std::string> arguments{"run",       "--time", "virtual",   "--compute-time", "0s",
                                       "--seconds", "1s",     "--dataset", "dense-logistic"};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    const Outcome outcome = run_program(arguments);
    CHECK(outcome.status == 2);
    CHECK_THAT(outcome.errors,
               ContainsSubstring("--seconds: ") && ContainsSubstring("give --epochs or --steps"));
  }
}

TEST_CASE("a clock that moves late, or a run that ends by its steps, is let go on", "[app]") {
  const std::vector<std::vector<std::string>> cases{
      {"--scheme", "sequential", "--workers", "1", "--pause", "0.0002:1s", "--seconds", "1s"},
      {"--scheme", "local-sgd", "--period", "12000", "--latency", "1ms", "--seconds", "1ms"},
      {"--scheme", "ring", "--seconds", "1s", "--steps", "5"}};
  for (const auto& flags : cases) {
    INFO(flags[1]);
    std::vector<std::string> arguments{"run", "--time",    "virtual",          "--compute-time",
                                       "0s",  "--dataset", "dense-logistic",   "--batch",
                                       "1",   "--quiet",   "--evaluate-every", "1000"};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    CHECK(run_program(arguments).status == 0);
  }
}

TEST_CASE("a scheme that cannot run does not keep others from running", "[app]") {
  const Outcome outcome = run_program({"compare", "--schemes", "hogwild,gossip", "--workers", "4",
                                       "--time", "virtual", "--compute-time", "0s", "--seconds",
                                       "3ms", "--latency", "1ms", "--json", "--quiet"});
  CHECK(outcome.status == 2);
  CHECK_THAT(outcome.errors, ContainsSubstring("the clock stands still"));
  CHECK_THAT(outcome.output, ContainsSubstring("\"gossip\""));
}

TEST_CASE("an evaluation of many classes is not waited for", "[app]") {
  const TemporaryFolder folder;
  std::string rows;
  for (int row = 0; row < 70000; ++row) rows += std::to_string(row) + " 1:1 2:0.5\n";
  folder.write("classes.svm", rows);
  const Outcome outcome = run_program(
      {"run", "--dataset", "classes.svm", "--time", "wall", "--workers", "1", "--steps", "1"},
      {.folder = folder.path(), .signal_after = "placement"});
  CHECK(outcome.status == 130);
  CHECK_THAT(outcome.errors, ContainsSubstring("trainyard: interrupted"));
  CHECK(outcome.output.empty());  // there is nothing yet
}

}  // namespace trainyard
