// What people type who come from other programs.
#include <string>
#include <vector>

#include "app/program.hpp"
#include "data/files.hpp"
#include "support/catch.hpp"

namespace trainyard {

namespace {

struct Habit {
  std::vector<std::string> arguments;
  std::string says;
};

std::vector<Habit> habits() {
  return {
      {{"run", "rows.csv", "--dataset", "a9a"}, "'rows.csv' is a data set, and --dataset 'a9a' is"},
      {{"run", "gossip"}, "'gossip' is a scheme and no file"},
      {{"compare", "--schemes", "ring", "gossip"}, "commas between them and no blanks"},
      {{"run", "--latency", "100", "us"}, "'us' is no file; a number and its unit are one word"},
      {{"run", "--learning_rate", "0.1"}, "did you mean '--lr'?"},
      {{"run", "--batch_size", "8"}, "did you mean '--batch'?"},
      {{"run", "--test-size", "0.2"}, "did you mean '--test'?"},
      {{"run", "--label", "y"}, "did you mean '--label-column'?"},
      {{"run", "--sep", ";"}, "did you mean '--delimiter'?"},
      {{"run", "--sample-weight", "w"}, "did you mean '--weight-column'?"},
      {{"run", "--class_weight", "balanced"}, "did you mean '--class-weight'?"},
      {{"run", "--save", "x"}, "did you mean '--out'?"},
      {{"run", "--csv", "x"}, "did you mean '--dataset'?"},
      {{"run", "-o", "x"}, "did you mean '--out'?"},
      {{"run", "-v"}, "did you mean '--progress'?"},
      {{"run", "--early-stopping"}, "did you mean '--"},
      {{"help"}, "no command named 'help'; did you mean 'trainyard --help'?"},
      {{"fit", "rows.csv"}, "no command named 'fit'; did you mean 'trainyard run'?"},
      {{"compare", "--schemes", "ringg"}, "the nearest are ring,"},
  };
}

}  // namespace

TEST_CASE("flags and commands of other programs are understood, and not taken", "[app]") {
  const TemporaryFolder folder;
  folder.write("rows.csv", "1,2\n0,3\n");
  for (const Habit& habit : habits()) {
    const Outcome outcome = run_program(habit.arguments, {.folder = folder.path()});
    INFO(outcome.errors);
    CHECK(outcome.status == 2);
    CHECK_THAT(outcome.errors, ContainsSubstring(habit.says));
    // A hundred names are no help.
    CHECK(outcome.errors.size() < 400);
  }
}

TEST_CASE("a data file may stand where a configuration does", "[app]") {
  const TemporaryFolder folder;
  const std::string rows = "y;x\n0;1\n1;2\n0;3\n1;4\n";
  folder.write("rows.csv", rows);
  folder.write("rows", rows);
  folder.write("packed", gzipped("1 1:0.5\n0 2:1\n"));
  folder.write("run.toml", "[run]\nworkers = 2\n[data]\ndataset = \"rows.csv\"\n");
  folder.write("no-ending", "# mine\nrun.workers = 2\ndata.dataset = \"rows.csv\"\n");
  folder.write("adult", "39, Private, <=50K\n50, Private, >50K\n39, State, <=50K\n");
  for (const char* file : {"rows.csv", "rows", "packed", "run.toml", "no-ending"}) {
    const Outcome outcome = run_program(
        {"run", file, "--workers", "2", "--batch", "1", "--epochs", "1", "--compute-time", "1ms"},
        {.folder = folder.path()});
    INFO(outcome.errors);
    CHECK(outcome.status == 0);
    CHECK_THAT(outcome.output, ContainsSubstring("ring on "));
  }
  const Outcome adult = run_program({"run", "adult", "--label-column", "-1", "--workers", "2",
                                     "--batch", "1", "--epochs", "1", "--compute-time", "1ms"},
                                    {.folder = folder.path()});
  INFO(adult.errors);
  CHECK(adult.status == 0);
  const Outcome compared =
      run_program({"compare", "rows.csv", "--schemes", "ring,local-sgd", "--workers", "2",
                   "--batch", "1", "--epochs", "1", "--compute-time", "1ms", "--lr", "0.1"},
                  {.folder = folder.path()});
  INFO(compared.errors);
  CHECK(compared.status == 0);
}

}  // namespace trainyard
