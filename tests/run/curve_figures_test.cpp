#include "trainyard/run/curve_figures.hpp"

#include <set>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "trainyard/report/summary_format.hpp"
#include "trainyard/run/rank_figures.hpp"

#include "run/distinct_noise.hpp"
#include "support/catch.hpp"

namespace trainyard {

namespace {

using Json = nlohmann::ordered_json;
using Words = std::vector<std::string>;

/// No two of its numbers are alike, so that no figure can be taken for another.
Metrics distinct_metrics() {
  return {.step = 40.5,
          .epoch = 1.75,
          .seconds = 2.5,
          .samples = 18446744073709551557U,  // no double is that
          .bytes_sent = 437900000,
          .train_loss = 0.25,
          .test_loss = 0.375,
          .test_accuracy = 0.875,
          .consensus_distance = 0.0625,
          .squared_gradient_norm = 0.0078125,
          .gradient_noise = test::distinct_noise,
          .suboptimality = 0.001953125,
          .optimum_distance = 0.6875,
          .train_r_squared = 0.9375,
          .test_r_squared = 0.90625,
          .validation_loss = 0.4375,
          .validation_accuracy = 0.8125,
          .test_metric = 0.96875,
          .validation_metric = 0.984375};
}

/// What the program wrote of it before there was a table, and what has come since.
constexpr const char* distinct_line =
    R"({"step":40.5,"epoch":1.75,"seconds":2.5,"samples":18446744073709551557,)"
    R"("bytes_sent":437900000,"train_loss":0.25,"test_loss":0.375,"test_accuracy":0.875,)"
    R"("validation_loss":0.4375,"validation_accuracy":0.8125,"test_metric":0.96875,)"
    R"("validation_metric":0.984375,)"
    R"("consensus_distance":0.0625,"squared_gradient_norm":0.0078125,"train_r_squared":0.9375,)"
    R"("test_r_squared":0.90625,"row_variance":1.5625,"worker_variance":0.0390625,)"
    R"("gradient_diversity":0.01171875,"batch_bound":7.25,"noise_scale_signal":0.013671875,)"
    R"("noise_scale_noise":1.6875,"noise_scale":123.5,)"
    R"("suboptimality":0.001953125,"optimum_distance":0.6875})";

/// Two workers and a server.
RunResult distinct_run() {
  RunResult result;
  result.summary.servers = 1;
  result.accounts = {{.compute = std::chrono::milliseconds(1500),
                      .transfer = std::chrono::milliseconds(250),
                      .wait = std::chrono::milliseconds(125),
                      .messages_sent = 1,
                      .bytes_sent = 2,
                      .messages_received = 3,
                      .bytes_received = 4},
                     {},
                     {.messages_sent = 5}};
  return result;
}

Words keys_on(CurveAxis axis) {
  Words keys;
  for (const CurveFigure* figure : curve_figures_on(axis)) keys.emplace_back(figure->key);
  return keys;
}

}  // namespace

TEST_CASE("a line of metrics.jsonl is what it was before its table", "[figures]") {
  CHECK(Json::parse(metrics_json(distinct_metrics())).dump() == distinct_line);
  std::set<std::string_view> keys;
  for (const CurveFigure& figure : curve_figures()) {
    INFO(figure.key);
    CHECK(keys.insert(figure.key).second);
    CHECK(figure.label.empty() == (figure.axis == CurveAxis::none));
  }
}

TEST_CASE("the columns of curves hold what their lines do", "[figures]") {
  RunResult result = distinct_run();
  result.metrics = {distinct_metrics(), {}};
  const Json columns = Json::parse(run_json(result))["evaluations"];
  Json first;
  for (const auto& [key, column] : columns.items()) first[key] = column.at(0);
  CHECK(first.dump() == distinct_line);
  CHECK(columns["test_loss"] == Json({0.375, nullptr}));
  result.metrics = {Metrics{}};
  CHECK(Json::parse(run_json(result))["evaluations"]["test_loss"].is_null());
  CHECK(Json::parse(run_json(result))["evaluations"]["step"] == Json({0.0}));
}

TEST_CASE("a page's menus of curves begin with time and training loss", "[figures]") {
  CHECK(keys_on(CurveAxis::over) == Words{"seconds", "epoch", "bytes_sent", "step"});
  const Words shown = keys_on(CurveAxis::shown);
  CHECK(Words(shown.begin(), shown.begin() + 11) ==
        Words{"train_loss", "test_loss", "test_accuracy", "validation_loss", "validation_accuracy",
              "test_metric", "validation_metric", "train_r_squared", "test_r_squared",
              "squared_gradient_norm", "consensus_distance"});
}

TEST_CASE("ranks.csv and the columns of ranks are what they were before their table", "[figures]") {
  RunResult result = distinct_run();
  constexpr const char* header =
      "rank,role,compute_s,transfer_s,wait_s,messages_sent,bytes_sent,messages_received,"
      "bytes_received";
  CHECK(ranks_csv(result) == std::string(header) +
                                 "\n0,worker,1.5,0.25,0.125,1,2,3,4\n"
                                 "1,worker,0,0,0,0,0,0,0\n2,server,0,0,0,5,0,0,0\n");
  CHECK(Json::parse(run_json(result))["ranks"].dump() ==
        R"({"rank":[0,1,2],"role":["worker","worker","server"],"compute_s":[1.5,0.0,0.0],)"
        R"("transfer_s":[0.25,0.0,0.0],"wait_s":[0.125,0.0,0.0],"messages_sent":[1,0,5],)"
        R"("bytes_sent":[2,0,0],"messages_received":[3,0,0],"bytes_received":[4,0,0]})");

  result.places = {{.core = 6, .node = 1, .moves = 9}, {.core = 7}, {}};
  const std::string placed = ranks_csv(result);
  CHECK_THAT(placed, ContainsSubstring(std::string(header) + ",core,node,moves\n"));
  CHECK_THAT(placed, ContainsSubstring(",3,4,6,1,9\n1,worker,0,0,0,0,0,0,0,7,,\n2,"));
  result.counts = {{.cycles = 11, .page_faults = 12}, {}, {}};
  const Json counted = Json::parse(run_json(result))["ranks"];
  CHECK(counted["moves"] == Json({9, nullptr, nullptr}));
  CHECK(counted["cycles"] == Json({11, nullptr, nullptr}));
  CHECK(counted["page_faults"] == Json({12, nullptr, nullptr}));
}

}  // namespace trainyard
