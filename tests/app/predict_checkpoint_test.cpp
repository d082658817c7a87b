// How often to write a checkpoint, as `predict` says it.
#include <cmath>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "app/program.hpp"
#include "support/catch.hpp"

using namespace trainyard;
using Json = nlohmann::json;

namespace {

using Words = std::vector<std::string>;

Words with(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

/// Daly's figure 3.
const Words figure_3{"predict", "--checkpoint-time", "5min", "--restart-time", "10min", "--mtbf",
                     "24h",     "--run-time",        "500h"};

Json answered(const Words& command) {
  const auto outcome = run_program(with(command, {"--json"}));
  CAPTURE(outcome.errors);
  REQUIRE(outcome.status == 0);
  return Json::parse(outcome.output);
}

}  // namespace

TEST_CASE("predict: how often to write a checkpoint", "[app]") {
  const auto table = run_program(figure_3);
  CHECK(table.status == 0);
  CHECK(table.errors.empty());
  CHECK_THAT(table.output,
             ContainsSubstring("δ = 5 min a checkpoint, R = 10 min a restart; M = 24 h "
                               "between failures; T_s = 500 h of work"));
  CHECK_THAT(table.output, ContainsSubstring("120 min"));
  CHECK_THAT(table.output, ContainsSubstring("116.7 min"));  // "117 min"
  CHECK_THAT(table.output, ContainsSubstring("547.9 h"));    // 500 h · 1.09576
  CHECK_THAT(table.output, ContainsSubstring("exponential"));
  CHECK(table.output.find("∞") == std::string::npos);

  const Json document = answered(figure_3);
  CHECK(document["checkpoint_s"] == 300.0);
  CHECK(document["restart_s"] == 600.0);
  CHECK(document["mtbf_s"] == 86400.0);
  CHECK(document["run_s"] == 1.8e6);
  CHECK(document["workers"].is_null());
  CHECK(document["steps"].is_null());
  const Json& rows = document["rows"];
  REQUIRE(rows.size() == 4);
  const Words rules{"young", "daly", "optimum", "end"};
  const std::vector<double> minutes{120.0, 116.6898, 116.6901, 30000.0};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Json& row = rows[i];
    CAPTURE(row.dump());
    CHECK(row["rule"] == rules[i]);
    const double interval_s = row["interval_s"];
    CHECK(interval_s / 60.0 == Approx(minutes[i]).epsilon(1e-6));
    const double factor = 86400.0 * std::exp(600.0 / 86400.0) *
                          (std::exp((interval_s + 300.0) / 86400.0) - 1.0) / interval_s;
    CHECK(row["factor"].get<double>() == Approx(factor));
    CHECK(row["expected_s"].get<double>() == Approx(factor * 1.8e6));
    CHECK(row["failures"].get<double>() == Approx(factor * 1.8e6 / 86400.0));
    CHECK(row["work_share"].get<double>() == Approx(1.0 / factor));
    CHECK(row["checkpoint_share"].get<double>() == Approx(300.0 / interval_s / factor));
  }
}

TEST_CASE("predict: failures of each worker are as many times failures of all", "[app]") {
  // Five years each: beyond the 106 days of other durations.
  const Words command{"predict", "--checkpoint-time", "30s",    "--restart-time",
                      "2min",    "--worker-mtbf",     "43830h", "--workers",
                      "16"};
  const Json document = answered(command);
  CHECK(document["workers"] == 16);
  CHECK(document["worker_mtbf_s"] == 43830.0 * 3600.0);
  CHECK(document["mtbf_s"] == 43830.0 * 3600.0 / 16.0);
  CHECK(document["run_s"].is_null());
  REQUIRE(document["rows"].size() == 3);
  CHECK(document["rows"][0]["interval_s"].get<double>() ==
        Approx(std::sqrt(2.0 * 30.0 * 43830.0 * 3600.0 / 16.0)));
  CHECK(document["rows"][0]["expected_s"].is_null());
  CHECK(document["notes"].empty());
  CHECK_THAT(run_program(command).output,
             ContainsSubstring("M = 2739 h between failures of all, 5 years of each of 16 "
                               "workers"));
}

TEST_CASE("predict: checkpoints at the ends of steps", "[app]") {
  const Words steps{"--schemes", "ring,local-sgd{period=4}", "--compute-time", "20s", "--size",
                    "1GB"};
  const Json document = answered(with(figure_3, steps));
  const Json predicted = answered(with({"predict"}, steps))["rows"];
  const Json& rows = document["steps"]["rows"];
  CHECK(document["steps"]["parameters"] == 250'000'000);
  CHECK(document["steps"]["compute_s"] == 20.0);
  REQUIRE(rows.size() == 2);
  const double best_s = document["rows"][2]["interval_s"];
  for (std::size_t i = 0; i < rows.size(); ++i) {
    CAPTURE(rows[i].dump());
    CHECK(rows[i]["label"] == predicted[i]["label"]);
    CHECK(rows[i]["step_s"] == predicted[i]["step_s"]);
    const double step_s = rows[i]["step_s"], k = rows[i]["steps"];
    CHECK(std::abs(k - best_s / step_s) < 1.0);
    CHECK(rows[i]["interval_s"].get<double>() == Approx(k * step_s));
    CHECK(rows[i]["factor"].get<double>() ==
          Approx(document["rows"][2]["factor"].get<double>()).epsilon(1e-4));
  }
  const auto table = run_program(with(figure_3, steps));
  CHECK(table.errors.empty());
  CHECK_THAT(table.output, ContainsSubstring("8 workers, a model of 1 GB"));
  CHECK_THAT(table.output, ContainsSubstring("local-sgd{period=4}"));
  CHECK_THAT(table.output, ContainsSubstring(" " + rows[0]["steps"].dump() + " "));
  // A step longer than the interval is one by itself.
  CHECK(answered(with(figure_3, {"--schemes", "ring", "--compute-time",
                                 "5h"}))["steps"]["rows"][0]["steps"] == 1);
  // What takes no time has no number of steps.
  const Words at_once = with(figure_3, {"--schemes", "ring", "--compute-time", "0", "--bandwidth",
                                        "infinite", "--latency", "0"});
  CHECK(answered(at_once)["steps"]["rows"][0]["steps"].is_null());
  CHECK(answered(at_once)["steps"]["rows"][0]["interval_s"].is_null());
  CHECK_THAT(run_program(at_once).output, ContainsSubstring("-: of steps that take no time"));
  CHECK(table.output.find("-: of steps") == std::string::npos);
  // What a prediction leaves out of such steps is said here, too.
  const Words shared = with(figure_3, {"--schemes", "hogwild"});
  CHECK(answered(shared)["notes"].size() == 1);
  CHECK_THAT(run_program(shared).output, ContainsSubstring("cache lines"));
}

TEST_CASE("predict: a run that no checkpoint saves, and one that needs none", "[app]") {
  const Words hopeless{"predict", "--checkpoint-time", "5min", "--mtbf",
                       "100ms",   "--run-time",        "1h"};
  const Json rows = answered(hopeless)["rows"];
  for (const Json& row : rows) {
    CHECK(row["factor"].is_null());
    CHECK(row["expected_s"].is_null());
    CHECK(row["lost_share"] == 1.0);
  }
  const auto table = run_program(hopeless);
  CHECK_THAT(table.output, ContainsSubstring("never ends"));
  CHECK_THAT(table.output, ContainsSubstring("∞: the run never ends"));

  const Words brief{"predict", "--checkpoint-time", "1min", "--mtbf", "1000h", "--run-time", "1h"};
  const Json of_brief = answered(brief)["rows"];
  CHECK(of_brief[2]["interval_s"].get<double>() > 3600.0);
  CHECK(of_brief[2]["expected_s"] == of_brief[3]["expected_s"]);
  CHECK_THAT(
      run_program(brief).output,
      ContainsSubstring("the optimum is no shorter than the run: one checkpoint, at its end"));
  CHECK(run_program(figure_3).output.find("one checkpoint, at its end") == std::string::npos);

  const Words free{"predict", "--checkpoint-time", "0", "--mtbf", "1h"};
  CHECK(answered(free)["rows"][2]["interval_s"] == 0.0);
  CHECK(answered(free)["rows"][2]["factor"] == 1.0);
  CHECK_THAT(run_program(free).output, ContainsSubstring("checkpoints that take no time"));
}

TEST_CASE("predict: what it does not understand of checkpoints", "[app]") {
  struct Row {
    Words flags;
    const char* says;
  };
  for (const Row& row : std::vector<Row>{
           {{"--checkpoint-time", "5min"},
            "--checkpoint-time: how often something fails is missing"},
           {{"--checkpoint-time", "5", "--mtbf", "1h"}, "--checkpoint-time: '5' is not a duration"},
           {{"--checkpoint-time", "5min", "--mtbf", "0"}, "--mtbf: '0' is not above 0"},
           {{"--checkpoint-time", "5min", "--mtbf", "1day"},
            "--mtbf: '1day' is not a duration: a number ≥ 0 with a unit ps, ns, us, ms, s, min or "
            "h"},
           {{"--checkpoint-time", "5min", "--mtbf", "9days"}, "--mtbf: '9days' is not a duration"},
           {{"--checkpoint-time", "5min", "--mtbf", "-1h"}, "--mtbf: '-1h' is negative"},
           {{"--checkpoint-time", "5min", "--mtbf", "1e40h"},
            "--mtbf: '1e40h' is not above 0 and at most 1e+30 s"},
           {{"--checkpoint-time", "1e40h", "--mtbf", "1h"},
            "--checkpoint-time: '1e40h' is not 0 or more and at most 1e+30 s"},
           {{"--checkpoint-time", "5min", "--mtbf", "1h", "--worker-mtbf", "9h"},
            "--worker-mtbf: --mtbf is given beside"},
           {{"--checkpoint-time", "5min", "--mtbf", "1h", "--run-time", "0"},
            "--run-time: '0' is not above 0"},
           {{"--checkpoint-time", "5min", "--mtbf", "1h", "--restart-time", "ten"},
            "--restart-time: 'ten' is not a duration"},
           {{"--checkpoint-time", "5min", "--mtbf", "1h", "--vary", "latency=1ms,2ms"},
            "--vary: --checkpoint-time is given beside"},
           {{"--checkpoint-time", "5min", "--mtbf", "1h", "--break-even"},
            "--break-even: --checkpoint-time is given beside"},
           {{"--checkpoint-time", "5min", "--mtbf", "1h", "--schemes", "rnig"},
            "did you mean 'ring'?"},
           {{"--checkpoint-time", "5min", "--mtbf", "1h", "--html", "page.html"},
            "--html: --checkpoint-time is given beside"}}) {
    CAPTURE(row.flags);
    const auto outcome = run_program(with({"predict"}, row.flags));
    CHECK(outcome.status == 2);
    CHECK(outcome.output.empty());
    CHECK_THAT(outcome.errors, ContainsSubstring(row.says));
  }
}

TEST_CASE("predict: flags in vain beside checkpoints", "[app]") {
  const auto errors_of = [](const Words& command) { return run_program(command).errors; };
  CHECK_THAT(errors_of({"predict", "--schemes", "ring", "--mtbf", "24h"}),
             ContainsSubstring("--mtbf has no effect: it is for --checkpoint-time"));
  CHECK_THAT(errors_of({"predict", "--training-time", "--checkpoint-time", "1min"}),
             ContainsSubstring("--checkpoint-time has no effect: --training-time"));
  CHECK_THAT(errors_of({"predict", "--noise-ratio", "3", "--mtbf", "24h"}),
             ContainsSubstring("--mtbf has no effect: --noise-ratio"));
  const std::string alone = errors_of(
      with(figure_3, {"--latency", "1ms", "--workers", "4", "--rows", "9", "--model", "logistic"}));
  for (const char* flag : {"--latency", "--workers", "--rows", "--model"}) {
    CHECK_THAT(alone, ContainsSubstring("note: " + std::string(flag) + " has no effect: "));
  }
  CHECK_THAT(alone, ContainsSubstring("--schemes"));
  const std::string of_steps =
      errors_of(with(figure_3, {"--schemes", "ring", "--latency", "1ms", "--workers", "4", "--rows",
                                "9", "--period", "3"}));
  CHECK(of_steps.find("--latency") == std::string::npos);
  CHECK(of_steps.find("--workers") == std::string::npos);
  CHECK_THAT(of_steps, ContainsSubstring("--rows has no effect: "));
  CHECK_THAT(of_steps, ContainsSubstring("--period has no effect: "));
}
