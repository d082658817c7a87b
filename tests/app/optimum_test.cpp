// Distance to the model that another run has left, from the command line.
#include <cmath>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "app/program.hpp"
#include "data/files.hpp"
#include "support/catch.hpp"

using namespace trainyard;
using Json = nlohmann::json;

namespace {

std::vector<std::string> training(std::vector<std::string> more) {
  std::vector<std::string> command{"run", "--scheme",  "sequential",         "--workers",
                                   "1",   "--dataset", "dense-logistic:200", "--lr",
                                   "0.5"};
  command.insert(command.end(), more.begin(), more.end());
  return command;
}

}  // namespace

TEST_CASE("run: the model of another run may stand for the optimum", "[app]") {
  const TemporaryFolder folder;
  const std::string left = (folder.path() / "left").string();
  REQUIRE(run_program(training({"--epochs", "4", "--out", left})).status == 0);

  const auto same = run_program(training({"--epochs", "4", "--optimum", left, "--json"}));
  REQUIRE(same.status == 0);
  const Json there = Json::parse(same.output);
  CHECK(there["optimum"]["suboptimality"] == 0.0);
  CHECK(there["optimum"]["distance"] == 0.0);
  CHECK(there["optimum"]["loss"] == there["train_loss"]);

  const auto shorter = run_program(training({"--epochs", "1", "--optimum", left, "--json"}));
  REQUIRE(shorter.status == 0);
  const Json before = Json::parse(shorter.output);
  CHECK(before["optimum"]["suboptimality"].get<double>() ==
        Approx(before["train_loss"].get<double>() - there["train_loss"].get<double>()));
  CHECK(before["optimum"]["distance"].get<double>() > 0.0);
}

TEST_CASE("run: a model of other parameters is no optimum of it", "[app]") {
  const TemporaryFolder folder;
  const std::string left = (folder.path() / "left").string();
  REQUIRE(run_program(training({"--epochs", "1", "--out", left})).status == 0);
  const auto other =
      run_program(training({"--epochs", "1", "--model", "softmax", "--optimum", left}));
  CHECK(other.status == 2);
  CHECK_THAT(other.errors, ContainsSubstring("--optimum " + left + ": holds logistic of"));
  const std::string nowhere = (folder.path() / "nowhere").string();
  const auto none = run_program(training({"--epochs", "1", "--optimum", nowhere}));
  CHECK(none.status != 0);
  CHECK_THAT(none.errors, ContainsSubstring(nowhere));
}
