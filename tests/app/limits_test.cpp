// What the machine lacks: threads, memory, time that passes.
#include <filesystem>
#include <string>
#include <vector>

#include "app/program.hpp"
#include "data/files.hpp"
#include "support/catch.hpp"
#include "support/control_group.hpp"

namespace trainyard {

// A sanitizer takes terabytes of addresses, files and threads of its own, so they cannot be
// limited.
#if !defined(TRAINYARD_SANITIZED)
TEST_CASE("ranks for which there are no threads are said, and nothing hangs", "[app]") {
  const TemporaryFolder folder;
  // 64 stacks of 8 MB are more than 450 MB of addresses. With an arena of its own for each thread
  // the allocator would take up to 128 MB more for it, as many of them as chance decides, and a
  // matrix would be the first that has no room in one run of ten.
  const Outcome outcome = run_script(
      "export MALLOC_ARENA_MAX=1\n"
      "ulimit -s 8192; ulimit -v 450000\n"
      "exec timeout -s KILL 60 $P run --time wall --workers 64 --steps 5 --quiet",
      folder.path());
  CHECK(outcome.status == 1);
  CHECK_THAT(outcome.errors, ContainsSubstring("cannot start 64 threads: after "));
}

TEST_CASE("too few open files are said as such, and leave nothing", "[app]") {
  const TemporaryFolder folder;
  const Outcome outcome = run_script(
      // What whoever started the tests has left open is one too many for the loader of libraries.
      "exec 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-; ulimit -n 4; $P run --time virtual --compute-time "
      "1ms --steps 2 --quiet --out results",
      folder.path());
  CHECK(outcome.status == 1);
  CHECK_THAT(outcome.errors, ContainsSubstring("Too many open files (ulimit -n allows 4)") &&
                                 !ContainsSubstring("exists"));
  CHECK(std::filesystem::is_empty(folder.path()));
}

TEST_CASE("where the system gives no thread that is said, with its limits", "[app]") {
  const TemporaryFolder folder;
  {
    const test::ControlGroup alone("pids", {{"pids.max", "1"}});
    if (!alone.is_there()) return;
    const Outcome none = run_script(
        alone.entering() + "exec $P run --time virtual --compute-time 1ms --steps 20 --quiet",
        folder.path());
    // oneTBB takes no thread where there is one core.
    if (none.status != 0) {
      CHECK(none.status == 1);
      CHECK_THAT(none.errors,
                 ContainsSubstring("cannot start a thread: the system gives no more; limits: ") &&
                     ContainsSubstring("pids.max of the control group 1"));
    }
  }
  const test::ControlGroup two("pids", {{"pids.max", "2"}});
  const Outcome wall = run_script(
      two.entering() + "exec $P run --time wall --workers 4 --steps 20 --quiet", folder.path());
  CHECK(wall.status == 1);
  CHECK_THAT(wall.errors, ContainsSubstring("cannot start 4 threads: after ") &&
                              ContainsSubstring("pids.max of the control group 2"));
  // Runs that would go on side by side take turns.
  const Outcome turns =
      run_script(two.entering() +
                     "exec $P compare --schemes ring,gossip --time virtual --compute-time 1ms "
                     "--steps 20 --jobs 2 --quiet",
                 folder.path());
  CHECK(turns.status == 0);
  CHECK_THAT(turns.output, ContainsSubstring("ring") && ContainsSubstring("gossip"));
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

TEST_CASE("a machine that hwloc may not look at has cores all the same", "[app]") {
  const TemporaryFolder folder;
  const std::string run = "$P run --workers 2 --steps 3 --compute-time 1ms --quiet --time ";
  const std::string blind = "HWLOC_COMPONENTS=-all,stop ";
  const Outcome machine = run_script(blind + "$P machine", folder.path());
  CHECK(machine.status == 0);
  CHECK_THAT(machine.output, ContainsSubstring("that hwloc does not know, "));
  const Outcome simulated = run_script(blind + run + "virtual", folder.path());
  CHECK(simulated.status == 0);
  CHECK(simulated.output == run_script(run + "virtual", folder.path()).output);
  const Outcome wall = run_script(blind + run + "wall", folder.path());
  CHECK(wall.status == 0);
  CHECK_THAT(wall.output, ContainsSubstring("ran on: "));
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
  for (int row = 0; row < 70000; ++row) rows += std::to_string(row / 2) + " 1:1 2:0.5\n";
  folder.write("classes.svm", rows);
  const Outcome outcome = run_program({"run", "--dataset", "classes.svm", "--time", "wall",
                                       "--workers", "1", "--steps", "1", "--out", "results"},
                                      {.folder = folder.path(), .signal_after = "placement"});
  CHECK(outcome.status == 130);
  CHECK_THAT(outcome.errors, ContainsSubstring("trainyard: interrupted"));
  CHECK(outcome.output.empty());  // there is nothing yet
  CHECK(!std::filesystem::exists(folder.path() / "results"));
}

}  // namespace trainyard
