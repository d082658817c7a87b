// Who shares memory is on one machine: over a network between machines that somebody asked for it
// stands apart, and is first nowhere.
#include "trainyard/run/one_machine.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "trainyard/configuration/defaults.hpp"
#include "trainyard/report/summary_format.hpp"
#include "trainyard/study/comparison.hpp"
#include "trainyard/study/crossover_map.hpp"

#include "run/small_runs.hpp"
#include "support/catch.hpp"

namespace trainyard {

namespace {

using Json = nlohmann::json;

ComparisonRequest over(Network network, std::vector<std::string> given,
                       const std::string& schemes = "hogwild,ring,hogwild++,ps-async") {
  ComparisonRequest request{.configuration = small_configuration(""),
                            .contestants = parse_contestants(schemes)};
  Configuration& c = request.configuration;
  c.time = TimeMode::simulated;
  c.compute_time = std::chrono::microseconds(100);
  c.network = network;
  c.given = std::move(given);
  c.hyperparameters = {{"groups", 2.0}};
  request.options.jobs = 1;
  return request;
}

Network slow_network() {
  return {.latency = std::chrono::milliseconds(2), .bytes_per_second = 1e6};
}

std::vector<std::string> labels_of(const Compared& compared) {
  std::vector<std::string> labels;
  for (const RunResult& run : compared.runs) labels.push_back(run.summary.label);
  return labels;
}

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++found;
  }
  return found;
}

const std::string one_machine = "one machine", nodes = "the NUMA nodes of one machine";

}  // namespace

TEST_CASE("a network is asked for by a flag, or by other values than the default's", "[study]") {
  Configuration c = default_configuration();
  CHECK_FALSE(asks_for_network(c));
  c.given = {"workers", "lr"};
  CHECK_FALSE(asks_for_network(c));
  for (const char* option : {"latency", "bandwidth", "racks", "links"}) {
    c.given = {option};
    CHECK(asks_for_network(c));
  }
  c.given.clear();
  c.network.latency = std::chrono::milliseconds(1);
  CHECK(asks_for_network(c));
  c = default_configuration();
  c.network.racks = 2;
  CHECK(asks_for_network(c));
  Configuration perfect;  // nothing lies between its workers
  perfect.given = {"latency", "bandwidth"};
  CHECK_FALSE(asks_for_network(perfect));
}

TEST_CASE("over a network who shares memory comes last, and is not ranked", "[study]") {
  const Compared compared = run_comparison(over(slow_network(), {"latency"}), small_data(), {});
  CHECK(labels_of(compared) ==
        std::vector<std::string>{"ring", "ps-async", "hogwild", "hogwild++"});
  const auto& runs = compared.runs;
  CHECK_FALSE(runs[0].summary.within);
  CHECK_FALSE(runs[1].summary.within);
  CHECK(runs[2].summary.within == one_machine);
  CHECK(runs[3].summary.within == nodes);
  // They would have been first by far.
  REQUIRE(runs[2].summary.seconds_to_target);
  CHECK(*runs[2].summary.seconds_to_target < 0.5 * *runs[0].summary.seconds_to_target);
  CHECK(*runs[2].summary.seconds_to_target < 0.5 * *runs[1].summary.seconds_to_target);

  const std::string table = comparison_table(runs, {}, {});
  CHECK(count_of(table, "first at the target: ring") +
            count_of(table, "first at the target: ps-") ==
        1);
  CHECK(count_of(table, "then hogwild") == 0);
  CHECK(count_of(table,
                 "apart, and not ranked: hogwild within one machine; hogwild++ within the "
                 "NUMA nodes of one machine.") == 1);
  CHECK(count_of(table, "hogwild (one machine)") >= 1);
  CHECK(count_of(table, "hogwild++ (one machine)") >= 1);
  for (const Markup markup : {Markup::markdown, Markup::latex}) {
    const std::string text = comparison_markup(runs, {}, markup, compared.notes);
    CHECK(text.find("hogwild (one machine)") > text.find("ps-async"));
    CHECK(count_of(text, "stands apart") == 2);
  }
  const Json document = Json::parse(comparison_json(runs, {}, compared.notes));
  CHECK(document.at("runs")[0].at("within").is_null());
  CHECK(document.at("runs")[2].at("within") == one_machine);
  CHECK(count_of(document.at("notes").dump(), "stands apart") == 2);
}

TEST_CASE("who is first on one network is not said to be first on another", "[study]") {
  const Compared compared = run_comparison(
      [] {
        ComparisonRequest request =
            over(default_configuration().network, {"workers"}, "ring,ps-sync");
        request.variations = {parse_variation("latency=0us,20ms")};
        return request;
      }(),
      small_data(), {});
  for (const std::string& text :
       {comparison_table(compared.runs, {}, {}),
        comparison_markup(compared.runs, {}, Markup::markdown, compared.notes)}) {
    CAPTURE(text);
    CHECK(count_of(text, "latency 0us: ") == 1);
    CHECK(count_of(text, "latency 20ms: ") == 1);
    const std::size_t line = text.find("latency 0us: ");
    CHECK(text.substr(line, text.find('\n', line) - line).find("20ms") == std::string::npos);
    CHECK(count_of(text, "many passes") == 0);
  }
  const Json document = Json::parse(comparison_json(compared.runs, {}, compared.notes));
  CHECK(document.at("runs")[3].at("circumstances").at("latency") == "20ms");
}

TEST_CASE("over the default network too, where the others talk over it", "[study]") {
  const Compared compared =
      run_comparison(over(default_configuration().network, {"workers"}), small_data(), {});
  CHECK(labels_of(compared) ==
        std::vector<std::string>{"ring", "ps-async", "hogwild", "hogwild++"});
  CHECK(compared.runs[2].summary.within == one_machine);
}

TEST_CASE("without a network, or among themselves, they are contestants like others", "[study]") {
  for (const auto& [network, schemes] : std::vector<std::pair<Network, std::string>>{
           {Network(), "hogwild,ring"},
           {default_configuration().network, "hogwild,sequential"},
           {default_configuration().network, "hogwild,hogwild-split"}}) {
    const Compared compared = run_comparison(over(network, {"workers"}, schemes), small_data(), {});
    CHECK(labels_of(compared).front() == "hogwild");
    for (const RunResult& run : compared.runs) CHECK_FALSE(run.summary.within);
    CHECK(count_of(comparison_table(compared.runs, {}, {}), "one machine") == 0);
  }
}

TEST_CASE("one worker shares nothing, and is no machine's", "[study]") {
  ComparisonRequest alone = over(slow_network(), {"latency"}, "hogwild,ring");
  alone.configuration.workers = 1;
  alone.configuration.hyperparameters = {{"groups", 1.0}};
  for (const RunResult& run : run_comparison(alone, small_data(), {}).runs) {
    CHECK_FALSE(run.summary.within);
  }
}

TEST_CASE("a grid over networks has them last at each point", "[study]") {
  ComparisonRequest grid = over(default_configuration().network, {}, "hogwild,ring");
  grid.variations = {parse_variation("latency=100us,1ms")};
  const Compared compared = run_comparison(grid, small_data(), {});
  CHECK(labels_of(compared) == std::vector<std::string>{"ring", "hogwild", "ring", "hogwild"});
  for (const std::size_t at : {1, 3}) CHECK(compared.runs[at].summary.within == one_machine);
}

TEST_CASE("a contestant with a network of its own does not move the others", "[study]") {
  const ComparisonRequest own =
      over(default_configuration().network, {}, "hogwild,ring{latency=5ms},hogwild{latency=5ms}");
  const Compared compared = run_comparison(own, small_data(), {});
  CHECK(labels_of(compared) ==
        std::vector<std::string>{"ring{latency=5ms}", "hogwild", "hogwild{latency=5ms}"});
  CHECK(compared.runs[1].summary.within == one_machine);
  CHECK(compared.runs[2].summary.within == one_machine);
}

TEST_CASE("they are first in no cell of a map of networks", "[study]") {
  MapRequest asked{.comparison = over(default_configuration().network, {}, "hogwild,ring,ps-sync"),
                   .axes = parse_map("latency=20us,2ms,bandwidth=10Mbps,1Gbps")};
  const CrossoverMap map = crossover_map(asked, {});
  REQUIRE(map.contestants.size() == 3);
  CHECK(map.contestants[2].label == "hogwild");
  CHECK(map.contestants[2].within == one_machine);
  CHECK_FALSE(map.contestants[0].within);
  for (const MapCell& cell : map.cells) {
    REQUIRE(cell.seconds[2]);
    CHECK((cell.first() == 0 || cell.first() == 1));
    CHECK(*cell.ahead() >= 1.0);
    CHECK(*cell.seconds[2] < *cell.seconds[static_cast<std::size_t>(cell.first())]);
  }
  const Json document = Json::parse(crossover_map_json(map));
  CHECK(document.at("contestants")[2].at("within") == one_machine);
  CHECK(count_of(document.at("notes").dump(), "stands apart") == 1);
  CHECK(count_of(crossover_map_table(map), "one machine") == 2);  // in its line, and what it means

  // Not a map of networks: over the default one, which the others talk over, it is the same.
  asked.axes = parse_map("lr=0.1,0.2,batch=4,8");
  const CrossoverMap of_steps = crossover_map(asked, {});
  REQUIRE(of_steps.contestants.size() == 3);
  CHECK(of_steps.contestants[2].within == one_machine);
  // Among themselves nobody talks.
  asked.comparison = over(default_configuration().network, {}, "hogwild,hogwild-split");
  for (const MappedContestant& one : crossover_map(asked, {}).contestants) CHECK_FALSE(one.within);
}

}  // namespace trainyard
