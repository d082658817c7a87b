// Tables for papers: units, intervals, bold and marks. The half widths are
// scipy.stats.t.ppf(0.975, 2) * numpy.std(x, ddof=1) / sqrt(3).
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "trainyard/report/summary_format.hpp"

#include "report/results.hpp"
#include "support/catch.hpp"

namespace trainyard {

namespace {

struct Sample {
  std::string label;
  std::array<double, 3> loss, milliseconds;
};

/// ring and gossip end at losses that three seeds do not tell apart; server's is worse in each.
std::vector<Sample> samples() {
  return {{"ring", {0.30, 0.31, 0.32}, {1.0, 1.1, 1.2}},
          {"gossip", {0.301, 0.309, 0.3205}, {2.0, 2.3, 2.2}},
          {"server", {0.40, 0.42, 0.41}, {900.0, 1100.0, 1000.0}}};
}

std::vector<RunResult> three_seeds(const std::vector<Sample>& all) {
  std::vector<RunResult> results;
  for (const Sample& one : all) {
    for (std::size_t seed = 0; seed < 3; ++seed) {
      RunResult& result = results.emplace_back(full_result("ring"));
      result.summary.label = one.label;
      result.summary.seed = seed + 1;
      result.summary.train_loss = one.loss[seed];
      result.summary.seconds = one.milliseconds[seed] * 1e-3;
      result.summary.bytes_sent = 1000;
    }
  }
  return results;
}

ComparisonOptions options_with(const std::string& baseline) {
  return {.seeds = 3, .columns = {"train_loss", "seconds", "bytes_sent"}, .baseline = baseline};
}

std::string table_of(const std::vector<RunResult>& results, const ComparisonOptions& options,
                     Markup markup) {
  const std::string text = comparison_markup(results, options, markup);
  return text.substr(0, text.find("\n\n"));
}

}  // namespace

TEST_CASE("a paper's column has one unit, and its best in bold with what ties", "[report]") {
  const auto results = three_seeds(samples());
  CHECK(table_of(results, options_with(""), Markup::markdown) ==
        "| scheme | seeds | train loss | total \\[ms\\] | sent \\[kB\\] |\n"
        "|---|---:|---:|---:|---:|\n"
        "| ring | 3 | **0.310 ± 0.025** | **1.10 ± 0.25** | 1.000 |\n"
        "| gossip | 3 | **0.310 ± 0.024** | 2.17 ± 0.38 | 1.000 |\n"
        "| server | 3 | 0.410 ± 0.025 | 1000 ± 248 | 1.000 |");
  const std::string latex = comparison_markup(results, options_with(""), Markup::latex);
  CHECK_THAT(latex, ContainsSubstring("\nring & 3 & $\\mathbf{0.310 \\pm 0.025}$ & "
                                      "$\\mathbf{1.10 \\pm 0.25}$ & 1.000 \\\\\n"));
  CHECK_THAT(latex, ContainsSubstring("% ±: half of a 95 % interval of the mean over the seeds"));
  CHECK_THAT(latex, ContainsSubstring("% bold: the best of a column, and what the same seeds do "
                                      "not tell from it"));
  CHECK(latex.find("% *:") == std::string::npos);
}

TEST_CASE("a paper's table marks what the seeds tell from the baseline", "[report]") {
  const auto results = three_seeds(samples());
  const std::string markdown = table_of(results, options_with("gossip"), Markup::markdown);
  CHECK_THAT(markdown, ContainsSubstring("\n| ring | 3 | **0.310 ± 0.025** | "
                                         "**1.10 ± 0.25** \\* | 1.000 |\n"));
  CHECK_THAT(markdown, ContainsSubstring("\n| server | 3 | 0.410 ± 0.025 \\* | "
                                         "1000 ± 248 \\* | 1.000 |"));
  const std::string latex = comparison_markup(results, options_with("gossip"), Markup::latex);
  CHECK_THAT(latex, ContainsSubstring("& $1000 \\pm 248$$^{*}$ &"));
  CHECK_THAT(latex, ContainsSubstring("% *: the same seeds tell it from gossip (95 %, paired"));
}

TEST_CASE("who diverged, stands apart or is alone is not the best of a paper's column",
          "[report]") {
  auto results = three_seeds(samples());
  for (std::size_t seed = 0; seed < 3; ++seed) results[seed].summary.within = "one machine";
  for (std::size_t seed = 3; seed < 6; ++seed) results[seed].summary.diverged = true;
  CHECK(table_of(results, options_with(""), Markup::markdown).find("**") == std::string::npos);

  // With one seed it is the least alone, and says no more.
  std::vector<RunResult> one;
  for (RunResult& result : three_seeds(samples())) {
    if (result.summary.seed == 1) one.push_back(std::move(result));
  }
  ComparisonOptions options = options_with("");
  options.seeds = 1;
  const std::string markdown = comparison_markup(one, options, Markup::markdown);
  CHECK_THAT(markdown, ContainsSubstring("| ring | **0.30000** | **1.000** |"));
  CHECK_THAT(markdown, ContainsSubstring("| gossip | 0.30100 | 2.000 |"));
  CHECK_THAT(markdown, ContainsSubstring("bold: the best of a column, with one seed"));
  CHECK(markdown.find("±") == std::string::npos);
}

TEST_CASE("more is better of accuracies, and points of a grid have a best each", "[report]") {
  std::vector<RunResult> results;
  for (const char* latency : {"1ms", "2ms"}) {
    for (RunResult& result : three_seeds(samples())) {
      Summary& s = result.summary;
      const double better = s.label == "server" && latency == std::string("2ms") ? 0.05 : 0.0;
      s.varied = {{"latency", latency}};
      s.test_accuracy =
          (s.label == "ring" ? 0.8 : 0.9) + better + 0.001 * static_cast<double>(s.seed);
      results.push_back(std::move(result));
    }
  }
  const ComparisonOptions options{.seeds = 3, .columns = {"test_accuracy"}};
  const std::string table = table_of(results, options, Markup::markdown);
  for (const char* line : {"| ring | 1ms | 3 | 0.8020 ", "| gossip | 1ms | 3 | **0.9020 ",
                           "| server | 1ms | 3 | **0.9020 ", "| gossip | 2ms | 3 | 0.9020 ",
                           "| server | 2ms | 3 | **0.9520 "}) {
    CHECK_THAT(table, ContainsSubstring(line));
  }
}

}  // namespace trainyard
