// `trainyard reproduce`: published results, and ours beside them.
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "trainyard/study/published.hpp"

#include "app/program.hpp"
#include "data/files.hpp"
#include "support/catch.hpp"
#include "support/data_sets.hpp"

namespace trainyard {

namespace {

using Json = nlohmann::json;

Json reproduced(const std::vector<std::string>& words, int status = 0) {
  std::vector<std::string> command{"reproduce", "--json"};
  command.insert(command.end(), words.begin(), words.end());
  const Outcome outcome = run_program(command);
  CAPTURE(words, outcome.errors);
  CHECK(outcome.status == status);
  return Json::parse(outcome.output);
}

/// Each as its file says, and none left out.
void check_as_said(const Json& document) {
  CHECK_FALSE(document["results"].empty());
  for (const Json& result : document["results"]) {
    CAPTURE(result["name"], result["verdict"], result["unlike"], result["skipped"]);
    CHECK(result["as_said"] == true);
  }
}

}  // namespace

TEST_CASE("exact and measured results are reproduced as their files say", "[app]") {
  check_as_said(reproduced({"exact"}));
  check_as_said(reproduced({"measured"}));
}

TEST_CASE("shapes and orders are reproduced as their files say", "[app][slow]") {
  for (const PublishedResult& result : published_results()) {
    const bool trains = result.kind == PublishedKind::shape || result.kind == PublishedKind::order;
    if (!trains) continue;
    std::vector<std::string> words{result.name};
    if (!result.data.empty()) {
      const std::filesystem::path sets = test::large_sets_with(result.data.front());
      if (sets.empty()) continue;
      words.insert(words.end(), {"--data-dir", sets.string()});
    }
    check_as_said(reproduced(words));
  }
}

TEST_CASE("reproduce puts both numbers side by side", "[app]") {
  const Json result = reproduced({"daly"})["results"][0];
  CHECK(result["numbers"] == 3);
  CHECK(result["numbers_agreeing"] == 3);
  CHECK(result["whole"] == true);
  const Json& cell = result["tables"][0]["cells"][2];
  CHECK(cell["published"] == "9.1");
  CHECK(cell["ours"].get<double>() == Approx(9.140919986395813));  // tests/oracles/checkpoints.py
  // Whoever repeats the command finds the number where it is said to be.
  CHECK(cell["value"] == "rows[daly].interval_s / 60");
  const Outcome repeated =
      run_script("$P " + cell["command"].get<std::string>().substr(10) + " --json",
                 std::filesystem::temp_directory_path());
  CHECK(Json::parse(repeated.output)["rows"][1]["interval_s"].get<double>() / 60.0 ==
        Approx(cell["ours"].get<double>()));
  const Outcome text = run_program({"reproduce", "daly"});
  CHECK_THAT(text.output, ContainsSubstring("Verdict: 3 of 3 numbers as printed"));
  CHECK_THAT(text.output, ContainsSubstring("116.7 (117)"));
}

TEST_CASE("reproduce without a name lists what there is", "[app]") {
  const Json list = reproduced({});
  CHECK(list["results"][0]["name"] == "streaming-diloco-4");
  CHECK(list["results"][0]["kind"] == "exact");
  const Outcome text = run_program({"reproduce"});
  CHECK_THAT(text.output, ContainsSubstring("Daly 2006, figures 3 to 5"));
}

TEST_CASE("a result whose data are missing is left out, and said", "[app]") {
  const TemporaryFolder folder;
  std::string name;
  const Json list = reproduced({});
  for (const Json& result : list["results"]) {
    if (!result["data"].empty()) name = result["name"];
  }
  REQUIRE_FALSE(name.empty());
  const Json result = reproduced({name, "--data-dir", folder.path().string()}, 3)["results"][0];
  CHECK(result["as_said"] == false);
  CHECK_FALSE(result["skipped"].is_null());
}

TEST_CASE("predict --compute-share solves for the bandwidth", "[app]") {
  const std::vector<std::string> task{"predict", "--compute-share", "50%,0.99", "--size",
                                      "2GB",     "--workers",       "2",        "--compute-time",
                                      "100ms",   "--latency",       "0s",       "--period",
                                      "100",     "--fragments",     "8"};
  std::vector<std::string> command = task;
  command.insert(command.end(), {"--json", "--schemes", "ring"});
  const Outcome outcome = run_program(command);
  CHECK(outcome.status == 0);
  CHECK_THAT(outcome.errors, ContainsSubstring("--schemes has no effect: --compute-share"));
  const Json document = Json::parse(outcome.output);
  CHECK(document["rows"][0]["shares"][0]["bandwidth_bits_per_s"].get<double>() == Approx(96e9));
  CHECK(document["rows"][1]["shares"][1]["share"] == "99%");
  CHECK(document["rows"][1]["shares"][1]["bandwidth_bits_per_s"].get<double>() ==
        Approx(95.4217e9).epsilon(1e-5));
  CHECK_THAT(run_program(task).output, ContainsSubstring("96 Gbps"));
}

TEST_CASE("what reproduce and --compute-share do not take is named", "[app]") {
  struct Wrong {
    std::vector<std::string> words, message;
  };
  const std::vector<Wrong> all{
      {{"reproduce", "dally"},
       {"no published result named 'dally'", "did you mean 'daly'?", "all, exact, measured"}},
      {{"reproduce", "--html", "page.html"}, {"--html: ", "NAME is missing"}},
      {{"reproduce", "daly", "all"}, {"'all' is one word too many"}},
      {{"predict", "--compute-share", "100%"},
       {"--compute-share: '100%'", "above 0 and below 100%, like 95%"}},
      {{"predict", "--compute-share", "much"}, {"--compute-share: 'much'"}},
      {{"predict", "--compute-share", "90%", "--fragments", "9", "--period", "8"},
       {"--fragments 9", "--period 8"}},
      {{"predict", "--compute-share", "90%", "--html", "page.html"},
       {"--html: --compute-share is given beside"}}};
  for (const Wrong& wrong : all) {
    const Outcome outcome = run_program(wrong.words);
    CAPTURE(wrong.words, outcome.errors);
    CHECK(outcome.status == 2);
    CHECK(outcome.output.empty());
    for (const std::string& part : wrong.message) {
      CHECK_THAT(outcome.errors, ContainsSubstring(part));
    }
  }
}

}  // namespace trainyard
