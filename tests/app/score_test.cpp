// `trainyard score`, on models that `trainyard run` has written.
#include <algorithm>
#include <cmath>
#include <filesystem>
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

constexpr const char* customers = TRAINYARD_SOURCE_DIR "/docs/data/customers.csv";

Outcome done(const Words& words, const ProgramOptions& here) {
  Outcome outcome = run_program(words, here);
  CAPTURE(outcome.errors);
  REQUIRE(outcome.status == 0);
  return outcome;
}

void train(const Words& more, const ProgramOptions& here) {
  Words words{"run",     "--steps", "60",       "--workers", "2",
              "--batch", "8",       "--scheme", "ring",      "--out",
              "answer",  "--time",  "virtual",  "--quiet",   "--compute-time",
              "1ms"};
  words.insert(words.end(), more.begin(), more.end());
  if (std::ranges::count(more, "--lr") == 0) words.insert(words.end(), {"--lr", "0.5"});
  done(words, here);
}

const Words of_customers{"--dataset", customers, "--label-column", "left",       "--drop-columns",
                         "id",        "--scale", "standard",       "--intercept"};

Words with(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

std::size_t lines_of(const std::string& text) {
  return static_cast<std::size_t>(std::ranges::count(text, '\n'));
}

}  // namespace

TEST_CASE("a model scores the rows it was tested on as its run did", "[app][score]") {
  const TemporaryFolder folder;
  const ProgramOptions here{.folder = folder.path()};
  train(with(of_customers, {"--missing", "mean", "--test", customers}), here);
  const Json summary = Json::parse(read_file(folder.path() / "answer/ring/summary.json"));
  const Json scored = Json::parse(done({"score", "answer", customers, "--json"}, here).output);
  CHECK(scored["rows"] == 600);
  CHECK(scored["measures"]["accuracy"].get<double>() ==
        Approx(summary["test_accuracy"].get<double>()).epsilon(1e-12));
  CHECK(scored["measures"]["loss"].get<double>() ==
        Approx(summary["test_loss"].get<double>()).epsilon(1e-6));
  CHECK(scored["missing_fields"] == 28);
}

TEST_CASE("a document of scores has the curves of what it measures", "[app][score]") {
  const TemporaryFolder folder;
  const ProgramOptions here{.folder = folder.path()};
  train(with(of_customers, {"--missing", "mean"}), here);
  const Outcome outcome =
      done({"score", "answer", customers, "--json", "--html", "page.html"}, here);
  const Json scored = Json::parse(outcome.output);
  CHECK(scored["model"] == "answer");
  CHECK(scored["file"] == customers);
  CHECK(scored["notes"] == Json::array());
  const Json& classes = scored["measures"]["classes"];
  CHECK(classes[0]["curve"].is_null());  // of two classes that of the second
  const Json& curve = classes[1]["curve"];
  CHECK(curve["threshold"][0].is_null());
  CHECK(curve["recall"].back() == 1.0);
  // Where the threshold is a half, the class's own precision and recall.
  std::size_t at = 0;
  while (at + 1 < curve["threshold"].size() && curve["threshold"][at + 1].get<double>() > 0.5) ++at;
  CHECK(std::abs(curve["recall"][at].get<double>() - classes[1]["recall"].get<double>()) < 0.005);
  CHECK(std::abs(curve["precision"][at].get<double>() - classes[1]["precision"].get<double>()) <
        0.005);
  CHECK_THAT(read_file(folder.path() / "page.html"), ContainsSubstring("data-kind=\"score\""));
  const Outcome again = run_program({"score", "answer", customers, "--html", "page.html"}, here);
  CHECK(again.status != 0);
  CHECK_THAT(again.errors, ContainsSubstring("page.html") && ContainsSubstring("--force"));
}

TEST_CASE("what score reads is never what it writes", "[app][score]") {
  const TemporaryFolder folder;
  const ProgramOptions here{.folder = folder.path()};
  train(with(of_customers, {"--missing", "mean"}), here);
  std::filesystem::copy_file(customers, folder.path() / "rows.csv");
  const auto refused = [&](const Words& more) {
    const Outcome outcome =
        run_program(with({"score", "answer", "rows.csv", "--force"}, more), here);
    CHECK(outcome.status == 2);
    return outcome.errors;
  };
  const std::string model = read_file(folder.path() / "answer/ring/model.json");
  CHECK_THAT(refused({"--html", "rows.csv"}), ContainsSubstring("is a file that is read"));
  CHECK_THAT(refused({"--out", "./rows.csv"}), ContainsSubstring("is a file that is read"));
  CHECK_THAT(refused({"--html", "answer/ring/model.json"}), ContainsSubstring("is read"));
  CHECK_THAT(refused({"--out", "one.csv", "--html", "./one.csv"}),
             ContainsSubstring("--out as well"));
  CHECK_THAT(refused({"--out", "said"}), ContainsSubstring("ends in .csv or .npy, or -"));
  CHECK(read_file(folder.path() / "answer/ring/model.json") == model);
  CHECK(read_file(folder.path() / "rows.csv") == read_file(customers));
  const Outcome dashed = done({"score", "answer", "rows.csv", "--out", "-"}, here);
  CHECK(dashed.output.starts_with("label,class,"));
  CHECK_FALSE(std::filesystem::exists(folder.path() / "-"));
}

TEST_CASE("rows that all lack a field have no prediction, and that is said", "[app][score]") {
  const TemporaryFolder folder;
  const ProgramOptions here{.folder = folder.path()};
  train(with(of_customers, {"--missing", "drop"}), here);
  folder.write("gaps.csv",
               "age,plan,months,complaints,monthly,left\n48,family,42,1,,yes\n"
               "34,family,,0,24.09,no\n");
  const Outcome scored = done({"score", "answer", "gaps.csv", "--out", "said.csv"}, here);
  CHECK_THAT(scored.output, ContainsSubstring("no row has a prediction, so nothing is measured"));
}

TEST_CASE("predictions of a file and of a pipe are the same", "[app][score]") {
  const TemporaryFolder folder;
  const ProgramOptions here{.folder = folder.path()};
  train(with(of_customers, {"--missing", "mean"}), here);
  const Outcome of_file = done({"score", "answer/ring", customers}, here);
  CHECK(of_file.output.starts_with("label,class,p_no,p_yes\n"));
  CHECK(lines_of(of_file.output) == 601);
  CHECK_THAT(of_file.errors, ContainsSubstring("accuracy"));
  const Outcome of_pipe =
      run_script(fmt::format("cat '{}' | $P score answer - ", customers), folder.path());
  CHECK(of_pipe.output == of_file.output);
  done({"score", "answer", customers, "--out", "said.csv"}, here);
  CHECK(read_file(folder.path() / "said.csv") == of_file.output);
  const Outcome refused = run_program({"score", "answer", customers, "--out", "said.csv"}, here);
  CHECK(refused.status == 2);
  CHECK_THAT(refused.errors, ContainsSubstring("--force overwrites it"));
  done({"score", "answer", customers, "--out", "said.npy"}, here);
  CHECK(read_file(folder.path() / "said.npy").size() == 128 + 600 * 2 * 4);
}

TEST_CASE("rows without labels are scored, and nothing is measured", "[app][score]") {
  const TemporaryFolder folder;
  const ProgramOptions here{.folder = folder.path()};
  train(with(of_customers, {"--missing", "mean"}), here);
  const std::string file =
      folder
          .write("new.csv", "plan,age,months,complaints,monthly\nfamily,30,4,2,19\nother,,1,0,5\n")
          .string();
  const Outcome scored = done({"score", "answer", file}, here);
  CHECK(scored.output.starts_with("class,p_no,p_yes\n"));
  CHECK(lines_of(scored.output) == 3);
  CHECK_THAT(scored.errors, ContainsSubstring("1 missing field was filled as in training"));
  CHECK_THAT(scored.errors, ContainsSubstring("1 word was not seen in training"));
  CHECK_THAT(scored.errors, ContainsSubstring("labels are not there, or passed over, so nothing"));
  const Outcome ignored = done({"score", "answer", customers, "--no-labels"}, here);
  CHECK(ignored.output.starts_with("class,p_no,p_yes\n"));
}

TEST_CASE("rows that lack a field have no prediction where training left them out",
          "[app][score]") {
  const TemporaryFolder folder;
  const ProgramOptions here{.folder = folder.path()};
  train(with(of_customers, {"--missing", "drop"}), here);
  const Outcome scored = done({"score", "answer", customers}, here);
  CHECK(lines_of(scored.output) == 601);
  CHECK_THAT(scored.output, ContainsSubstring("\nno,,,\n"));
  CHECK_THAT(scored.errors, ContainsSubstring("have no prediction, as they lack a field"));
}

TEST_CASE("files that the model cannot score are refused by name", "[app][score]") {
  const TemporaryFolder folder;
  const ProgramOptions here{.folder = folder.path()};
  train(with(of_customers, {"--missing", "error", "--columns", "age,plan"}), here);
  const auto refused = [&](const Words& words, int status) {
    const Outcome outcome = run_program(words, here);
    CHECK(outcome.status == status);
    CHECK(outcome.output.empty());
    return outcome.errors;
  };
  const std::string narrow = folder.write("narrow.csv", "plan,months\nbasic,3\n").string();
  CHECK_THAT(refused({"score", "answer", narrow}, 3), ContainsSubstring("no column 'age'"));
  const std::string unseen =
      folder.write("unseen.csv", "plan,age,left\nbasic,3,perhaps\n").string();
  CHECK_THAT(refused({"score", "answer", unseen}, 3),
             ContainsSubstring("found label 'perhaps'; expected one of no, yes"));
  const std::string lacking = folder.write("lacking.csv", "plan,age\nbasic,\n").string();
  CHECK_THAT(refused({"score", "answer", lacking}, 3), ContainsSubstring("found an empty field"));
  const std::string sparse = folder.write("rows.svm", "1 1:1\n").string();
  CHECK_THAT(refused({"score", "answer", sparse}, 3), ContainsSubstring("columns of a table"));
  CHECK_THAT(refused({"score", "nowhere", narrow}, 2),
             ContainsSubstring("nowhere: no such folder"));
  CHECK_THAT(refused({"score", folder.path().string(), narrow}, 2),
             ContainsSubstring("model.json"));
  CHECK_THAT(refused({"score", "answer"}, 2),
             ContainsSubstring("expected the folder of a run and"));
}

TEST_CASE("a missing field of a column that never changes is missing all the same",
          "[app][score]") {
  const TemporaryFolder folder;
  const ProgramOptions here{.folder = folder.path()};
  std::string rows = "k,x,y\n";
  for (int row = 0; row < 16; ++row)
    rows += fmt::format("7,{},{}\n", row, row % 2 == 0 ? "a" : "b");
  folder.write("rows.csv", rows);
  folder.write("new.csv", "k,x\n,1\n7,\n7,2\n");
  train(
      {"--dataset", "rows.csv", "--label-column", "y", "--missing", "drop", "--scale", "standard"},
      here);
  const std::string said = done({"score", "answer", "new.csv"}, here).output;
  CHECK(said.starts_with("class,p_a,p_b\n,,\n,,\n"));
  CHECK(lines_of(said) == 4);
}

TEST_CASE("rows of a pipe are of the training file's format", "[app][score]") {
  const TemporaryFolder folder;
  train(with(of_customers, {"--missing", "mean"}), {.folder = folder.path()});
  const Outcome named = run_script(
      fmt::format("mkfifo rows; cat '{}' > rows & $P score answer rows", customers), folder.path());
  CHECK(lines_of(named.output) == 601);
  const Outcome predicted = run_script("$P predict answer rows.csv", folder.path());
  CHECK(predicted.status == 2);
  CHECK_THAT(predicted.errors, ContainsSubstring("trainyard score answer FILE"));
}

TEST_CASE("models of every kind are stored and scored", "[app][score]") {
  for (const Words& kind :
       {Words{"--model", "logistic", "--dataset", "sparse-logistic:500"},
        Words{"--model", "softmax", "--dataset", "blobs"},
        Words{"--model", "mlp:8", "--dataset", "blobs"},
        Words{"--model", "least-squares", "--dataset", "dense-logistic:500", "--lr", "0.01"}}) {
    const TemporaryFolder folder;
    const ProgramOptions here{.folder = folder.path()};
    CAPTURE(kind);
    train(kind, here);
    const Json json = Json::parse(read_file(folder.path() / "answer/ring/model.json"));
    CHECK(json["model"] == kind[1]);
    const auto features = json["rows"]["features"].get<int>();
    const bool sparse = json["rows"]["sparse"].get<bool>();
    if (!sparse) continue;
    const std::string rows =
        folder.write("rows.svm", fmt::format("1:0.5 {}:1\n+1 2:1\n", features)).string();
    CHECK(run_program({"score", "answer", rows}, here).status == 3);
    const std::string bare =
        folder.write("bare.svm", fmt::format("1:0.5 {}:1\n2:1\n", features)).string();
    CHECK(lines_of(done({"score", "answer", bare}, here).output) == 3);
  }
}

TEST_CASE("a split file's model knows what made its rows", "[app][score]") {
  const TemporaryFolder folder;
  const ProgramOptions here{.folder = folder.path()};
  done(with({"split", "--workers", "2", "--out", "rows.split", "--missing", "mean"}, of_customers),
       here);
  train({"--dataset", "rows.split", "--partition", "split"}, here);
  CHECK(lines_of(done({"score", "answer", customers}, here).output) == 601);
}

namespace {

/// 200 rows of which every eighth is a "yes"; "w" and "n" could be weights.
std::string weighted_table() {
  std::string text = "age,w,left\n";
  for (int row = 0; row < 200; ++row) {
    const bool yes = row % 8 == 0;
    text +=
        fmt::format("{},{},{}\n", (yes ? 35 : 30) + row % 7, 0.5 * (row % 4), yes ? "yes" : "no");
  }
  return text;
}

}  // namespace

TEST_CASE("rows are measured by their weights, as the run did", "[app][score][weights]") {
  const TemporaryFolder folder;
  const ProgramOptions here{.folder = folder.path()};
  const std::string file = folder.write("rows.csv", weighted_table()).string();
  train({"--dataset", file, "--test", file, "--label-column", "left", "--scale", "standard",
         "--intercept", "--weight-column", "w", "--class-weight", "balanced"},
        here);
  const Json summary = Json::parse(read_file(folder.path() / "answer/ring/summary.json"));
  const auto measures = [&](const Words& more) {
    return Json::parse(done(with({"score", "answer", file, "--json"}, more), here).output);
  };
  const Json scored = measures({});
  CHECK(scored["weighted_by"] == "column 'w'");
  CHECK(scored["measures"]["accuracy"].get<double>() ==
        Approx(summary["test_accuracy"].get<double>()).epsilon(1e-12));
  CHECK(scored["measures"]["loss"].get<double>() ==
        Approx(summary["test_loss"].get<double>()).epsilon(1e-6));
  double all = 0.0;
  for (const Json& row : scored["measures"]["confusion"]) {
    for (const Json& weight : row) all += weight.get<double>();
  }
  CHECK(all == 150.0);
  CHECK_THAT(done({"score", "answer", file}, here).errors,
             ContainsSubstring("weighted by column 'w': each row counts as often as"));
  // Without the column each row counts once.
  const std::string other = folder.write("bare.csv", "age,left\n33,no\n34,yes\n").string();
  CHECK_THAT(
      done({"score", "answer", other}, here).errors,
      ContainsSubstring("training rows were weighted by column 'w', which this file has not"));
  const Json counted = Json::parse(done({"score", "answer", other, "--json"}, here).output);
  CHECK(counted["unweighted"] == "column 'w'");
  CHECK(scored["unweighted"].is_null());
  const Outcome refused = run_program({"score", "answer", file, "--weight-column", "age"}, here);
  CHECK(refused.status == 2);
  CHECK_THAT(refused.errors, ContainsSubstring("it is one of the model's features"));
}

TEST_CASE("another column may have the weights of scored rows", "[app][score][weights]") {
  const TemporaryFolder folder;
  const ProgramOptions here{.folder = folder.path()};
  const std::string file = folder.write("rows.csv", weighted_table()).string();
  train({"--dataset", file, "--label-column", "left", "--columns", "age"}, here);
  const auto scored = [&](const Words& more) {
    return Json::parse(done(with({"score", "answer", file, "--json"}, more), here).output);
  };
  CHECK(scored({})["weighted_by"].is_null());
  const Json weighted = scored({"--weight-column", "w"});
  CHECK(weighted["weighted_by"] == "column 'w'");
  CHECK(weighted["measures"]["classes"][0]["rows"].get<double>() +
            weighted["measures"]["classes"][1]["rows"].get<double>() ==
        150.0);
  const std::string zeros = folder.write("zeros.csv", "age,w,left\n30,0,no\n35,0,yes\n").string();
  const Outcome refused = run_program({"score", "answer", zeros, "--weight-column", "w"}, here);
  CHECK(refused.status == 3);
  CHECK_THAT(refused.errors, ContainsSubstring("the weights of all rows that have a label are 0"));
}

TEST_CASE("a divided file has the weights of its rows", "[app][weights]") {
  const TemporaryFolder folder;
  const ProgramOptions here{.folder = folder.path()};
  const std::string file = folder.write("rows.csv", weighted_table()).string();
  const Words weights{"--label-column", "left", "--weight-column", "w", "--class-weight", "yes:3"};
  const Words run{"run",     "--workers",      "2",        "--steps", "20",
                  "--quiet", "--json",         "--scheme", "ring",    "--time",
                  "virtual", "--compute-time", "1ms"};
  done(with({"split", "--dataset", file, "--workers", "2", "--out", "rows.split"}, weights), here);
  const Json whole = Json::parse(done(with(with(run, {"--dataset", file}), weights), here).output);
  const Json divided = Json::parse(
      done(with(run, {"--dataset", "rows.split", "--partition", "split"}), here).output);
  CHECK(whole["model_hash"] == divided["model_hash"]);
  const Json plain = Json::parse(
      done(with(run, {"--dataset", file, "--label-column", "left", "--columns", "age"}), here)
          .output);
  CHECK(whole["model_hash"] != plain["model_hash"]);
  const Outcome refused =
      run_program(with(run, {"--dataset", "rows.split", "--class-weight", "yes:3"}), here);
  CHECK(refused.status == 2);
  CHECK_THAT(refused.errors, ContainsSubstring("as 'trainyard split' wrote them"));
}

TEST_CASE("a divided file's validation loss has the weights of its classes", "[app][weights]") {
  const TemporaryFolder folder;
  const ProgramOptions here{.folder = folder.path()};
  const std::string file = folder.write("rows.csv", weighted_table()).string();
  const auto validation_loss = [&](const Words& data) {
    const Words run{"run", "--steps", "20",     "--scheme",       "ring", "--workers",
                    "2",   "--quiet", "--json", "--compute-time", "1ms"};
    return Json::parse(done(with(run, data), here).output)["validation_loss"].get<double>();
  };
  const Words rows{"--dataset", file,  "--label-column", "left",
                   "--columns", "age", "--validation",   "0.25"};
  const Words weights{"--class-weight", "yes:3"};
  done(with(with({"split", "--workers", "2", "--out", "rows.split"}, rows), weights), here);
  const double whole = validation_loss(with(rows, weights));
  CHECK(whole == validation_loss({"--dataset", "rows.split", "--partition", "split"}));
  CHECK(std::abs(whole - validation_loss(rows)) > 0.01);
}

}  // namespace trainyard
