#include <cmath>
#include <string>
#include <vector>

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

// Who had fewer numbers was ahead, and held a port that others needed: hierarchical-ring of 25
// numbers took 1.952 ms for 1.6, rabenseifner of 5, and ps-sharded.
TEST_CASE("netcheck: closed forms hold for parts of a few numbers, and of none", "[app]") {
  for (const int n : {2, 3, 4, 7, 8, 9, 12, 16}) {
    for (const int floats : {1, 2, 5, 9, 16, 22, 25, 35, 433}) {
      for (const char* latency : {"0us", "1us", "100us"}) {
        const auto outcome =
            run_program({"netcheck", "--workers", std::to_string(n), "--servers",
                         std::to_string(1 + floats % 5), "--size", std::to_string(4 * floats) + "B",
                         "--latency", latency, "--bandwidth", "1Mbps", "--json"});
        REQUIRE(outcome.status == 0);
        const Json document = Json::parse(outcome.output);
        for (const Json& row : document["rows"]) {
          CAPTURE(n, floats, latency, row.dump());
          CHECK(row["ratio"].get<double>() == Approx(1.0).epsilon(1e-9));
        }
      }
    }
  }
}

TEST_CASE("netcheck: broadcast, reduce, their halves and a barrier take their closed forms",
          "[app]") {
  for (const int n : {1, 2, 3, 5, 8, 12, 17, 32}) {
    const int rounds = static_cast<int>(std::ceil(std::log2(n)));
    for (const int floats : {3, 16384}) {
      const auto outcome = run_program(
          {"netcheck", "--workers", std::to_string(n), "--size", std::to_string(4 * floats) + "B",
           "--latency", "1ms", "--bandwidth", "1Gbps", "--collectives",
           "broadcast,reduce,reduce-scatter,all-gather,barrier", "--json"});
      REQUIRE(outcome.status == 0);
      CHECK(outcome.errors.empty());
      const Json rows = Json::parse(outcome.output)["rows"];
      REQUIRE(rows.size() == 5);
      for (const Json& row : rows) {
        CAPTURE(n, floats, row.dump());
        CHECK(row["ratio"].get<double>() == Approx(1.0).epsilon(1e-9));
      }
      const double message = 1e-3 + 4 * floats / 125e6;
      CHECK(rows[0]["measured_s"].get<double>() == Approx(rounds * message).epsilon(1e-9));
      CHECK(rows[1]["measured_s"].get<double>() == Approx(rounds * message).epsilon(1e-9));
      CHECK(rows[4]["measured_s"].get<double>() == Approx(rounds * 1e-3).epsilon(1e-9));
    }
  }
}

TEST_CASE("netcheck: what is no all-reduce is asked for, and says that it is charged", "[app]") {
  const std::vector<std::string> together{"netcheck", "--collectives", "barrier,ring", "--workers",
                                          "4"};
  CHECK_THAT(run_program(together).output, ContainsSubstring("with control traffic charged"));
  CHECK_THAT(run_program({"netcheck", "--collectives", "ring"}).output,
             !ContainsSubstring("control traffic"));
  const auto wrong = run_program({"netcheck", "--collectives", "brodcast"});
  CHECK(wrong.status == 2);
  CHECK_THAT(wrong.errors, ContainsSubstring("broadcast"));
  CHECK_THAT(run_program({"list", "collectives"}).output,
             ContainsSubstring("reduce-scatter") && ContainsSubstring("⌈log2 n⌉α"));
  const auto wall = run_program({"netcheck", "--workers", "2", "--size", "4KiB", "--latency", "2ms",
                                 "--time", "wall", "--repetitions", "3", "--collectives",
                                 "broadcast,reduce,reduce-scatter,all-gather,barrier", "--json"});
  REQUIRE(wall.status == 0);
  const Json document = Json::parse(wall.output);
  for (const Json& row : document["rows"]) {
    CAPTURE(row.dump());
    CHECK(row["ratio"].get<double>() >= 1.0);
  }
}

TEST_CASE("netcheck: --quiet", "[app]") {
  const auto outcome = run_program({"netcheck", "--quiet", "--collectives", "ring", "--json"});
  CHECK(outcome.status == 0);
  CHECK(outcome.errors.empty());
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

// Messages of one port follow each other without the latency between them, which each burst has
// once.
TEST_CASE("netcheck: cutthrough ports are held for the transfer alone", "[app]") {
  const auto outcome = run_program({"netcheck", "--workers", "8", "--size", "64KiB", "--latency",
                                    "1ms", "--bandwidth", "1Gbps", "--ports", "cutthrough",
                                    "--collectives", "ps,ps-colocated,ring", "--json"});
  REQUIRE(outcome.status == 0);
  const Json rows = Json::parse(outcome.output)["rows"];
  const double latency = 1e-3, transfer = 65536 / 125e6;
  CHECK(rows[0]["measured_s"].get<double>() == Approx(2 * (latency + 8 * transfer)).epsilon(1e-9));
  CHECK(rows[1]["measured_s"].get<double>() ==
        Approx(2 * (latency + 7 * transfer / 8)).epsilon(1e-9));
  CHECK(rows[2]["measured_s"].get<double>() == Approx(14 * (latency + transfer / 8)).epsilon(1e-9));
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
  CHECK_THAT(outcome.output, !ContainsSubstring("cutthrough"));
  const auto other = run_program({"netcheck", "--workers", "3", "--ports", "cutthrough"});
  CHECK_THAT(other.output, ContainsSubstring("1Gbps; cutthrough ports, simulated"));
}

TEST_CASE("netcheck: documents and tables say what they are for", "[app]") {
  const std::vector<std::string> asked{
      "netcheck", "--collectives", "hierarchical", "--workers", "4",         "--servers",
      "2",        "--size",        "64KiB",        "--ports",   "cutthrough"};
  CHECK_THAT(run_program(asked).output, ContainsSubstring("4 workers, 2 servers or 2 groups, "));
  std::vector<std::string> json = asked;
  json.emplace_back("--json");
  const Json document = Json::parse(run_program(json).output);
  CHECK(document.at("ports") == "cutthrough");
  CHECK(document.at("servers") == 2);
  CHECK(document.at("bytes") == 65536);
  CHECK(document.at("time") == "virtual");
  CHECK(document.at("repetitions").is_null());
  const auto ring = run_program({"netcheck", "--collectives", "ring", "--workers", "1"});
  CHECK_THAT(ring.output, ContainsSubstring("1 worker, 1.049 MB a vector"));
  const auto once = run_program({"netcheck", "--collectives", "ring", "--workers", "1", "--time",
                                 "wall", "--repetitions", "1"});
  CHECK_THAT(once.output, ContainsSubstring("really waited for, once"));
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
