// Values that are printed in several places, or that would steer a terminal.
#include <string>
#include <utility>
#include <vector>

#include "trainyard/report/summary_format.hpp"

#include "report/results.hpp"
#include "support/catch.hpp"

namespace trainyard {

namespace {

std::vector<RunResult> with_gossip(RunResult result) {
  std::vector<RunResult> results;
  results.push_back(std::move(result));
  results.push_back(bare_result("gossip"));
  return results;
}

}  // namespace

TEST_CASE("CSV steers no terminal", "[report]") {
  RunResult result = full_result("ring");
  result.summary.dataset = "a\x1b[2Jb";
  const std::string csv = summary_csv(with_gossip(std::move(result)));
  CHECK_THAT(csv, ContainsSubstring(",a?[2Jb,") && !ContainsSubstring("\x1b"));
}

}  // namespace trainyard
