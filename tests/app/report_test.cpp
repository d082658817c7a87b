// Reports of runs, and of runs that were saved.
#include <set>

#include <nlohmann/json.hpp>

#include "app/program.hpp"
#include "app/results.hpp"
#include "data/files.hpp"
#include "support/catch.hpp"

namespace trainyard {

namespace {

const Words compared{"compare", "--schemes", "ring,ps-async", "--epochs", "1",
                     "--time",  "virtual",   "--quiet",       "--json"};

Json without(Json run, const Words& keys) {
  for (const std::string& key : keys) run.erase(key);
  return run;
}

}  // namespace

TEST_CASE("a report of saved runs says what their comparison said", "[app]") {
  const TemporaryFolder folder;
  const Outcome compare = run_program(
      compared + Words{"--out", "saved", "--seeds", "2", "--lr", "0.5"}, {.folder = folder.path()});
  REQUIRE(compare.status == 0);
  const Outcome report = run_program({"report", "saved", "--json"}, {.folder = folder.path()});
  INFO(report.errors);
  REQUIRE(report.status == 0);
  std::vector<Json> expected = Json::parse(compare.output)["runs"];
  const std::vector<Json> found = Json::parse(report.output)["runs"];
  const Json notes = Json::parse(compare.output)["notes"];
  REQUIRE(notes.is_array());
  REQUIRE_FALSE(notes.empty());  // one step size means different steps
  const Json reported = Json::parse(report.output)["notes"];
  CHECK(reported.size() == notes.size());
  CHECK(reported[0] == notes[0]);
  REQUIRE(found.size() == 4);
  // By folder: of the comparison, by seed and then as they were named.
  std::ranges::sort(expected, {}, [](const Json& run) {
    return std::pair(run["seed"].get<int>(), run["label"].get<std::string>());
  });
  for (std::size_t i = 0; i < found.size(); ++i) {
    CHECK(found[i] == without(expected[i], {"first_steps", "updates_by_staleness"}));
  }
}

TEST_CASE("a report knows who was tuned, and who stands apart", "[app]") {
  const TemporaryFolder folder;
  const Outcome compare =
      run_program({"compare", "--schemes", "ring,hogwild", "--workers", "2", "--epochs", "0.2",
                   "--time", "virtual", "--out", "saved", "--json"},
                  {.folder = folder.path()});
  REQUIRE(compare.status == 0);
  const Outcome report = run_program({"report", "saved", "--json"}, {.folder = folder.path()});
  INFO(report.errors);
  REQUIRE(report.status == 0);
  std::vector<Json> expected = Json::parse(compare.output)["runs"];
  std::vector<Json> found = Json::parse(report.output)["runs"];
  const auto label = [](const Json& run) { return run["label"].get<std::string>(); };
  std::ranges::sort(expected, {}, label);
  std::ranges::sort(found, {}, label);
  REQUIRE(found.size() == 2);
  CHECK(found[0]["within"] == "one machine");
  for (std::size_t i = 0; i < found.size(); ++i) {
    CHECK(found[i]["tuned"]["lr"].is_string());
    CHECK(found[i]["tuned"] == expected[i]["tuned"]);
    CHECK(found[i]["within"] == expected[i]["within"]);
  }
}

TEST_CASE("runs that only their folders tell apart are named by them", "[app]") {
  const TemporaryFolder folder;
  for (const char* day : {"monday", "tuesday"}) {
    REQUIRE(run_program(compared + Words{"--out", day}, {.folder = folder.path()}).status == 0);
  }
  const Outcome report = run_program({"report", "monday", "tuesday/ring", "--html", "both.html"},
                                     {.folder = folder.path()});
  CHECK(report.status == 0);
  CHECK(report.output == "both.html: a report of 3 runs\n");
  const Json runs = Json::parse(
      run_program({"report", "monday", "tuesday/ring", "--json"}, {.folder = folder.path()})
          .output)["runs"];
  CHECK(runs[0]["label"] == "ps-async");
  CHECK(runs[0].count("source") == 0);
  CHECK(runs[1]["source"] == "monday/ring");
  CHECK(runs[2]["source"] == "tuesday/ring");
}

TEST_CASE("only seeds of one experiment share a name in a report", "[app]") {
  const TemporaryFolder folder;
  const auto saved = [&](const Words& more, const std::string& out) {
    REQUIRE(run_program(compared + more + Words{"--out", out}, {.folder = folder.path()}).status ==
            0);
  };
  const auto sources = [&](const Words& folders) {
    const Outcome report =
        run_program(Words{"report"} + folders + Words{"--json"}, {.folder = folder.path()});
    INFO(report.errors);
    std::set<std::string> found;
    const Json document = Json::parse(report.output);
    for (const Json& run : document["runs"]) {
      found.insert(run.value("source", "none"));
    }
    return found;
  };
  saved({"--seed", "1"}, "one");
  saved({"--seed", "2"}, "two");
  saved({"--seed", "3", "--workers", "4"}, "four-workers");
  saved({"--seeds", "2"}, "seeds");
  using Names = std::set<std::string>;
  CHECK(sources({"one", "two"}) == Names{"none"});
  CHECK(sources({"one", "four-workers"}) ==
        Names{"four-workers/ps-async", "four-workers/ring", "one/ps-async", "one/ring"});
  CHECK(sources({"seeds"}) == Names{"none"});
  CHECK(sources({"seeds/", "one/ring"}) == Names{"none", "seeds/ring", "one/ring"});
}

TEST_CASE("notes of a report tell runs of one name apart", "[app]") {
  const TemporaryFolder folder;
  for (const char* workers : {"2", "4"}) {
    const Outcome outcome =
        run_program(Words{"run", "--scheme", "ring", "--dataset", "blobs", "--time", "virtual",
                          "--compute-time", "1ms", "--epochs", "0.2", "--partition",
                          "dirichlet:0.3", "--workers", workers, "--out", workers},
                    {.folder = folder.path()});
    REQUIRE(outcome.status == 0);
  }
  const Outcome report = run_program({"report", "2", "4", "--json"}, {.folder = folder.path()});
  REQUIRE(report.status == 0);
  std::set<std::string> about;
  const Json document = Json::parse(report.output);
  for (const Json& note : document["notes"]) {
    if (note["text"].get<std::string>().find("where rows are weighed") != std::string::npos) {
      about.insert(note["about"]);
    }
  }
  CHECK(about == std::set<std::string>{"ring, 2/ring", "ring, 4/ring"});
}

TEST_CASE("a report of what is no run is refused", "[app]") {
  const TemporaryFolder folder;
  const auto refused = [&](const Words& words, int status, const std::string& message) {
    const Outcome outcome = run_program(Words{"report"} + words, {.folder = folder.path()});
    INFO(outcome.errors);
    CHECK(outcome.status == status);
    CHECK_THAT(outcome.errors, ContainsSubstring(message));
  };
  refused({}, 2, "report of which folders?");
  refused({"."}, 2, "--html FILE says where the page goes");
  refused({"nowhere", "--json"}, 3, "nowhere: no folder of that name");
  refused({".", "--json"}, 3, ".: no run of trainyard in it");
  REQUIRE(run_program(compared + Words{"--out", "saved"}, {.folder = folder.path()}).status == 0);
  for (const char* file : {"summary.json", "config.toml", "metrics.jsonl", "ranks.csv"}) {
    const std::string name = std::string("saved/ring/") + file;
    const std::string whole = read_file(folder.path() / name);
    folder.write(name, whole.substr(0, whole.size() / 2) + "\x01");
    refused({"saved", "--json"}, 3, file);
    folder.write(name, whole);
  }
  folder.write("saved/ring/summary.json", "[]");
  refused({"saved", "--json"}, 3, "no object");
  std::filesystem::remove(folder.path() / "saved/ring/summary.json");
  std::filesystem::create_directory(folder.path() / "saved/ring/summary.json");
  refused({"saved", "--json"}, 3, "saved/ring/summary.json: no file");
  std::filesystem::remove(folder.path() / "saved/ring/summary.json");
  std::filesystem::create_directory_symlink("..", folder.path() / "saved/loop");
  refused({"saved/ps-async", "saved", "--json"}, 3, "saved/ps-async: is given twice");
  const Outcome rest = run_program({"report", "saved", "--json"}, {.folder = folder.path()});
  CHECK(rest.status == 0);
  CHECK(Json::parse(rest.output)["runs"].size() == 1);
  CHECK_THAT(rest.errors, ContainsSubstring("note: saved/ring is of a run that did not end"));
}

// Results on disk are older than a figure that is added later.
TEST_CASE("saved runs that lack a figure of their curves are read, but for what all have",
          "[app]") {
  const TemporaryFolder folder;
  REQUIRE(run_program(compared + Words{"--out", "saved"}, {.folder = folder.path()}).status == 0);
  const std::string file = "saved/ring/metrics.jsonl";
  const std::vector<std::string> whole = lines_of(read_file(folder.path() / file));
  const auto report_without = [&](const char* key) {
    std::string text;
    for (const std::string& line : whole) text += without(Json::parse(line), {key}).dump() + "\n";
    folder.write(file, text);
    return run_program({"report", "saved", "--json"}, {.folder = folder.path()});
  };
  const Outcome later = report_without("samples");
  INFO(later.errors);
  CHECK(later.status == 0);
  const Outcome all_have = report_without("train_loss");
  CHECK(all_have.status == 3);
  CHECK_THAT(all_have.errors, ContainsSubstring(file + ": not as trainyard writes it: "));
}

TEST_CASE("a figure that is not as a run writes it is refused, with what is expected", "[app]") {
  const TemporaryFolder folder;
  REQUIRE(run_program(compared + Words{"--out", "saved"}, {.folder = folder.path()}).status == 0);
  const auto refused = [&](const std::string& file, const std::string& changed,
                           const std::string& message) {
    const std::string whole = read_file(folder.path() / file);
    folder.write(file, changed);
    const Outcome outcome = run_program({"report", "saved", "--json"}, {.folder = folder.path()});
    CHECK(outcome.status == 3);
    CHECK_THAT(outcome.errors, ContainsSubstring(file + ": not as trainyard writes it: ") &&
                                   ContainsSubstring(message) &&
                                   !ContainsSubstring("json.exception"));
    folder.write(file, whole);
  };
  const std::string summary = "saved/ring/summary.json";
  const Json whole = Json::parse(read_file(folder.path() / summary));
  struct Row {
    const char* pointer;
    Json value;
    const char* message;
  };
  for (const Row& row : {Row{"/workers", "x", "'workers' is '\"x\"'; expected a whole number"},
                         Row{"/workers", -2, "'workers' is '-2'; expected a whole number"},
                         Row{"/samples", 1.5, "'samples' is '1.5'; expected a whole number"},
                         Row{"/seconds", true, "'seconds' is 'true'; expected a number"},
                         Row{"/test_loss", "low", "'test_loss' is '\"low\"'; expected a number"},
                         Row{"/time_split/wait", Json::array(), "'time_split.wait' is '[]'"},
                         Row{"/scheme", 7, "'scheme' is '7'; expected a text"},
                         Row{"/diverged", 0, "'diverged' is '0'; expected true or false"},
                         Row{"/dataset", "a9a", "'dataset' is '\"a9a\"'; expected an object"}}) {
    CAPTURE(row.pointer);
    Json changed = whole;
    changed[Json::json_pointer(row.pointer)] = row.value;
    refused(summary, changed.dump(), row.message);
  }
  std::string metrics = read_file(folder.path() / "saved/ring/metrics.jsonl");
  metrics.replace(metrics.find("\"samples\":") + 10, 1, "-1");
  refused("saved/ring/metrics.jsonl", metrics, "'samples' is '-1'; expected a whole number");
  std::string ranks = read_file(folder.path() / "saved/ring/ranks.csv");
  ranks.replace(ranks.find('\n') + 1, 1, "[]");
  refused("saved/ring/ranks.csv", ranks, "expected a number");
}

TEST_CASE("the flag --html writes a page beside what is printed, and overwrites none", "[app]") {
  const TemporaryFolder folder;
  const std::vector<Words> commands{
      {"run", "--epochs", "1", "--quiet", "--time", "virtual"},
      {"compare", "--schemes", "ring,ps-sync", "--epochs", "1", "--quiet"},
      {"compare", "--schemes", "ring,ps-sync", "--epochs", "1", "--quiet", "--map",
       "latency=10us,1ms,bandwidth=1Mbps,1Gbps"},
      {"predict", "--schemes", "ring"},
      {"predict", "--schemes", "ring,ps-sync", "--vary", "latency=1ms,2ms"},
      {"predict", "--break-even", "--schemes", "csgd", "--codec", "fp16", "--size", "40kB"},
      {"netcheck", "--collectives", "ring"},
      {"topology", "ring"},
      {"consensus"},
      {"timeline", "example-1.1"}};
  for (const Words& command : commands) {
    INFO(command.front() << " " << command.back());
    const Outcome plain = run_program(command + Words{"--json"}, {.folder = folder.path()});
    const Words with_page = command + Words{"--json", "--html", "page.html"};
    const Outcome made = run_program(with_page, {.folder = folder.path()});
    REQUIRE(made.status == 0);
    // Of runs the page has their first steps besides.
    const bool is_plain_run =
        Json::parse(plain.output).count("runs") > 0 || command.front() == "run";
    if (!is_plain_run) CHECK(made.output == plain.output);
    CHECK_THAT(read_file(folder.path() / "page.html"), ContainsSubstring("<!doctype html>"));

    const Outcome again = run_program(with_page, {.folder = folder.path()});
    CHECK(again.status == 2);
    CHECK(again.output.empty());
    CHECK_THAT(again.errors, ContainsSubstring("--html"));
    CHECK(run_program(with_page + Words{"--force"}, {.folder = folder.path()}).status == 0);
    std::filesystem::remove(folder.path() / "page.html");
  }
}

}  // namespace trainyard
