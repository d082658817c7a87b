// `trainyard topology` and `trainyard consensus`, as a user and a script see them.
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "app/program.hpp"
#include "data/files.hpp"
#include "support/catch.hpp"

namespace trainyard {

namespace {

using Json = nlohmann::json;
using Words = std::vector<std::string>;

std::vector<double> values_after(const std::string& topology, std::size_t rounds) {
  const Outcome outcome = run_program({"consensus", "--topology", topology, "--workers", "5",
                                       "--rounds", std::to_string(rounds), "--json"});
  REQUIRE(outcome.status == 0);
  const Json document = Json::parse(outcome.output);
  REQUIRE(document["rounds"].size() == rounds + 1);
  CHECK(document["mean"] == 2.0);
  return document["rounds"][rounds]["x"];
}

void check_values(const std::string& topology, std::size_t rounds,
                  const std::vector<double>& printed) {
  CAPTURE(topology, rounds);
  const std::vector<double> found = values_after(topology, rounds);
  REQUIRE(found.size() == printed.size());
  for (std::size_t i = 0; i < printed.size(); ++i) {
    CHECK(found[i] == Approx(printed[i]).epsilon(0).margin(5.001e-4));
  }
}

}  // namespace

// Catalogue §4.3: those of the lecture's entries that are right.
TEST_CASE("consensus reproduces the lecture's tables of five nodes", "[app]") {
  check_values("ring", 1, {5.0 / 3, 1.0, 2.0, 3.0, 7.0 / 3});
  check_values("ring", 5, {1.955, 1.926, 2.0, 2.074, 2.045});
  check_values("static-exp", 1, {1.75, 1.5, 2.5, 2.25, 2.0});
  check_values("ring", 20, {2, 2, 2, 2, 2});
  check_values("static-exp", 20, {2, 2, 2, 2, 2});
  // Printed as 2.000 and 2.002, against their own row's sum.
  CHECK(values_after("ring", 10)[3] == Approx(2.003).margin(5e-4));
  CHECK(values_after("static-exp", 10)[4] == Approx(2.000002).margin(5e-7));
}

TEST_CASE("consensus over a directed graph shows what push-sum estimates", "[app]") {
  const TemporaryFolder folder;
  folder.write("links", "1 0\n2 0\n0 1\n0 2\n1 2\n");
  const ProgramOptions here{.folder = folder.path()};
  const Outcome text = run_program(
      {"consensus", "--topology", "digraph:links", "--workers", "3", "--rounds", "30"}, here);
  CHECK_THAT(text.output, ContainsSubstring("estimates of push-sum over digraph:links, 3 workers"));
  const Outcome json = run_program(
      {"consensus", "--topology", "digraph:links", "--workers", "3", "--rounds", "60", "--json"},
      here);
  const std::vector<double> last = Json::parse(json.output)["rounds"][60]["x"];
  for (const double x : last) CHECK(x == Approx(1.0));
  CHECK_THAT(run_program({"topology", "digraph:links", "--workers", "3"}, here).output,
             ContainsSubstring("second largest |eigenvalue|") && ContainsSubstring("0.33333"));
}

TEST_CASE("consensus: a line a round, from a file, of many workers the lowest and highest",
          "[app]") {
  const TemporaryFolder folder;
  folder.write("start.txt", "# two islands\n1 1\n1\n\n9 9 9 # the other\n");
  const ProgramOptions here{.folder = folder.path()};
  const Outcome six = run_program({"consensus", "--topology", "base:2", "--workers", "6",
                                   "--rounds", "4", "--from", "start.txt", "--json"},
                                  here);
  REQUIRE(six.status == 0);
  const Json rounds = Json::parse(six.output)["rounds"];
  CHECK(rounds[0]["x"] == std::vector<double>{1, 1, 1, 9, 9, 9});
  CHECK(rounds[0]["consensus_distance"] == 16.0);
  CHECK(rounds[4]["consensus_distance"].get<double>() < 1e-24);

  const Outcome text = run_program({"consensus", "--workers", "5", "--rounds", "1"});
  CHECK_THAT(text.output, ContainsSubstring("1.66667   1   2   3  2.33333    0.4444"));
  const Outcome many = run_program({"consensus", "--workers", "40", "--rounds", "2"});
  CHECK_THAT(many.output, ContainsSubstring("lowest  highest"));

  for (const auto& [numbers, message] : std::vector<std::pair<std::string, std::string>>{
           {"1 2 3\n", "found 3 numbers; expected 6 numbers, one for each worker"},
           {"1 2 3\n4 5 6 7\n", "start.txt:2: '7' is one too many"},
           {"1 2 x 4 5 6\n", "start.txt:1: 'x'"}}) {
    folder.write("start.txt", numbers);
    const Outcome wrong = run_program({"consensus", "--workers", "6", "--from", "start.txt"}, here);
    CHECK(wrong.status == 2);
    CHECK(wrong.output.empty());
    CHECK_THAT(wrong.errors, ContainsSubstring(message));
  }
  CHECK_THAT(run_program({"consensus", "--from", "nowhere"}, here).errors,
             ContainsSubstring("--from: nowhere: no such file"));
}

TEST_CASE("topology --json has the documented keys, and W", "[app]") {
  const Outcome outcome =
      run_program({"topology", "static-exp", "--workers", "5,1024", "--size", "1MB", "--json"});
  REQUIRE(outcome.status == 0);
  const Json document = Json::parse(outcome.output);
  CHECK(document["topology"] == "static-exp");
  CHECK(document["model_bytes"] == 1000000);
  REQUIRE(document["rows"].size() == 2);
  const Json& row = document["rows"][0];
  std::set<std::string> keys;
  for (const auto& [key, value] : row.items()) keys.insert(key);
  CHECK(keys == std::set<std::string>{"workers",
                                      "period",
                                      "symmetric",
                                      "doubly_stochastic",
                                      "connected",
                                      "in_degree",
                                      "out_degree",
                                      "messages_per_step",
                                      "bytes_per_step",
                                      "lockstep_message_times",
                                      "rho",
                                      "rms_contraction",
                                      "spectral_gap",
                                      "lambda_min",
                                      "rounds_to_exact",
                                      "rounds_to_1e-3",
                                      "rounds_to_1e-6",
                                      "least_push_sum_weight",
                                      "transient_iterations",
                                      "transient_iterations_unlike",
                                      "W"});
  CHECK(row["transient_iterations"].get<double>() ==
        Approx(125 * std::pow(0.25, 4) / std::pow(0.75, 2)).epsilon(1e-9));
  CHECK(row["transient_iterations_unlike"].get<double>() ==
        Approx(125 * std::pow(0.25, 4) / std::pow(0.75, 4)).epsilon(1e-9));
  CHECK(row["rho"].get<double>() == Approx(0.25).epsilon(1e-12));
  CHECK(row["lambda_min"].is_null());
  CHECK(row["rounds_to_exact"].is_null());
  CHECK(row["rounds_to_1e-6"] == 10);
  CHECK(row["bytes_per_step"] == 3e6);
  CHECK(row["W"] == Json::parse("[[[0.25,0.25,0.25,0,0.25],[0.25,0.25,0.25,0.25,0],"
                                "[0,0.25,0.25,0.25,0.25],[0.25,0,0.25,0.25,0.25],"
                                "[0.25,0.25,0,0.25,0.25]]]"));
  CHECK(document["rows"][1]["workers"] == 1024);
  CHECK(document["rows"][1]["W"].is_null());
}

TEST_CASE("topology: one in full, several as a table", "[app]") {
  const std::string one = run_program({"topology", "base:2", "--workers", "5"}).output;
  for (const char* part : {"base:2, 5 workers", "W(4)", "rounds to exact consensus", "0.80000"}) {
    CHECK_THAT(one, ContainsSubstring(part));
  }
  const std::string several = run_program({"topology", "ring", "--workers", "4,16"}).output;
  CHECK_THAT(several, ContainsSubstring("0.333333") && ContainsSubstring("0.949253") &&
                          ContainsSubstring("261"));
  // Of the ring of 4, ρ = 1/3: 64 (1/3)⁴ / (2/3)² = 1.78; of that of 16 1.3e+06.
  CHECK_THAT(several, ContainsSubstring(" 1.8 ") && ContainsSubstring(" 1.3e+06 "));
  CHECK_THAT(one, ContainsSubstring("transient iterations, of the order of"));
  // One worker, and more than are shown.
  CHECK(run_program({"topology", "full", "--workers", "1"}).status == 0);
  CHECK_THAT(run_program({"topology", "torus", "--workers", "20"}).output,
             !ContainsSubstring("\nW"));
  // A random one is the seed's.
  const auto random = [](const std::string& seed) {
    return run_program({"topology", "erdos-renyi", "--workers", "9", "--seed", seed}).output;
  };
  CHECK(random("4") == random("4"));
  CHECK(random("4") != random("5"));
}

TEST_CASE("topology --svg draws ranks, links and rounds", "[app]") {
  const TemporaryFolder folder;
  const ProgramOptions here{.folder = folder.path()};
  const auto drawn = [&](const std::string& name, const std::string& workers) {
    const Outcome outcome = run_program(
        {"topology", name, "--workers", workers, "--svg", "graph.svg", "--force"}, here);
    REQUIRE(outcome.status == 0);
    const std::string text = read_file(folder.path() / "graph.svg");
    CHECK(text.starts_with("<svg "));
    CHECK(text.ends_with("</svg>\n"));
    CHECK_THAT(text, !ContainsSubstring("nan") && !ContainsSubstring("inf"));
    return text;
  };
  const auto count = [](const std::string& text, const std::string& part) {
    std::size_t found = 0;
    for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
    return found;
  };
  const std::string torus = drawn("torus", "12");
  CHECK(count(torus, "<circle") == 12);
  CHECK(count(torus, "stroke-opacity") == 24);  // both ways are one line
  const std::string directed = drawn("static-exp", "8");
  CHECK(count(directed, "stroke-opacity") == 8 * 2 + 4);  // the farthest pairs go both ways
  CHECK(count(directed, "Z\"") == 8 * 2);
  const std::string rounds = drawn("base:2", "5");
  CHECK(count(rounds, ">round ") == 5);
  CHECK(count(rounds, "<circle") == 25);
  CHECK(count(drawn("od-equidyn", "6"), ">round ") == 12);
  drawn("ring", "1");
  CHECK_THAT(run_program({"topology", "ring", "--svg", "graph.svg"}, here).errors,
             ContainsSubstring("graph.svg exists; --force overwrites it"));
}

TEST_CASE("a run over a graph of one's own, and the same run again", "[app]") {
  const TemporaryFolder folder;
  folder.write("office.txt", "0 1\n1 2\n2 3\n3 0\n0 2\n");
  const ProgramOptions here{.folder = folder.path()};
  const Words words{"run",    "--scheme",       "gossip",    "--topology", "file:office.txt",
                    "--time", "virtual",        "--workers", "4",          "--steps",
                    "10",     "--compute-time", "1ms",       "--json",     "--quiet",
                    "--out",  "results"};
  const Outcome first = run_program(words, here);
  REQUIRE(first.status == 0);
  CHECK(Json::parse(first.output)["messages"] == 10 * 10);
  CHECK(run_program({"run", "results/gossip/config.toml"}, here).output == first.output);

  folder.write("office.txt", "0 1\n1 2\n2 9\n");
  const Outcome wrong = run_program({"run", "results/gossip/config.toml"}, here);
  CHECK(wrong.status == 2);
  CHECK_THAT(wrong.errors, ContainsSubstring("--topology: file: office.txt:3") &&
                               ContainsSubstring("'9'") && ContainsSubstring("from 0 to 3"));
  CHECK_THAT(run_program({"topology", "file:office.txt", "--workers", "10"}, here).output,
             ContainsSubstring("connected") && ContainsSubstring("never"));
}

}  // namespace trainyard
