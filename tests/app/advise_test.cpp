#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "app/program.hpp"
#include "support/catch.hpp"

using namespace trainyard;
using Json = nlohmann::json;

namespace {

const std::vector<std::string> six_machines{"advise",    "--size",      "59MB",
                                            "--workers", "6",           "--compute-time",
                                            "250ms",     "--bandwidth", "625Mbps"};

Outcome advised(const std::vector<std::string>& more) {
  std::vector<std::string> arguments = six_machines;
  arguments.insert(arguments.end(), more.begin(), more.end());
  return run_program(arguments);
}

}  // namespace

TEST_CASE("advise says the limit, with its seconds, and what would change it", "[app]") {
  const auto outcome = advised({});
  REQUIRE(outcome.status == 0);
  CHECK(outcome.errors.empty());
  for (const char* words :
       {"The limit is bandwidth: 1.259 s of the 1.51 s that a step of ring takes",
        "6 workers do 127.2 rows/s", "One worker alone does 128 rows/s: 6 are no faster than one",
        "90 % of linear needs 29.36 Gbps", "twice the bandwidth",
        "pays while it needs less than 5.49 times as many passes",
        "trainyard predict --schemes 'ring' --size 59MB --workers 6"}) {
    CHECK_THAT(outcome.output, ContainsSubstring(words));
  }
}

TEST_CASE("advice as JSON has the figures of the text", "[app]") {
  const auto outcome = advised({"--json", "--measured", "90", "--noise-scale", "4000"});
  REQUIRE(outcome.status == 0);
  const Json document = Json::parse(outcome.output);
  CHECK(document["limits"][0]["name"] == "bandwidth");
  CHECK(document["limits"][0]["seconds"].get<double>() == Approx(1.2587).epsilon(1e-3));
  CHECK(document["schemes"][0]["label"] == "ring");
  CHECK(document["schemes"][0]["as_one"] == true);
  CHECK(document["schemes"][0]["learns"].is_null());
  CHECK(document["alone_rows_per_s"] == 128.0);
  CHECK(document["worker_counts"].size() > 5);
  CHECK(document["measured"]["explanations"].size() == 3);
  CHECK(document["measured"]["scheme"] == "ring");
  const Json plain = Json::parse(advised({"--json"}).output);
  CHECK(plain["measured"].is_null());
  CHECK(plain["worker_counts"].empty());
}

TEST_CASE("advice that is asked for nothing sensible is refused by name", "[app]") {
  struct Row {
    std::vector<std::string> arguments;
    std::string says;
  };
  for (const Row& row :
       {Row{{"--measured", "800"}, "--measured: 800 rows a second are more"},
        Row{{"--measured", "-1"}, "--measured"}, Row{{"--noise-scale", "0"}, "--noise-scale"},
        Row{{"--bandwidth", "0bps"}, "--bandwidth"}, Row{{"--size", "3B"}, "--size"},
        Row{{"--scheme", "gossip"}, "--scheme: gossip is"},
        Row{{"--scheme", "rign"}, "did you mean 'ring'"}, Row{{"extra"}, "extra"}}) {
    const auto outcome = advised(row.arguments);
    CHECK(outcome.status == 2);
    CHECK_THAT(outcome.errors, ContainsSubstring(row.says));
  }
  const auto zero = run_program({"advise", "--compute-time", "0s"});
  CHECK(zero.status == 2);
  CHECK_THAT(zero.errors, ContainsSubstring("--compute-time"));
  const auto many = run_program({"advise", "--workers", "1000"});
  CHECK(many.status == 2);
  CHECK_THAT(many.errors, ContainsSubstring("--workers 1000: advice plays many steps"));
  const auto vain = advised({"--scheme", "ring"});
  CHECK(vain.status == 0);
  CHECK_THAT(vain.errors, ContainsSubstring("--scheme has no effect"));
}
