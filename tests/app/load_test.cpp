// `trainyard --load FILE`: what a library of one's own adds, and what is refused.
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "app/program.hpp"
#include "data/files.hpp"
#include "support/catch.hpp"

namespace trainyard {

namespace {

const std::string example = TRAINYARD_TEST_plug_in;

/// Rows 2 x₁ > x₂, in any order of attributes' names.
std::string flowers() {
  std::string text =
      "% a comment\n@relation flowers\n\n@ATTRIBUTE length NUMERIC\n@attribute width real\n"
      "@attribute class numeric\n@data\n";
  for (int row = 0; row < 40; ++row) {
    const int x = row % 8, y = row / 4;
    text += std::to_string(x) + "," + std::to_string(y) + (2 * x > y ? ",1\n" : ",0\n");
  }
  return text;
}

}  // namespace

TEST_CASE("a scheme of a loaded library runs beside the published ones", "[app]") {
  for (const std::vector<std::string>& load :
       {std::vector<std::string>{"--load", example}, {"--load=" + example}}) {
    std::vector<std::string> words = load;
    for (const char* word : {"compare", "--schemes", "local-sgd{period=4},rarely", "--steps", "40",
                             "--json", "--quiet"}) {
      words.emplace_back(word);
    }
    const Outcome outcome = run_program(words);
    INFO(outcome.errors);
    REQUIRE(outcome.status == 0);
    const auto runs = nlohmann::json::parse(outcome.output)["runs"];
    REQUIRE(runs.size() == 2);
    CHECK(runs[1]["scheme"] == "rarely");
    CHECK(runs[1]["train_loss"] == runs[0]["train_loss"]);
    CHECK(runs[1]["bytes_sent"] == runs[0]["bytes_sent"]);
  }
}

TEST_CASE("a reader of a loaded library reads what its ending says, and for score too", "[app]") {
  const TemporaryFolder folder;
  const std::string arff = folder.write("flowers.arff", flowers()).string();
  const std::string other = folder.write("flowers.txt", flowers()).string();
  const std::string out = (folder.path() / "out").string();
  const Outcome trained = run_program({"--load", example, "run", "--scheme", "rarely", "--workers",
                                       "2", "--dataset", arff, "--intercept", "--lr", "0.1",
                                       "--steps", "400", "--batch", "4", "--out", out, "--quiet"});
  INFO(trained.errors);
  REQUIRE(trained.status == 0);
  const Outcome scored = run_program(
      {"--load", example, "score", out + "/rarely", other, "--data-format", "arff", "--json"});
  INFO(scored.errors);
  REQUIRE(scored.status == 0);
  CHECK(nlohmann::json::parse(scored.output)["measures"]["accuracy"].get<double>() > 0.8);

  const Outcome without = run_program({"run", "--dataset", other, "--data-format", "arff"});
  CHECK(without.status == 2);
  CHECK_THAT(without.errors, ContainsSubstring("'arff' is not one of libsvm, csv"));
}

TEST_CASE("what is no plug-in of this program's is refused by its name", "[app]") {
  const TemporaryFolder folder;
  const std::string text = folder.write("words.so", "no library\n").string();
  struct Refused {
    std::vector<std::string> words;
    std::string message;
  };
  for (const Refused& refused : {
           Refused{{"list", "schemes", "--load"}, "--load: expected a FILE behind it"},
           Refused{{"--load=", "list", "schemes"}, "--load: expected a FILE behind it"},
           Refused{{"--load", "none.so", "list", "schemes"}, "--load none.so: no such file"},
           Refused{{"--load", text, "list", "schemes"}, "words.so"},
           Refused{{"--load", TRAINYARD_TEST_other_plug_in, "list", "schemes"},
                   "was compiled with other headers than this program's"},
           Refused{{"--load", example, "--load", example, "list", "schemes"},
                   "scheme 'rarely': .name: there is a scheme of that name already"},
       }) {
    const Outcome outcome = run_program(refused.words);
    CHECK(outcome.status == 2);
    CHECK(outcome.output.empty());
    CHECK_THAT(outcome.errors, ContainsSubstring(refused.message));
  }
}

}  // namespace trainyard
