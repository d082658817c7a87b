#include <nlohmann/json.hpp>

#include "trainyard/report/run_folder.hpp"
#include "trainyard/report/saved_runs.hpp"
#include "trainyard/report/summary_format.hpp"

#include "data/files.hpp"
#include "report/results.hpp"
#include "support/catch.hpp"

namespace trainyard {

namespace {

using Json = nlohmann::json;

/// In wall, with counters of which cycles are there and instructions of one rank only.
RunResult counted_result() {
  RunResult result = bare_result("ring");
  result.accounts.resize(2);
  result.places = {{.unit = 0, .core = 0, .node = 0, .moves = 0, .pinned = true},
                   {.unit = 3, .core = 2, .node = 1, .moves = std::nullopt}};
  result.counts = {{.cycles = 4000, .instructions = 70, .context_switches = 3, .page_faults = 0},
                   {.cycles = 2000, .context_switches = 4, .page_faults = 12}};
  Summary& s = result.summary;
  s.time = "wall";
  s.samples_computed = 100;
  s.counts = sum_of(result.counts);
  return result;
}

}  // namespace

TEST_CASE("a run's table of counters has each rank and their sum", "[report]") {
  RunResult result = counted_result();
  CHECK(counters_table(result) ==
        "\n"
        "rank  core  node  moves  cycles  instructions  context switches  page faults\n"
        "0        0     0      0    4000            70                 3            0\n"
        "1        2     1      -    2000             -                 4           12\n"
        "all                   -    6000             -                 7           12\n"
        "not available here: instructions, cache misses, remote loads, energy\n");
  result.summary.energy_j = 12.5;
  CHECK_THAT(counters_table(result), ContainsSubstring("processor's packages: 12.5 J\n"));
  CHECK_THAT(counters_markup(result, Markup::markdown), ContainsSubstring("| all"));
  CHECK(counters_table(bare_result("ring")).empty());
  CHECK(counters_markup(bare_result("ring"), Markup::latex).empty());
}

TEST_CASE("JSON has counters of each rank, and null for what is not available", "[report]") {
  const Json run = Json::parse(run_json(counted_result()));
  CHECK(run["counters"]["cycles"] == 6000);
  CHECK(run["counters"]["instructions"].is_null());
  CHECK(run["counters"]["energy_j"].is_null());
  const Json& ranks = run["ranks"];
  CHECK(ranks["core"] == Json({0, 2}));
  CHECK(ranks["node"] == Json({0, 1}));
  CHECK(ranks["moves"] == Json({0, nullptr}));
  CHECK(ranks["cycles"] == Json({4000, 2000}));
  CHECK(ranks["instructions"] == Json({70, nullptr}));
  CHECK(ranks["cache_misses"] == Json({nullptr, nullptr}));
  const Json bare = Json::parse(run_json(bare_result("ring")));
  CHECK(bare["counters"].is_null());
  CHECK(!bare["ranks"].contains("core"));
  CHECK(!bare["ranks"].contains("cycles"));
}

TEST_CASE("ranks.csv has them, too, and a report reads them back", "[report]") {
  const TemporaryFolder folder;
  RunResult result = counted_result();
  CHECK_THAT(ranks_csv(result), ContainsSubstring(",bytes_received,core,node,moves,cycles,"
                                                  "instructions,cache_misses,remote_loads,"
                                                  "context_switches,page_faults\n"));
  CHECK_THAT(ranks_csv(result), ContainsSubstring(",2,1,,2000,,,,4,12\n"));
  result.counts[1].page_faults.reset();  // the last field of the last line
  const Json expected = Json::parse(run_json(result));
  RunFolder saved(folder.path(), "ring", result.resolved, false);
  for (const Metrics& metrics : result.metrics) saved.add(metrics);
  saved.finish(result);
  const Json read = Json::parse(saved_runs_json({folder.path()}, {}))["runs"][0];
  CHECK(read["ranks"] == expected["ranks"]);
  CHECK(read["counters"] == expected["counters"]);
}

TEST_CASE("a comparison has columns of what some run has counted, a sample", "[report]") {
  std::vector<RunResult> results;
  results.push_back(counted_result());
  results.push_back(bare_result("gossip"));
  const std::string table = comparison_table(results);
  CHECK_THAT(table, ContainsSubstring("cycles"));
  CHECK_THAT(table, ContainsSubstring(" 60 "));  // 6000 of 100 samples
  CHECK_THAT(table, ContainsSubstring("switches"));
  CHECK_THAT(table,
             ContainsSubstring("not available here: instructions, cache misses, remote loads, "
                               "energy\n"));
  results.erase(results.begin());
  CHECK(comparison_table(results).find("not available") == std::string::npos);
  CHECK(comparison_table(results).find("cycles") == std::string::npos);
}

}  // namespace trainyard
