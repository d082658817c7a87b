#include "trainyard/report/curves_svg.hpp"

#include <algorithm>
#include <limits>
#include <regex>
#include <string>
#include <utility>
#include <vector>

#include "trainyard/base/error.hpp"
#include "trainyard/report/summary_format.hpp"
#include "trainyard/report/table_columns.hpp"

#include "report/results.hpp"
#include "support/catch.hpp"

namespace trainyard {

namespace {

RunResult run_with(const std::string& label, const std::vector<std::pair<double, double>>& points) {
  RunResult run = bare_result("ring");
  run.summary.label = label;
  run.resolved.target_loss.reset();
  run.metrics.clear();
  for (const auto& [seconds, loss] : points) {
    run.metrics.push_back({.seconds = seconds, .train_loss = loss});
  }
  return run;
}

template <typename... Runs>
std::vector<RunResult> all(Runs... runs) {
  std::vector<RunResult> list;
  (list.push_back(std::move(runs)), ...);
  return list;
}

/// The path of each curve.
std::vector<std::string> curves_in(const std::string& svg) {
  const std::string drawn = svg.substr(svg.find("<g clip-path"));
  const std::regex path("<path d=\"([^\"]*)\"");
  std::vector<std::string> found;
  for (std::sregex_iterator at(drawn.begin(), drawn.begin() + drawn.find("</g>"), path), end;
       at != end; ++at) {
    found.push_back((*at)[1]);
  }
  return found;
}

}  // namespace

TEST_CASE("a curve goes through its evaluations", "[report]") {
  // From 0 to 4 s over 560 units, and from the loss 1 to 3 over 320.
  const auto curves = curves_in(curves_svg(
      all(run_with("a", {{0, 3}, {2, 2}, {4, 1}}), run_with("b", {{0, 3}, {1, 5}, {2, 3}})),
      "both"));
  REQUIRE(curves.size() == 2);
  CHECK(curves[0] == "M70.00 44.00L350.00 204.00L630.00 364.00");
  CHECK(curves[1] == "M70.00 44.00L210.00 -276.00L350.00 44.00");  // which is cut at the top
}

TEST_CASE("what is not finite interrupts a curve", "[report]") {
  const double nothing = std::numeric_limits<double>::quiet_NaN();
  const std::string svg =
      curves_svg(all(run_with("a & b", {{0, 2}, {1, nothing}, {2, 1}, {4, 1}})), "<one>");
  CHECK(curves_in(svg) == std::vector<std::string>{"M70.00 44.00M350.00 364.00L630.00 364.00"});
  CHECK_THAT(svg, ContainsSubstring("a &amp; b") && ContainsSubstring("&lt;one&gt;"));
  CHECK(svg.find("nan") == std::string::npos);
  CHECK(curves_in(curves_svg(all(run_with("a", {{0, nothing}})), "")).empty());
}

TEST_CASE("runs of one name have one colour and one name beside", "[report]") {
  RunResult with_target = run_with("seeds", {{0, 2}, {1, 1}});
  with_target.resolved.target_loss = 1.5;
  const std::string svg =
      curves_svg(all(std::move(with_target), run_with("seeds", {{0, 2}, {1, 1}})), "");
  CHECK(curves_in(svg).size() == 2);
  const std::size_t named = svg.find(">seeds<");
  CHECK(named != std::string::npos);
  CHECK(svg.find(">seeds<", named + 1) == std::string::npos);
  CHECK_THAT(svg, ContainsSubstring("M70.0 204.00h560.0"));
}

TEST_CASE("a table has the columns that were asked for, in their order", "[report]") {
  ComparisonOptions options;
  options.columns = parse_table_columns("seconds,train_loss,bytes_sent");
  const std::string table =
      comparison_markup(all(full_result("ring"), full_result("gossip")), options, Markup::markdown);
  const std::string heading = table.substr(0, table.find('\n'));
  INFO(heading);
  CHECK(std::regex_match(heading,
                         std::regex(R"(\| scheme .*\| total .*\| train loss .*\| sent .*)")));
  CHECK(std::count(heading.begin(), heading.end(), '|') == 5);
}

TEST_CASE("a column that is no number of a run is refused by its name", "[report]") {
  CHECK_THROWS_WITH(parse_table_columns("train_loss,los"), ContainsSubstring("los") &&
                                                               ContainsSubstring("known: ") &&
                                                               ContainsSubstring("train_loss"));
  CHECK_THROWS_WITH(parse_table_columns("seconds,seconds"), ContainsSubstring("twice"));
  CHECK_THROWS_AS(parse_table_columns(""), OptionError);
  CHECK_THROWS_AS(parse_table_columns("label"), OptionError);
}

}  // namespace trainyard
