// Standard input, output and error that are closed, full, or read by nobody.
#include <string>

#include "app/program.hpp"
#include "app/results.hpp"
#include "data/files.hpp"
#include "support/catch.hpp"

namespace trainyard {

namespace {

/// Two runs of it print the same bits.
const std::string run_line =
    "\"$P\" run --time virtual --compute-time 1ms --steps 20 --workers 4 --evaluate-every 0.01 ";

}  // namespace

TEST_CASE("a standard error that cannot be written costs only the messages", "[app]") {
  const TemporaryFolder folder;
  const Outcome plain = run_script(run_line + "--json --out plain", folder.path());
  REQUIRE(plain.status == 0);
  for (const std::string errors : {"2>/dev/full", "2>&-", "<&- 2>&-"}) {
    INFO(errors);
    CHECK(run_script("\"$P\" run --nosuch " + errors, folder.path()).status == 2);
    CHECK(run_script("\"$P\" " + errors, folder.path()).status == 2);
    const Outcome outcome =
        run_script(run_line + "--json --out z --force " + errors, folder.path());
    CHECK(outcome.status == 0);
    CHECK(outcome.output == plain.output);
    CHECK(outcome.errors.empty());
    check_results_folder(folder.path() / "z/ring");
    CHECK(read_file(folder.path() / "z/ring/metrics.jsonl") ==
          read_file(folder.path() / "plain/ring/metrics.jsonl"));
  }
}

TEST_CASE("whatever is to be printed, a standard output that cannot be written is an error",
          "[app]") {
  const TemporaryFolder folder;
  for (const std::string command :
       {"--help", "--version", "run --help", "list topologies", "list schemes", "machine",
        "timeline example-1.1", "topology ring", "run --time virtual --steps 1 --quiet"}) {
    for (const std::string output : {">/dev/full", ">&-"}) {
      INFO(command << " " << output);
      const Outcome outcome = run_script("\"$P\" " + command + " " + output, folder.path());
      CHECK(outcome.status == 1);
      CHECK(outcome.errors == "trainyard: cannot write standard output: " +
                                  std::string(output == ">&-" ? "Bad file descriptor\n"
                                                              : "No space left on device\n"));
    }
  }
}

TEST_CASE("a standard output that cannot be written does not cost the results on disk", "[app]") {
  const TemporaryFolder folder;
  for (const std::string output : {">/dev/full", ">&-"}) {
    const Outcome outcome =
        run_script(run_line + "--out z --trace t.json --force " + output, folder.path());
    CHECK(outcome.status == 1);
    check_results_folder(folder.path() / "z/ring");
    CHECK(Json::parse(read_file(folder.path() / "t.json")).contains("traceEvents"));
  }
}

TEST_CASE("a closed standard output is no other file", "[app]") {
  const TemporaryFolder folder;
  const Outcome outcome = run_script("\"$P\" timeline example-1.1 --svg / >&-", folder.path());
  CHECK(outcome.status == 2);
  CHECK(outcome.errors == "trainyard: --svg: / is a folder; a file is expected\n");
}

TEST_CASE("a reader who has seen enough ends the program without a word", "[app]") {
  const TemporaryFolder folder;
  for (const std::string& command :
       {run_line + "--quiet --out z", std::string("\"$P\" list schemes")}) {
    // The program starts when its reader has gone.
    const Outcome outcome = run_script("rm -f gone; mkfifo gone; { read line <gone; " + command +
                                           "; echo $? >status; } | { exec <&-; echo >gone; }; "
                                           "exit $(cat status)",
                                       folder.path());
    CHECK(outcome.status == 1);
    CHECK(outcome.errors.empty());
  }
  check_results_folder(folder.path() / "z/ring");
}

TEST_CASE("no name of a file or a label steers the terminal", "[app]") {
  const TemporaryFolder folder;
  const std::string name = "a\033[31m\u202eb.svm";
  folder.write(name, "1 1:1\n-1 1:2\n1 1:3\n-1 1:4\n");
  folder.write("c.toml",
               "[data]\ndataset = \"a\\u001b[31m\\u202eb.svm\"\n[[contestant]]\nscheme = \"ring\"\n"
               "label = \"r\\u001b[2J\\u202e\"\n[[contestant]]\nscheme = \"gossip\"\n");
  const ProgramOptions here{.folder = folder.path()};
  const Words short_run{"--workers", "2", "--batch", "1", "--steps", "2", "--progress"};
  const std::vector<Words> commands{
      Words{"run", "--dataset", name, "--time", "virtual"} + short_run,
      Words{"compare", "c.toml", "--time", "virtual"} + short_run,
      Words{"compare", "c.toml", "--time", "virtual", "--out", "saved\033[1m"} + short_run,
      Words{"report", "saved\033[1m"},
      Words{"split", "--dataset", name, "--workers", "2", "--out", "b\033[1m.split"},
      Words{"timeline", name},
      Words{"topology", "file:" + name, "--workers", "2"},
      Words{"list", "schemes", name},
      Words{"run", name},
      Words{"lab", "--export", name},
      Words{name}};
  for (const Words& words : commands) {
    const Outcome outcome = run_program(words, here);
    const std::string all = outcome.output + outcome.errors;
    CAPTURE(words, all);
    CHECK(!all.empty());
    CHECK(all.find('\033') == std::string::npos);
    CHECK(all.find("\u202e") == std::string::npos);
  }
}

}  // namespace trainyard
