// A table whose column says whose rows they are: `--partition by:COLUMN`, from the file to scores.
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/program.hpp"
#include "data/files.hpp"
#include "support/catch.hpp"

namespace trainyard {

namespace {

using Json = nlohmann::json;
using Words = std::vector<std::string>;

Words with(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

/// Users have 4, 8, 16 and 32 rows, in turn as far as they go, whose labels x and a number of the
/// user's decide.
std::string rows_of_users() {
  std::string text = "user,x,y,left\n";
  for (int row = 0; row < 32; ++row) {
    for (int user = 0; user < 4; ++user) {
      if (row >= 4 << user) continue;
      const int x = (row * 7 + user * 3) % 11 - 5;
      text += fmt::format("u{},{},{},{}\n", user, x, row % 3, x + user > 1 ? "yes" : "no");
    }
  }
  return text;
}

const Words training{"--label-column", "left", "--workers", "4",       "--seed",         "3",
                     "--batch",        "2",    "--time",    "virtual", "--compute-time", "1ms",
                     "--lr",           "0.1"};

Json done(const Words& words, const ProgramOptions& here) {
  const Outcome outcome = run_program(with(words, {"--json"}), here);
  CAPTURE(outcome.errors);
  REQUIRE(outcome.status == 0);
  return Json::parse(outcome.output);
}

}  // namespace

TEST_CASE("each user's rows are one worker's", "[app]") {
  const TemporaryFolder folder;
  const ProgramOptions here{.folder = folder.path()};
  folder.write("rows.csv", rows_of_users());
  const Words rows{"--dataset", "rows.csv", "--label-column", "left", "--partition", "by:user"};
  const auto split_among = [&](const std::string& workers) {
    return done(with({"split", "--workers", workers, "--out", "w" + workers + ".split"}, rows),
                here)["rows_of_parts"];
  };
  CHECK(split_among("4") == Json{32, 16, 8, 4});
  CHECK(split_among("3") == Json{32, 16, 12});
  CHECK(split_among("2") == Json{32, 28});
  const Outcome refused =
      run_program(with({"split", "--workers", "5", "--out", "w5.split"}, rows), here);
  CHECK(refused.status == 2);
  CHECK_THAT(refused.errors,
             ContainsSubstring("--partition by:user: the training rows have 4 values in this "
                               "column, and there are 5 workers"));
}

TEST_CASE("federated averaging of users is the same on their split file", "[app]") {
  const TemporaryFolder folder;
  const ProgramOptions here{.folder = folder.path()};
  folder.write("rows.csv", rows_of_users());
  const Words of_users{"--dataset", "rows.csv", "--partition", "by:user"};
  done(with({"split", "--label-column", "left", "--workers", "4", "--seed", "3", "--out",
             "rows.split"},
            of_users),
       here);
  const Words run = with({"run", "--scheme", "fedavg", "--epochs", "4"}, training);
  const Outcome own = run_program(with(with(run, of_users), {"--out", "own", "--json"}), here);
  CAPTURE(own.errors);
  REQUIRE(own.status == 0);
  CHECK_THAT(own.errors,
             ContainsSubstring("column 'user' divides the rows among the workers, and is no "
                               "feature") &&
                 ContainsSubstring("note: workers have 4 to 32 of the 60 rows"));
  Words of_file{"run",        "--scheme",    "fedavg", "--epochs",  "4",       "--dataset",
                "rows.split", "--partition", "split",  "--workers", "4",       "--seed",
                "3",          "--batch",     "2",      "--time",    "virtual", "--compute-time",
                "1ms",        "--lr",        "0.1"};
  CHECK(Json::parse(own.output)["model_hash"] == done(of_file, here)["model_hash"]);
  // The model has two features, so it scores rows of users whom nobody knows.
  folder.write("new.csv", "x,y\n4,1\n-4,2\n");
  CHECK(run_program({"score", "own", "new.csv", "--out", "said.csv"}, here).status == 0);
  // Training goes on among the same workers.
  CHECK(run_program(with(with(run, of_users), {"--start", "own/fedavg"}), here).status == 0);
  CHECK_THAT(run_program({"run", "--dataset", "rows.split", "--partition", "by:user"}, here).errors,
             ContainsSubstring("does not keep the column"));
}

TEST_CASE("fewer classes a worker, and unequal numbers of rows", "[app]") {
  const TemporaryFolder folder;
  const ProgramOptions here{.folder = folder.path()};
  const auto parts = [&](const std::string& rule) {
    const Json split = done({"split", "--workers", "5", "--seed", "3", "--dataset", "blobs:1000",
                             "--force", "--out", "rows.split", "--partition", rule},
                            here);
    CHECK(split["partition"] == rule);
    return split["rows_of_parts"].get<std::vector<int>>();
  };
  int rows = 0;
  for (const int part : parts("size:0.5")) rows += part;
  CHECK(rows == 1000);
  rows = 0;
  for (const int part : parts("label-quantity:4")) rows += part;
  CHECK(rows == 1000);
}

TEST_CASE("partitions that are none are refused by name", "[app]") {
  struct Case {
    std::string rule, message;
  };
  const std::vector<Case> cases{
      {"size:0", "--partition: found 'size:0'; expected a concentration above 0"},
      {"label-quantity:0", "--partition: '0' is not a whole number from 1"},
      {"label-quantity:3", "partition 'label-quantity:3': the training rows are of 2 classes"},
      {"by:", "--partition: found 'by:'; expected a column behind it, by name or number"},
      {"by:user", "--partition by:user: the rows of this data set come from no CSV or TSV file"},
  };
  for (const Case& one : cases) {
    CAPTURE(one.rule);
    const Outcome outcome = run_program({"run", "--partition", one.rule});
    CHECK(outcome.status == 2);
    CHECK(outcome.output.empty());
    CHECK_THAT(outcome.errors, ContainsSubstring(one.message));
  }
}

}  // namespace trainyard
