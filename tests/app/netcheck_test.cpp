#include <string>

#include <nlohmann/json.hpp>

#include "trainyard/collective/all_reduce.hpp"

#include "app/program.hpp"
#include "support/catch.hpp"

using namespace trainyard;
using Json = nlohmann::json;

TEST_CASE("netcheck: every collective takes its closed form, for any n", "[app]") {
  for (const int n : {1, 2, 3, 5, 8, 12, 17, 32}) {
    const auto outcome = run_program({"netcheck", "--workers", std::to_string(n), "--size", "64KiB",
                                      "--latency", "1ms", "--bandwidth", "1Gbps", "--json"});
    REQUIRE(outcome.status == 0);
    CHECK(outcome.errors.empty());
    const Json rows = Json::parse(outcome.output)["rows"];
    REQUIRE(rows.size() == all_reduces().size());
    for (const Json& row : rows) {
      CAPTURE(n, row.dump());
      CHECK(row["workers"] == n);
      CHECK(row["ratio"].get<double>() == Approx(1.0).epsilon(1e-9));
    }
  }
}

TEST_CASE("netcheck: messages and bytes of the ring", "[app]") {
  const auto outcome = run_program(
      {"netcheck", "--workers", "4", "--size", "4000", "--collectives", "ring", "--json"});
  REQUIRE(outcome.status == 0);
  const Json row = Json::parse(outcome.output)["rows"][0];
  CHECK(row["messages_per_rank"] == 6);
  CHECK(row["bytes_per_rank"] == 6000);
  // 6 (1 ms + 1000 B / 125 MB/s)
  CHECK(row["closed_form_s"].get<double>() == Approx(6 * (1e-4 + 8e-6)).epsilon(1e-12));
  CHECK(row["measured_s"] == row["closed_form_s"]);
}

TEST_CASE("netcheck: the delay is really waited for in wall, never less", "[app]") {
  const auto outcome =
      run_program({"netcheck", "--workers", "2", "--size", "4KiB", "--latency", "2ms", "--time",
                   "wall", "--repetitions", "5", "--collectives", "ring,tree", "--json"});
  REQUIRE(outcome.status == 0);
  const Json rows = Json::parse(outcome.output)["rows"];
  for (const Json& row : rows) {
    CAPTURE(row.dump());
    CHECK(row["ratio"].get<double>() >= 1.0);
    CHECK(row["measured_p99_s"] >= row["measured_s"]);
  }
}

TEST_CASE("netcheck: a table for people", "[app]") {
  const auto outcome = run_program({"netcheck", "--workers", "3"});
  CHECK(outcome.status == 0);
  CHECK_THAT(outcome.output, ContainsSubstring("closed form"));
  CHECK_THAT(outcome.output, ContainsSubstring("recursive-doubling"));
}

TEST_CASE("netcheck: what it does not understand", "[app]") {
  for (const auto& arguments :
       std::vector<std::vector<std::string>>{{"netcheck", "--size", "3"},
                                             {"netcheck", "--size", "5 bananas"},
                                             {"netcheck", "--collectives", "rnig"},
                                             {"netcheck", "--repetitions", "0"},
                                             {"netcheck", "--wrokers", "3"}}) {
    CAPTURE(arguments.back());
    const auto outcome = run_program(arguments);
    CHECK(outcome.status == 2);
    CHECK(outcome.output.empty());
    CHECK_THAT(outcome.errors, ContainsSubstring(arguments[1]) || ContainsSubstring("rnig"));
  }
}
