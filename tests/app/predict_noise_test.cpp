// How many workers are worth using, as `predict` says it.
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "app/program.hpp"
#include "support/catch.hpp"

using namespace trainyard;
using Json = nlohmann::json;

// 1, 1, 4 and 30 ms, σ²/ε = 20: 1·(1 + 20/2); 3/(2 + 1/4)·(1 + 20/3); 4/(2 + 1/4 + 1/30)·6.
TEST_CASE("predict: how many of the fastest workers are worth using", "[app]") {
  std::vector<std::string> command{"predict", "--noise-ratio", "20",      "--workers",
                                   "4",       "--straggler",   "2:4,3:30"};
  const auto table = run_program(command);
  CHECK(table.status == 0);
  CHECK(table.errors.empty());
  CHECK_THAT(table.output, ContainsSubstring("10.22 ms <"));
  CHECK_THAT(table.output, ContainsSubstring("11 ms <"));
  CHECK_THAT(table.output, ContainsSubstring("rennala --gradients 20"));
  command.insert(command.end(), {"--json", "--latency", "1ms", "--schemes", "ring"});
  const auto outcome = run_program(command);
  CHECK_THAT(outcome.errors, ContainsSubstring("--latency has no effect: --noise-ratio"));
  CHECK_THAT(outcome.errors, ContainsSubstring("--schemes has no effect: --noise-ratio"));
  const Json document = Json::parse(outcome.output);
  CHECK(document["best_asynchronous_workers"] == 3);
  CHECK(document["best_minibatch_workers"] == 2);
  REQUIRE(document["rows"].size() == 3);
  CHECK(document["rows"][2]["asynchronous_s"].get<double>() ==
        Approx(4e-3 / (2.25 + 1.0 / 30.0) * 6.0));
}
