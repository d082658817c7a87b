// What is said of losses, and that they look alike wherever they are printed.
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "trainyard/report/summary_format.hpp"

#include "report/results.hpp"
#include "run/remarks.hpp"
#include "support/catch.hpp"

namespace trainyard {

TEST_CASE("a loss that diverged has the same digits wherever it is printed", "[report]") {
  RunResult result = bare_result("ring");
  const double loss = 391234.123456;
  result.summary.train_loss = result.metrics.back().train_loss = loss;
  result.summary.diverged = true;
  result.summary.consensus_distance = -std::numeric_limits<double>::quiet_NaN();
  const std::string note = divergence_note(result.metrics).value_or("");
  const std::string run = summary_table(result.summary);
  std::vector<RunResult> both;
  both.push_back(std::move(result));
  both.push_back(bare_result("gossip"));
  const std::string comparison = comparison_table(both);
  for (const std::string& text : {note, run, comparison}) {
    CHECK_THAT(text, ContainsSubstring("391234") && !ContainsSubstring("391234.") &&
                         !ContainsSubstring("-nan"));
  }
  Summary alone = bare_result("ring").summary;
  alone.workers = 1;
  CHECK_THAT(summary_table(alone), ContainsSubstring(", 1 worker, "));
}

TEST_CASE("a loss that ended above its start is said, but for one that diverged", "[report]") {
  const auto note = [](double first, double last) {
    const std::vector<Metrics> metrics{{.step = 0.0, .train_loss = first},
                                       {.step = 9.0, .train_loss = last}};
    return risen_note(metrics).value_or("");
  };
  CHECK(note(0.7, 0.69).empty());
  CHECK(note(0.7, 1e6).empty());
  CHECK_THAT(note(0.69, 4.82),
             Catch::Matchers::StartsWith(
                 "warning: the training loss ended at 4.82, higher than where it began, "
                 "0.69;"));
  const std::vector<Metrics> lied{{.train_loss = 1.0}, {.train_loss = 5.0}};
  CHECK_THAT(risen_note(lied, 2).value_or(""), ContainsSubstring("2 liars") &&
                                                   ContainsSubstring("--aggregate") &&
                                                   !ContainsSubstring("--lr"));
}

}  // namespace trainyard
