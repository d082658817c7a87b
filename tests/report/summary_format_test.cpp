#include "trainyard/report/summary_format.hpp"

#include <cmath>
#include <sstream>

#include <nlohmann/json.hpp>

#include "report/results.hpp"
#include "support/catch.hpp"

namespace trainyard {

namespace {

using Catch::Matchers::StartsWith;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

/// Without what stands beneath.
std::vector<std::string> table_of(const std::string& markdown) {
  std::vector<std::string> lines = lines_of(markdown);
  std::erase_if(lines, [](const std::string& line) { return !line.starts_with('|'); });
  return lines;
}

/// Columns on the screen: bytes that do not continue a character.
std::size_t width_of(const std::string& line) {
  return static_cast<std::size_t>(
      std::ranges::count_if(line, [](unsigned char c) { return (c & 0xC0U) != 0x80U; }));
}

/// A result cannot be copied, so a braced list of them cannot make a vector.
template <typename... Results>
std::vector<RunResult> listed(Results... results) {
  std::vector<RunResult> list;
  (list.push_back(std::move(results)), ...);
  return list;
}

/// The rows of a comparison's table, put together of its blocks, none of which is wider than 100
/// columns; in each block all rows are aligned.
std::vector<std::string> rows_of(const std::string& table) {
  std::vector<std::string> rows;
  std::size_t row = 0, width = 0;
  bool in_block = false;
  for (const std::string& line : lines_of(table)) {
    if (line.starts_with("scheme ")) {
      in_block = true;
      row = 0;
      width = width_of(line);
      CHECK(width <= 100);
    }
    in_block = in_block && !line.empty();
    if (!in_block) continue;
    CHECK(width_of(line) <= width);
    if (rows.size() == row) rows.emplace_back();
    rows[row++] += line + " ";
  }
  return rows;
}

}  // namespace

TEST_CASE("the comparison's columns are aligned, whatever is in them", "[report]") {
  RunResult diverged = bare_result("hogwild");
  diverged.summary.diverged = true;
  diverged.summary.train_loss = 1e300;
  const auto rows = rows_of(comparison_table(
      listed(full_result("ring"), bare_result("sequential"), std::move(diverged))));
  REQUIRE(rows.size() == 4);
  for (const char* column : {"train loss", "test acc.", "to target", "at epoch", "total", "compute",
                             "transfer", "wait", "sent", "messages", "stale by", "consensus"}) {
    CHECK_THAT(rows.front(), ContainsSubstring(column));
  }
  for (const char* cell :
       {"0.25000", "0.8750", "12.5 µs", "50 %", "25 %", "437.9 MB", "87.58 k", "6.97", "0.0092"}) {
    CHECK_THAT(rows[1], ContainsSubstring(cell));
  }
  CHECK_THAT(rows[2], ContainsSubstring("never"));
  CHECK_THAT(rows[3], ContainsSubstring("diverged"));
  CHECK_THAT(rows[3], ContainsSubstring("1e+300"));
}

TEST_CASE("the comparison says what was compared", "[report]") {
  auto results = listed(full_result("ring"));
  const std::string found = comparison_table(results);
  CHECK_THAT(found, ContainsSubstring("small: 1000 rows"));
  CHECK_THAT(found, ContainsSubstring("target: training loss 0.3, the lowest that all reached"));
  CHECK_THAT(found, ContainsSubstring("computing a minibatch takes 1 ms"));
  results[0].resolved.target_loss = 0.3;
  CHECK_THAT(comparison_table(results),
             ContainsSubstring("target: training loss 0.3; evaluated every 0.5 epochs\n"));
  results[0].resolved.evaluate_every = 1.0;
  results[0].summary.test_rows = 1;
  CHECK_THAT(comparison_table(results), ContainsSubstring("; evaluated every 1 epoch\n") &&
                                            ContainsSubstring("small: 1000 rows, 1 test row, "));
  results[0].resolved.network.ports = PortMode::cutthrough;
  results[0].resolved.network.racks = 2;
  CHECK_THAT(comparison_table(results), ContainsSubstring(", ports cutthrough, racks 2\n"));
  auto other = full_result("gossip");
  other.resolved.network.ports = PortMode::cutthrough;
  results.push_back(std::move(other));
  CHECK_THAT(comparison_table(results), ContainsSubstring(", its other options differ\n"));
  results.pop_back();
  results[0].summary.time = "wall";
  CHECK_THAT(comparison_table(results), ContainsSubstring("time: wall clock"));
  CHECK(comparison_table({}).empty());
}

namespace {

/// Ring with two seeds, one of which did not reach its target; gossip with two that are alike.
std::vector<RunResult> two_seeds() {
  auto results = listed(full_result("ring"), full_result("gossip"), full_result("ring"),
                        full_result("gossip"));
  for (std::size_t i = 0; i < results.size(); ++i) results[i].summary.seed = 1 + i / 2;
  Summary& other = results[2].summary;
  other.train_loss = 0.35;  // 0.25 and 0.35: mean 0.3, deviation 0.0707
  other.seconds_to_target.reset();
  other.epochs_to_target.reset();
  for (RunResult& result : results) result.summary.lr = 0.125;
  return results;
}

}  // namespace

TEST_CASE("nobody is first over other seeds, nor before a run that was cut off", "[report]") {
  const auto both_seeds = [] {
    auto results = two_seeds();
    for (const std::size_t ring : {0U, 2U}) {
      results[ring].summary.seconds_to_target = results[ring].summary.epochs_to_target = 1e-6;
    }
    return results;
  };
  const auto first = ContainsSubstring("at the target: ring after");
  CHECK_THAT(comparison_table(both_seeds(), {.seeds = 2}),
             ContainsSubstring("first at the target: ring after"));
  CHECK_THAT(comparison_table(both_seeds(), {.seeds = 2}, {"local-sgd, seed 2"}), !first);

  auto cut = both_seeds();
  cut[3].summary.interrupted = true;
  CHECK_THAT(comparison_table(cut, {.seeds = 2}), !first);
  cut.pop_back();
  CHECK_THAT(comparison_table(cut, {.seeds = 2}), !first);
  cut.pop_back();  // one seed is left
  cut[1].summary.interrupted = true;
  CHECK_THAT(comparison_table(cut), first);
  cut[1].summary.seconds_to_target.reset();
  CHECK_THAT(comparison_table(cut), !first);

  auto contested = both_seeds();
  for (std::uint64_t seed : {1, 2}) {
    contested.push_back(full_result("sgp"));
    contested.back().summary.seed = seed;
  }
  contested.back().summary.seconds_to_target.reset();
  CHECK_THAT(comparison_table(contested, {.seeds = 2}),
             ContainsSubstring("first at the target, of those that were there with all seeds: "));
}

TEST_CASE("the comparison of several seeds has a line of means and one of deviations", "[report]") {
  auto tuned = two_seeds();
  for (RunResult& result : tuned) result.summary.tuned = {{"lr", "0.125"}};
  const std::string table = comparison_table(tuned, {.seeds = 2});
  const auto rows = rows_of(table);
  REQUIRE(rows.size() == 5);
  for (const char* cell : {"step size", "seeds", "train loss"}) {
    CHECK_THAT(rows[0], ContainsSubstring(cell));
  }
  for (const char* cell : {"ring", " 0.125 ", " 2 ", "0.30000", "1 of 2", "437.9 MB"}) {
    CHECK_THAT(rows[1], ContainsSubstring(cell));
  }
  CHECK_THAT(rows[2], ContainsSubstring("±") && ContainsSubstring("0.07071"));
  CHECK_THAT(rows[2], !ContainsSubstring("0 B"));
  CHECK_THAT(rows[3], ContainsSubstring("12.5 µs"));
  CHECK(rows[4].find_first_not_of(" ±") == std::string::npos);
  for (const char* part : {"step size each scheme's own best, seeds 1 to 2", "seeds - 1",
                           ", the lowest that all but 1 of 4 runs reached"}) {
    CHECK_THAT(table, ContainsSubstring(part));
  }
  CHECK_THAT(table, !ContainsSubstring("One step size"));
  auto diverged = two_seeds();
  diverged[2].summary.diverged = true;
  CHECK_THAT(comparison_table(diverged, {.seeds = 2}), ContainsSubstring("1 of 2 diverged"));
}

TEST_CASE("a comparison at one step size says what a step of each scheme is", "[report]") {
  const auto table_of = [](auto... schemes) {
    return comparison_table(listed(full_result(schemes)...), {});
  };
  const std::string table = table_of("ring", "ps-async", "ps-sync", "dc-asgd-c");
  CHECK_THAT(table, ContainsSubstring(
                        "  γ × the mean of the workers' gradients, exactly or to first order\n"
                        "      ring, ps-sync\n"));
  CHECK_THAT(table, ContainsSubstring("\n      dc-asgd-c\n"));
  CHECK_THAT(table_of("ring", "ps-sync"), !ContainsSubstring("One step size"));
}

TEST_CASE("several seeds in JSON and CSV", "[report]") {
  const auto json = nlohmann::json::parse(comparison_json(two_seeds(), {.seeds = 2}));
  CHECK(json["runs"].size() == 4);
  const auto& ring = json["spread"][0];
  CHECK(ring["seeds"] == nlohmann::json{1, 2});
  CHECK(ring["train_loss"]["mean"].get<double>() == Approx(0.3));
  CHECK(ring["train_loss"]["standard_deviation"].get<double>() == Approx(0.1 / std::sqrt(2.0)));
  CHECK(ring["seconds_to_target"]["count"] == 1);
  CHECK(ring["seconds_to_target"]["standard_deviation"].is_null());
  CHECK(ring["reached_target"] == 1);
  CHECK(ring["lr"] == 0.125);

  const auto lines = lines_of(statistics_csv(two_seeds()));
  REQUIRE(lines.size() == 3);
  CHECK(lines[0].starts_with("label,scheme,workers,servers,time,"));
  CHECK(lines[2].starts_with("gossip,gossip,8,0,virtual,small,,\"mlp:256,128\",0,0.125,"));
  CHECK_THAT(lines[2],
             ContainsSubstring(",2,0,2,0.25,0,0.31,0,0.875,0,,,,,,,,,,,,,1.25e-05,0,1.25,0,"));
  const auto commas = std::ranges::count(lines.front(), ',');
  for (const std::size_t row : {1U, 2U}) CHECK(std::ranges::count(lines[row], ',') == commas + 1);
}

namespace {

/// Two contestants at two points, two seeds each.
std::vector<RunResult> grid() {
  std::vector<RunResult> results;
  for (const std::uint64_t seed : {1U, 2U}) {
    for (const char* latency : {"10us", "1ms"}) {
      for (const char* label : {"ring", "ring{lr=1}"}) {
        results.push_back(full_result("ring"));
        Summary& s = results.back().summary;
        s.label = label;
        s.varied = {{"latency", latency}, {"workers", "8"}};
        if (s.label != "ring") s.settings = {{"period", "4"}};
        s.seed = seed;
      }
    }
  }
  return results;
}

}  // namespace

TEST_CASE("what a comparison varies has columns of its own", "[report]") {
  const std::string table = comparison_table(grid(), {.seeds = 2});
  const auto rows = rows_of(table);
  REQUIRE(rows.size() == 1 + 2 * 4);
  CHECK_THAT(rows[0], StartsWith("scheme      latency  workers  seeds"));
  CHECK_THAT(rows[3], StartsWith("ring{lr=1}     10us        8      2"));
  CHECK_THAT(rows[5], StartsWith("ring            1ms        8      2"));

  const auto runs = lines_of(summary_csv(grid()));
  REQUIRE(runs.size() == 9);
  // The number of workers has a column already.
  CHECK_THAT(runs[0], StartsWith("label,latency,period,scheme,workers,"));
  CHECK_THAT(runs[1], StartsWith("ring,10us,,ring,8,"));
  CHECK_THAT(runs[8], StartsWith("ring{lr=1},1ms,4,ring,8,"));
  const auto statistics = lines_of(statistics_csv(grid()));
  REQUIRE(statistics.size() == 5);
  CHECK_THAT(statistics[0], StartsWith("label,latency,period,scheme,workers,"));
  CHECK_THAT(statistics[2], StartsWith("ring{lr=1},10us,4,ring,8,"));

  const auto json = nlohmann::json::parse(comparison_json(grid(), {.seeds = 2}));
  REQUIRE(json["runs"].size() == 8);
  CHECK(json["runs"][1]["settings"] == nlohmann::json{{"period", "4"}});
  CHECK_FALSE(json["runs"][0].contains("settings"));
  CHECK(json["runs"][2]["varied"] == nlohmann::json{{"latency", "1ms"}, {"workers", "8"}});
  REQUIRE(json["spread"].size() == 4);
  CHECK(json["spread"][3]["label"] == "ring{lr=1}");
  CHECK(json["spread"][3]["varied"]["latency"] == "1ms");
  CHECK(json["spread"][3]["seeds"] == nlohmann::json{1, 2});
}

TEST_CASE("the heading says what runs have in common, and that they differ", "[report]") {
  auto results = grid();
  CHECK_THAT(comparison_table(results), ContainsSubstring("workers 8, minibatch 32"));
  results.back().summary.workers = 4;
  results.back().resolved.batch = 16;
  CHECK_THAT(comparison_table(results), ContainsSubstring("workers differs, minibatch differs"));
}

// Half widths are t(1, 0.975) s / √2 = 12.7062 s / √2.
TEST_CASE("in a document mean and interval of several seeds stand in one cell", "[report]") {
  auto results = two_seeds();
  results[0].summary.seconds = 2e-5;
  results[2].summary.seconds = 4e-5;
  results[3].summary.train_loss += 2e-5;
  const ComparisonOptions options{.seeds = 2};
  const auto markdown = table_of(comparison_markup(results, options, Markup::markdown));
  REQUIRE(markdown.size() == 2 + 2);
  CHECK_THAT(markdown[2], StartsWith("| ring | 2 | 0.30 ± 0.64 |"));
  CHECK_THAT(markdown[2], ContainsSubstring("| **30 ± 127** |"));
  CHECK_THAT(markdown[2], ContainsSubstring("| 437.9 |"));  // a deviation that rounds to 0
  CHECK_THAT(markdown[3], StartsWith("| gossip | 2 | 0.25001 ± 0.00013 |"));

  const std::string latex = comparison_markup(results, options, Markup::latex);
  CHECK_THAT(latex, ContainsSubstring("\nring & 2 & $0.30 \\pm 0.64$ &"));
  CHECK_THAT(latex, ContainsSubstring("& $\\mathbf{30 \\pm 127}$ &"));
  CHECK_THAT(latex, ContainsSubstring("& $0.25001 \\pm 0.00013$ &"));
  CHECK(lines_of(latex.substr(0, latex.find("\n\n%"))).size() == 9);
}

TEST_CASE("a comparison as Markdown and as LaTeX", "[report]") {
  auto results = grid();
  results.back().summary.label = "50 %|x_1";
  const auto markdown = table_of(comparison_markup(results, {.seeds = 2}, Markup::markdown));
  REQUIRE(markdown.size() == 2 + 5);
  CHECK_THAT(markdown[0], StartsWith("| scheme | latency | workers | seeds | train loss |"));
  CHECK_THAT(markdown[1], StartsWith("|---|---:|---:|"));
  CHECK_THAT(markdown[2], StartsWith("| ring | 10us | 8 | 2 | 0.25000 |"));
  CHECK_THAT(markdown.back(), StartsWith("| 50 %\\|x\\_1 | 1ms |"));
  const std::string latex = comparison_markup(results, {.seeds = 2}, Markup::latex);
  for (const char* part : {"\\begin{tabular}{lrr", "\nscheme & latency & workers &", "\\midrule\n",
                           "\nring\\{lr=1\\} & 10us & 8 &", "\n50 \\%|x\\_1 & 1ms &",
                           "to target [$\\mu$s] &", " \\\\\n", "\\bottomrule\n\\end{tabular}\n"}) {
    CHECK_THAT(latex, ContainsSubstring(part));
  }
  CHECK(comparison_markup({}, {}, Markup::latex).empty());
  results[0].summary.notes = {{"", "warning: 5 % of rows\nare lost"}};
  const std::vector<Note> of_all{{"hogwild", "note: it is alone"}};
  CHECK_THAT(comparison_markup(results, {.seeds = 2}, Markup::markdown, of_all),
             ContainsSubstring("\n- note: hogwild: it is alone\n- warning: ring, latency 10us, "
                               "workers 8, seed 1: 5 % of rows are lost\n"));
  CHECK_THAT(comparison_markup(results, {.seeds = 2}, Markup::latex, of_all),
             ContainsSubstring("\n% note: hogwild: it is alone\n% warning: "));
  // What was asked comes first, and the answer, where there is one.
  CHECK_THAT(comparison_markup(results, {.seeds = 2}, Markup::markdown),
             ContainsSubstring("|\n\n- small: "));
  CHECK_THAT(comparison_markup(results, {.seeds = 2}, Markup::latex),
             ContainsSubstring("\\end{tabular}\n\n% small: "));
  const std::string one = summary_markup(full_result("ring").summary, Markup::markdown);
  CHECK_THAT(one, StartsWith("| figure | ring |\n|---|---:|\n"));
  CHECK_THAT(one, ContainsSubstring("| samples per second | "));
}

TEST_CASE("a label in a document is what it was called, whatever it has in it", "[report]") {
  auto results = grid();
  results.back().summary.label = "*a*\n<b> [c](d) `e` \x1b[31m";
  const auto markdown = table_of(comparison_markup(results, {.seeds = 2}, Markup::markdown));
  REQUIRE(markdown.size() == 2 + 5);
  CHECK_THAT(markdown.back(),
             StartsWith("| \\*a\\* \\<b\\> \\[c\\](d) \\`e\\` \\\\x1b\\[31m | 1ms |"));
  const std::string latex = comparison_markup(results, {.seeds = 2}, Markup::latex);
  CHECK_THAT(latex, ContainsSubstring("\\textbackslash{}x1b[31m & 1ms &"));
}

TEST_CASE("a run's table shows what there is", "[report]") {
  const std::string full = summary_table(full_result("ps-async").summary);
  for (const char* part : {"ps-async on small: mlp:256,128, 8 workers, virtual time",
                           "time to target", "mean 6.97, p50 7, p99 8, max 14", "87.58 k",
                           "consensus distance", "0123456789abcdef", "(50 %)"}) {
    CHECK_THAT(full, ContainsSubstring(part));
  }
  Summary bare = bare_result("ring").summary;
  CHECK_THAT(summary_table(bare), !ContainsSubstring("staleness"));
  CHECK_THAT(summary_table(bare), !ContainsSubstring("time to target"));
  CHECK_THAT(summary_table(bare), !ContainsSubstring("stretched"));
  bare.compute_stretch = 1.04;
  CHECK_THAT(summary_table(bare), !ContainsSubstring("stretched"));
  bare.compute_stretch = 1.923;
  CHECK_THAT(summary_table(bare), ContainsSubstring("stretched 1.92 times"));
  bare.diverged = true;
  CHECK_THAT(summary_table(bare), ContainsSubstring("DIVERGED"));
  const auto lines = lines_of(full);
  for (std::size_t i = 2; i < lines.size(); ++i) CHECK(width_of(lines[i]) == width_of(lines[1]));
}

TEST_CASE("CSV quotes what it must", "[report]") {
  RunResult result = full_result("ring");
  result.summary.dataset = "a \"b\", c";
  const auto lines = lines_of(summary_csv(listed(std::move(result), bare_result("gossip"))));
  REQUIRE(lines.size() == 3);
  CHECK_THAT(lines[1], ContainsSubstring(",\"a \"\"b\"\", c\",,\"mlp:256,128\","));
  CHECK_THAT(lines[1], ContainsSubstring(",0.3,,,1.25e-05,,1.25,,,,0.25,0.31,0.875,"));
  CHECK_THAT(lines[2], ContainsSubstring(",,,,0.25,,,"));
  // Of the two quoted cells one holds a comma each.
  const auto commas = std::ranges::count(lines.front(), ',');
  CHECK(std::ranges::count(lines[1], ',') == commas + 2);
  CHECK(std::ranges::count(lines[2], ',') == commas + 1);
}

}  // namespace trainyard
