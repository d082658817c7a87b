// `trainyard split`, and runs on what it writes.
#include <string>
#include <vector>

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

Json summary_of(const Words& more, const ProgramOptions& here) {
  const Words run{"run",    "--scheme", "gossip",         "--steps", "50",     "--lr", "1",
                  "--time", "virtual",  "--compute-time", "1ms",     "--seed", "3",    "--json"};
  const Outcome outcome = run_program(with(run, more), here);
  CAPTURE(outcome.errors);
  REQUIRE(outcome.status == 0);
  return Json::parse(outcome.output);
}

}  // namespace

TEST_CASE("a run on a split file gives the model of a run that divides the rows itself", "[app]") {
  const TemporaryFolder folder;
  const ProgramOptions here{.folder = folder.path()};
  const Words four{"--workers", "4"};
  const Words data{"--dataset", "sparse-logistic:3000", "--partition", "shards", "--intercept"};
  const Outcome split = run_program(
      with({"split", "--workers", "4", "--seed", "3", "--out", "rows.split"}, data), here);
  CAPTURE(split.errors);
  REQUIRE(split.status == 0);
  CHECK_THAT(split.errors, ContainsSubstring("rows.split: 3000 rows of sparse-logistic:3000 in 4 "
                                             "parts of 750 rows, by shards with seed 3"));
  const Words written{"--dataset", "rows.split", "--partition", "split"};
  const Json own = summary_of(with(data, four), here),
             of_file = summary_of(with(written, four), here);
  CHECK(of_file["model_hash"] == own["model_hash"]);
  CHECK(of_file["bytes_sent"] == own["bytes_sent"]);
  // Sums over all rows, which lie in another order.
  CHECK(of_file["train_loss"].get<double>() ==
        Approx(own["train_loss"].get<double>()).epsilon(1e-9));
  CHECK(of_file["test_accuracy"] == own["test_accuracy"]);
  // Another rule divides its rows anew, as those of any file.
  CHECK(summary_of({"--dataset", "rows.split", "--workers", "3"}, here)["workers"] == 3);
}

TEST_CASE("split --json says what was written", "[app]") {
  const TemporaryFolder folder;
  const Outcome split = run_program({"split", "--workers", "3", "--seed", "3", "--dataset",
                                     "blobs:100", "--out", "rows.split", "--json"},
                                    {.folder = folder.path()});
  CAPTURE(split.errors);
  REQUIRE(split.status == 0);
  const Json document = Json::parse(split.output);
  CHECK(document["file"] == "rows.split");
  CHECK(document["dataset"] == "blobs:100");
  CHECK(document["parts"] == 3);
  CHECK(document["rows_of_parts"] == Json{34, 33, 33});
  CHECK(document["partition"] == "iid");
  CHECK(document["seed"] == 3);
}

TEST_CASE("least squares are split with labels that are real numbers", "[app]") {
  const TemporaryFolder folder;
  const ProgramOptions here{.folder = folder.path()};
  folder.write("rows.txt", "1.5 1:1\n-0.25 2:1\n0.5 1:1 2:2\n3 2:0.5\n");
  const Words split{"split", "--dataset", "rows.txt", "--workers", "2"};
  REQUIRE(
      run_program(with(split, {"--model", "least-squares", "--out", "real.split"}), here).status ==
      0);
  const Outcome run = run_program(
      {"run", "--scheme", "ring", "--workers", "2", "--dataset", "real.split", "--partition",
       "split", "--batch", "1", "--time", "virtual", "--compute-time", "1ms", "--json"},
      here);
  CAPTURE(run.errors);
  REQUIRE(run.status == 0);
  CHECK(Json::parse(run.output)["model"]["name"] == "least-squares");
}

TEST_CASE("what a split file has no room for is refused", "[app]") {
  const TemporaryFolder folder;
  const ProgramOptions here{.folder = folder.path()};
  const Words split{"split", "--dataset", "blobs", "--workers", "2"};
  REQUIRE(run_program(with(split, {"--out", "b.split"}), here).status == 0);
  struct Case {
    Words words;
    int status;
    std::string message;
  };
  const std::vector<Case> cases{
      {split, 2, "--out: a split is written into a file"},
      {with(split, {"--out", "b.split"}), 2, "b.split exists; --force overwrites it"},
      {with(split, {"--out", "no/folder"}), 2, "no/folder cannot be written"},
      {with(split, {"--out", "c", "--order", "file"}), 2, "no flag named '--order'"},
      {with(split, {"--out", "c", "--workers", "1000000"}), 2, "--workers"},
      {with(split, {"--out", "c", "--partition", "split"}), 2, "were not divided beforehand"},
      {{"run", "--dataset", "b.split", "--partition", "split"},
       2,
       "among 2 workers, and there are"},
      {{"run", "--partition", "split"}, 2, "were not divided beforehand"},
      {{"run", "--dataset", "b.split", "--scale", "standard"}, 2, "--scale standard: b.split has"},
      {{"run", "--dataset", "b.split", "--intercept"}, 2, "--intercept: b.split has its rows"},
      {{"run", "--dataset", "b.split", "--test", "every-fifth"}, 2, "--test every-fifth: b.split"},
      {{"run", "--dataset", "b.split", "--data-format", "csv"}, 2, "--data-format csv: b.split"},
      {{"run", "--dataset", "b.split", "--columns", "a"}, 2, "which takes --header"},
      {{"run", "--dataset", "b.split", "--model", "least-squares"}, 3, "its labels are classes"},
  };
  for (const Case& one : cases) {
    const Outcome outcome = run_program(one.words, here);
    CAPTURE(one.message, outcome.errors);
    CHECK(outcome.status == one.status);
    CHECK(outcome.output.empty());
    CHECK_THAT(outcome.errors, ContainsSubstring(one.message));
  }
  CHECK(run_program(with(split, {"--out", "b.split", "--force"}), here).status == 0);
  const Outcome piped = run_program(with(split, {"--out", "/dev/stdout"}), here);
  CHECK(piped.output == read_file(folder.path() / "b.split"));
  CHECK_THAT(run_program(with(split, {"--out", "-", "--labels", "x"}), here).errors,
             ContainsSubstring("note: --labels has no effect: 'blobs' is generated"));
}

}  // namespace trainyard
