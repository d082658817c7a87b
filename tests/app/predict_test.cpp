#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "app/program.hpp"
#include "support/catch.hpp"

using namespace trainyard;
using Json = nlohmann::json;

TEST_CASE("predict: every scheme, and bounds", "[app]") {
  const auto outcome = run_program({"predict", "--json"});
  REQUIRE(outcome.status == 0);
  CHECK(outcome.errors.empty());
  const Json document = Json::parse(outcome.output);
  CHECK(document["workers"] == 8);
  bool ring = false;
  for (const Json& row : document["rows"]) {
    if (row["scheme"] != "ring") continue;
    ring = true;
    // 1 ms + 14 (100 µs + 128 KiB / 125 MB/s)
    CHECK(row["closed_form_s"].get<double>() == Approx(1e-3 + 14 * (1e-4 + 131072 / 125e6)));
    CHECK(row["step_s"].get<double>() == Approx(row["closed_form_s"].get<double>()));
    CHECK(row["way"].is_null());
  }
  CHECK(ring);
  CHECK(document["lower_bounds"]["rows"].size() > 5);
}

TEST_CASE("predict: a table for people, with a crossing point", "[app]") {
  const auto table = run_program({"predict", "--workers", "4", "--schemes", "ring,gossip"});
  CHECK(table.status == 0);
  CHECK_THAT(table.output, ContainsSubstring("gossip:one-peer-exp"));
  CHECK_THAT(table.output, ContainsSubstring("first step"));
  const auto sweep = run_program({"predict", "--vary", "latency=10us:100ms"});
  CHECK(sweep.status == 0);
  CHECK_THAT(sweep.output, ContainsSubstring("from ring to gossip:ring"));
}

TEST_CASE("predict: what it does not understand", "[app]") {
  struct Row {
    std::vector<std::string> flags;
    const char* says;
  };
  for (const Row& row : std::vector<Row>{
           {{"--size", "3"}, "--size: '3' is not a multiple of 4 bytes"},
           {{"--size", "0"}, "--size: '0'"},
           {{"--rows", "0"}, "--rows: '0'"},
           {{"--schemes", "rnig"}, "did you mean 'ring'?"},
           {{"--schemes", "gossip:rnig"}, "did you mean 'ring'?"},
           {{"--compute-time", "auto"}, "--compute-time: a prediction takes a duration"},
           {{"--vary", "epochs=1,2"}, "--vary: 'epochs' is not one of workers"},
           {{"--vary", "latency=1ms,2ms", "--latency", "3ms"}, "--latency is given beside"},
           {{"--vary", "size=4B,8B", "--size", "4"}, "--size is given beside"},
           {{"--straggler", "9:2"}, "--straggler"},
           {{"--reduce-rate", "3"}, "--reduce-rate: '3'"},
           {{"--lr", "1"}, "no flag named '--lr'"}}) {
    std::vector<std::string> command{"predict"};
    command.insert(command.end(), row.flags.begin(), row.flags.end());
    CAPTURE(row.flags);
    const auto outcome = run_program(command);
    CHECK(outcome.status == 2);
    CHECK(outcome.output.empty());
    CHECK_THAT(outcome.errors, ContainsSubstring(row.says));
  }
}
