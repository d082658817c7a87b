// What `run --json` prints, held against the run itself, and the summary in it.
#include <limits>
#include <numeric>

#include <nlohmann/json.hpp>

#include "trainyard/configuration/options.hpp"
#include "trainyard/report/json_text.hpp"
#include "trainyard/report/summary_format.hpp"
#include "trainyard/run/plan.hpp"
#include "trainyard/run/resolve.hpp"
#include "trainyard/runtime/trace.hpp"

#include "report/results.hpp"
#include "support/catch.hpp"
#include "support/training.hpp"

namespace trainyard {

namespace {

using Json = nlohmann::json;

RunResult recorded(const std::string& scheme) {
  Configuration c = test::quick(scheme, 4, 40);
  c.network.latency = std::chrono::microseconds(100);
  c.network.bytes_per_second = 1e6;
  const LoadedData data = test::dense_problem();
  TraceRecorder recorder({.first = 0, .last = 2});
  RunHooks hooks;
  hooks.recorder = &recorder;
  return run_experiment(plan_run(resolve(c, {scheme}, data, {}), data), hooks);
}

}  // namespace

TEST_CASE("a run's JSON is its summary and all that it summarises", "[report]") {
  const RunResult result = recorded("ps-async");
  const Json run = Json::parse(run_json(result));

  const Json summary = Json::parse(summary_json(result.summary));
  for (const auto& [key, value] : summary.items()) {
    INFO(key);
    CHECK(run.at(key) == value);
  }
  CHECK(run["configuration"] == configuration_text(result.resolved));
  CHECK(run["command"] == run_command_text(result.resolved));

  const Json& columns = run["evaluations"];
  REQUIRE(result.metrics.size() > 1);
  for (std::size_t i = 0; i < result.metrics.size(); ++i) {
    const Json line = Json::parse(metrics_json(result.metrics[i]));
    for (const auto& [key, value] : line.items()) {
      INFO(key << " of evaluation " << i);
      const Json& column = columns.at(key);
      CHECK((column.is_null() ? Json(nullptr) : column.at(i)) == value);
    }
  }
}

TEST_CASE("a run's JSON has each rank and each staleness", "[report]") {
  const RunResult result = recorded("ps-async");
  const Json run = Json::parse(run_json(result));
  const Json& ranks = run["ranks"];
  CHECK(ranks["role"] == Json({"worker", "worker", "worker", "worker", "server"}));
  std::uint64_t bytes = 0;
  for (std::size_t rank = 0; rank < result.accounts.size(); ++rank) {
    CHECK(ranks["rank"][rank] == rank);
    CHECK(ranks["wait_s"][rank] == to_seconds(result.accounts[rank].wait));
    bytes += ranks["bytes_sent"][rank].get<std::uint64_t>();
  }
  CHECK(bytes == result.summary.bytes_sent);

  const Json& staleness = run["updates_by_staleness"];
  double updates = 0.0, sum = 0.0;
  for (std::size_t i = 0; i < staleness["updates"].size(); ++i) {
    updates += staleness["updates"][i].get<double>();
    sum += staleness["updates"][i].get<double>() * staleness["staleness"][i].get<double>();
  }
  CHECK(updates == 160.0);  // 4 workers, 40 steps
  CHECK(sum / updates == Approx(result.summary.staleness->mean));
  CHECK(Json::parse(run_json(recorded("ring")))["updates_by_staleness"].is_null());
}

TEST_CASE("a run's JSON has the messages of its recorded steps", "[report]") {
  const RunResult result = recorded("ring");
  const Json run = Json::parse(run_json(result));
  const Json& messages = run["first_steps"]["messages"];
  REQUIRE(result.trace);
  REQUIRE(messages["from"].size() == 2 * 4 * 6);  // 2 steps, 4 workers, 2 (n − 1) messages
  for (std::size_t i = 0; i < result.trace->messages.size(); ++i) {
    const Transfer& message = result.trace->messages[i];
    CHECK(messages["from"][i] == message.from);
    CHECK(messages["to"][i] == message.to);
    CHECK(messages["bytes"][i] == message.bytes);
    CHECK(messages["end"][i] == to_seconds(message.end));
  }
  const Json& spans = run["first_steps"]["spans"];
  const double end = run["first_steps"]["until"];
  double spent = 0.0;
  for (std::size_t i = 0; i < spans["rank"].size(); ++i) {
    spent += spans["until"][i].get<double>() - spans["from"][i].get<double>();
  }
  CHECK(spent == Approx(4 * end));  // from 0, without gaps
}

TEST_CASE("JSON has a line for each member and one for a list of numbers", "[report]") {
  const nlohmann::ordered_json json{{"a", {1, 2}},
                                    {"b", {{"c", nullptr}}},
                                    {"d", {{1}, {2}}},
                                    {"e", nlohmann::ordered_json::object()},
                                    {"f", "\xff"}};
  CHECK(json_text(json) ==
        "{\n  \"a\": [1,2],\n  \"b\": {\n    \"c\": null\n  },\n  \"d\": [\n    [1],\n    [2]\n  "
        "],\n  \"e\": {},\n  \"f\": \"\uFFFD\"\n}\n");
  CHECK(json_line({{"a", 1}}) == "{\"a\":1}\n");
}

TEST_CASE("what does not apply, or is not finite, is null in JSON", "[report]") {
  RunResult result = bare_result("ring");
  result.summary.train_loss = std::numeric_limits<double>::quiet_NaN();
  const auto json = Json::parse(summary_json(result.summary));
  for (const char* key :
       {"target_loss", "seconds_to_target", "epochs_to_target", "test_loss", "test_accuracy",
        "compute_stretch", "staleness", "consensus_distance", "train_loss"}) {
    INFO(key);
    CHECK(json.at(key).is_null());
  }
  const auto line = Json::parse(metrics_json(result.metrics.back()));
  CHECK(line.at("test_loss").is_null());
  CHECK(line.at("consensus_distance").is_null());
  CHECK(line.at("train_loss") == 0.25);
  CHECK(line.at("step") == 10.0);
}

TEST_CASE("JSON keeps every figure and the order of the documentation", "[report]") {
  Summary summary = full_result("ring").summary;
  summary.compute_stretch = 1.25;
  const auto json = nlohmann::ordered_json::parse(summary_json(summary));
  CHECK(json.begin().key() == "label");
  CHECK(json.at("seconds_to_target") == 0.0000125);
  CHECK(json.at("staleness").at("p99") == 8);
  CHECK(json.at("time_split").at("transfer") == 0.5);
  CHECK(json.at("bytes_sent") == 437900000);
  CHECK(json.at("compute_stretch") == 1.25);
  CHECK(metrics_json({}).find('\n') == metrics_json({}).size() - 1);
}

TEST_CASE("a name that is no UTF-8 does not break the JSON", "[report]") {
  RunResult result = bare_result("ring");
  result.summary.dataset = "d\xff.svm";
  CHECK(Json::parse(summary_json(result.summary))["dataset"]["name"] == "d\uFFFD.svm");
}

}  // namespace trainyard
