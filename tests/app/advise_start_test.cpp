// What `trainyard advise` begins with, what it is told of memory and failures, and what contradicts
// itself.
#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/program.hpp"
#include "data/files.hpp"
#include "support/catch.hpp"

using namespace trainyard;
using Json = nlohmann::json;

namespace {

Json advice_of(const std::vector<std::string>& arguments,
               const std::filesystem::path& folder = {}) {
  std::vector<std::string> all{"advise", "--json", "--quiet"};
  all.insert(all.end(), arguments.begin(), arguments.end());
  const Outcome outcome = run_program(all, {.folder = folder});
  CAPTURE(outcome.errors);
  REQUIRE(outcome.status == 0);
  return Json::parse(outcome.output);
}

}  // namespace

TEST_CASE("advice begins with a configuration, and flags win", "[app]") {
  const TemporaryFolder folder;
  (void)folder.write("mine.toml",
                     "[run]\nworkers = 6\n[network]\nbandwidth = \"625Mbps\"\nup-bandwidth = "
                     "\"100Mbps\"\nfault = \"loss:0.01\"\n[compute]\ncompute-time = \"250ms\"\n");
  const Json advice = advice_of({"mine.toml", "--size", "59MB"}, folder.path());
  CHECK(advice["workers"] == 6);
  CHECK(advice["compute_s"] == 0.25);
  CHECK(advice["settings"]["up-bandwidth"] == "100Mbps");
  CHECK(advice["parameters"] == 14'750'000);
  CHECK(advice_of({"mine.toml", "--size", "59MB", "--workers", "4"}, folder.path())["workers"] ==
        4);
  const Outcome said =
      run_program({"advise", "mine.toml", "--size", "59MB"}, {.folder = folder.path()});
  CHECK_THAT(said.errors, ContainsSubstring("note: fault of mine.toml has no effect"));
  CHECK_THAT(said.output, ContainsSubstring("--up-bandwidth 100Mbps"));
  // Without a size it is that of the model on the data, which are the built-in ones here.
  CHECK(advice_of({"mine.toml"}, folder.path())["parameters"] == 10'000);
}

TEST_CASE("advice begins with data, on which a minibatch is measured", "[app]") {
  const TemporaryFolder folder;
  std::string rows;
  for (int i = 0; i < 200; ++i) rows += std::to_string(i % 2) + "," + std::to_string(i) + ",1,2\n";
  (void)folder.write("mine.csv", rows);
  const Json advice = advice_of({"mine.csv", "--workers", "2"}, folder.path());
  CHECK(advice["parameters"].get<int>() >= 3);
  CHECK(advice["parameters"].get<int>() <= 8);
  CHECK(advice["compute_s"].get<double>() > 0.0);
  CHECK(advice["compute_s"].get<double>() < 1e-3);
}

TEST_CASE("advice begins with a run that was saved", "[app]") {
  const TemporaryFolder folder;
  const Outcome run =
      run_program({"run", "--scheme", "ring", "--workers", "4", "--steps", "20", "--batch", "16",
                   "--bandwidth", "100Mbps", "--compute-time", "2ms", "--out", "results"},
                  {.folder = folder.path()});
  REQUIRE(run.status == 0);
  for (const char* named : {"results/ring", "results/ring/summary.json"}) {
    const Json advice = advice_of({named}, folder.path());
    CHECK(advice["workers"] == 4);
    CHECK(advice["batch"] == 16);
    CHECK(advice["compute_s"] == 0.002);
    CHECK(advice["parameters"] == 10'000);
    CHECK(advice["bandwidth_bytes_per_s"] == 12.5e6);
    CHECK(advice["measured"].is_null());  // its times are simulated
  }
  const Outcome none = run_program({"advise", "results"}, {.folder = folder.path()});
  CHECK(none.status == 2);
  CHECK_THAT(none.errors,
             ContainsSubstring("'results': a saved run is a folder with config.toml and "
                               "summary.json"));
  (void)folder.write("results/ring/summary.json", "{}");
  const Outcome spoilt = run_program({"advise", "results/ring"}, {.folder = folder.path()});
  CHECK(spoilt.status == 3);
  CHECK_THAT(spoilt.errors, ContainsSubstring("is not the summary of a run"));
}

TEST_CASE("a saved run of the machine's time has a rate that was measured", "[app]") {
  const TemporaryFolder folder;
  const Outcome run = run_program({"run", "--scheme", "ring", "--workers", "2", "--steps", "20",
                                   "--time", "wall", "--out", "results", "--quiet"},
                                  {.folder = folder.path()});
  REQUIRE(run.status == 0);
  const Outcome outcome =
      run_program({"advise", "results/ring", "--json"}, {.folder = folder.path()});
  // Or it did more than its minibatches allow, by the clock of a busy machine.
  if (outcome.status != 0) {
    CHECK_THAT(outcome.errors, ContainsSubstring("rows a second are more than 2 workers do"));
    return;
  }
  const Json advice = Json::parse(outcome.output);
  CHECK(advice["measured"]["scheme"] == "ring");
  CHECK(advice["measured"]["rows_per_s"].get<double>() > 0.0);
}

TEST_CASE("what a saved run's minibatches have in them is not applied once more", "[app]") {
  const TemporaryFolder folder;
  const Outcome run =
      run_program({"run", "--scheme", "ring", "--workers", "2", "--steps", "20", "--time", "wall",
                   "--straggler", "0:3", "--out", "results", "--quiet"},
                  {.folder = folder.path()});
  REQUIRE(run.status == 0);
  const Outcome other =
      run_program({"advise", "results/ring", "--workers", "3", "--batch", "64", "--json"},
                  {.folder = folder.path()});
  REQUIRE(other.status == 0);
  CHECK(Json::parse(other.output)["measured"].is_null());
  for (const char* note : {"note: straggler of results/ring/summary.json is in the time",
                           "the rate of the saved run is left aside: --workers is another setting",
                           "note: a minibatch takes what one of 32 rows takes in results/ring"}) {
    CHECK_THAT(other.errors, ContainsSubstring(note));
  }
  CHECK_THAT(other.output, !ContainsSubstring("stragglers"));
}

TEST_CASE("advice with failures has predict's interval for the fastest scheme", "[app]") {
  const std::vector<std::string> machines{
      "--size",      "59MB",    "--workers",         "6",   "--compute-time", "1s",
      "--bandwidth", "625Mbps", "--checkpoint-time", "5min"};
  std::vector<std::string> all = machines;
  all.insert(all.end(), {"--mtbf", "6h", "--run-time", "500h"});
  const Json advice = advice_of(all);
  const double factor = advice["checkpoints"]["factor"].get<double>();
  CHECK(advice["checkpoints"]["interval_s"].get<double>() == Approx(56.9 * 60).epsilon(0.02));
  CHECK(advice["checkpoints"]["expected_s"].get<double>() == Approx(500 * 3600 * factor));
  std::vector<std::string> predicted{"predict", "--schemes", "ring", "--json"};
  predicted.insert(predicted.end(), all.begin(), all.end());
  const Outcome outcome = run_program(predicted);
  REQUIRE(outcome.status == 0);
  const Json steps = Json::parse(outcome.output)["steps"]["rows"][0];
  CHECK(advice["checkpoints"]["steps"] == steps["steps"]);
  CHECK(factor == steps["factor"].get<double>());
  // Of six workers, each of which stops all.
  all = machines;
  all.insert(all.end(), {"--worker-mtbf", "36h"});
  CHECK(advice_of(all)["checkpoints"]["mtbf_s"] == 6.0 * 3600);
  all = machines;
  CHECK(run_program({"advise", "--checkpoint-time", "5min"}).status == 2);
}

TEST_CASE("advice leaves out what memory does not hold", "[app]") {
  const std::vector<std::string> machines{"--size", "100MB", "--optimizer", "adam", "--memory"};
  const auto with = [&](const char* memory) {
    std::vector<std::string> all = machines;
    all.emplace_back(memory);
    return advice_of(all);
  };
  const auto labels = [](const Json& advice) {
    std::string text;
    for (const Json& scheme : advice["schemes"]) text += scheme["label"].get<std::string>() + " ";
    return text;
  };
  const Json all = with("600MB");
  CHECK_THAT(labels(all), ContainsSubstring("diloco"));
  for (const Json& scheme : all["schemes"]) {
    if (scheme["label"] == "ring") CHECK(scheme["memory_bytes"] == 400e6);  // and two moments
    if (scheme["label"] == "ps-sync") CHECK(scheme["memory_bytes"] == 200e6);
    if (scheme["label"] == "diloco{period=50}") CHECK(scheme["memory_bytes"] == 600e6);
  }
  const Json less = with("599MB");
  CHECK(labels(less).find("diloco") == std::string::npos);
  CHECK_THAT(less["left_out"].dump(),
             ContainsSubstring("diloco{period=50}: a worker has at least 6 "
                               "vectors of the model's length: 600 MB"));
  CHECK(labels(with("200MB")) == "ps-sync ps-async ssp ");
}

TEST_CASE("what contradicts itself gets one message", "[app]") {
  struct Row {
    std::vector<std::string> arguments;
    std::string says;
  };
  for (const Row& row :
       {Row{{"--size", "100MB", "--memory", "199MB"},
            "--memory 199 MB: a worker with a model of 100 MB and its gradient has at least 200 "
            "MB"},
        Row{{"--measured", "1e9"}, "--measured: 1e+09 rows a second are more than 8 workers do"},
        Row{{"--bandwidth", "0"}, "--bandwidth"}, Row{{"--up-bandwidth", "0"}, "--up-bandwidth"},
        Row{{"--memory", "0"}, "--memory 0 B"},
        Row{{"--checkpoint-time", "5min"}, "how often something fails is missing"},
        Row{{"--checkpoint-time", "5min", "--mtbf", "1h", "--worker-mtbf", "1h"},
            "--worker-mtbf: --mtbf is given beside"},
        Row{{"--checkpoint-time", "6h", "--mtbf", "5min"},
            "--mtbf: where something fails every 5 min a run with checkpoints of"},
        Row{{"--checkpoint-time", "10h", "--mtbf", "1s"},
            "--mtbf: where something fails every 1 s a run with checkpoints of"},
        Row{{"--workers", "2", "--straggler", "5:2"}, "--straggler"},
        Row{{"--target-loss", "0.4"}, "--target-loss: of which data?"},
        Row{{"missing.toml", "--target-loss", "0"}, "missing.toml"},
        Row{{"missing.toml"}, "missing.toml"}, Row{{"--latency", "-1ms"}, "--latency"}}) {
    std::vector<std::string> all{"advise"};
    all.insert(all.end(), row.arguments.begin(), row.arguments.end());
    const Outcome outcome = run_program(all);
    CAPTURE(row.arguments, outcome.errors);
    CHECK(outcome.status == 2);
    CHECK(outcome.output.empty());
    CHECK_THAT(outcome.errors, ContainsSubstring(row.says));
    CHECK(std::count(outcome.errors.begin(), outcome.errors.end(), '\n') == 1);
  }
  const Outcome vain = run_program({"advise", "--optimizer", "adam", "--mtbf", "1h"});
  CHECK(vain.status == 0);
  CHECK_THAT(vain.errors, ContainsSubstring("note: --optimizer has no effect: it is for --memory"));
  CHECK_THAT(vain.errors, ContainsSubstring("note: --mtbf has no effect"));
}

TEST_CASE("advice with a target says beforehand what it trains, and then who is first", "[app]") {
  const TemporaryFolder folder;
  (void)folder.write("mine.toml", "[data]\ndataset = \"dense-logistic:500\"\n");
  const std::vector<std::string> all{"advise",         "mine.toml", "--target-loss", "0.4",
                                     "--compute-time", "1ms",       "--workers",     "3",
                                     "--seeds",        "2",         "--epochs",      "5"};
  const auto with = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words = all;
    words.insert(words.end(), more.begin(), more.end());
    return run_program(words, {.folder = folder.path()});
  };
  const Outcome outcome = with({});
  CAPTURE(outcome.errors, outcome.output);
  REQUIRE(outcome.status == 0);
  CHECK_THAT(outcome.errors, ContainsSubstring("ways to talk are trained in simulated time"));
  CHECK_THAT(outcome.errors, ContainsSubstring("with 2 seeds: up to some"));
  CHECK_THAT(outcome.output, ContainsSubstring(" is first at a training loss 0.4, after "));
  CHECK(with({"--quiet"}).errors.empty());
  const Json target = Json::parse(with({"--json", "--quiet"}).output)["target"];
  CHECK(target["rows"] == 500);
  CHECK(target["seeds"] == 2);
  CHECK(target["most_passes"] == 5.0);
  CHECK_THAT(outcome.output, ContainsSubstring(std::string(target["ways"][0]["label"]) +
                                               " is first at a training loss"));
  const Outcome both = with({"--target-accuracy", "0.8"});
  CHECK(both.status == 2);
  CHECK_THAT(both.errors, ContainsSubstring("--target-accuracy: --target-loss is given as well"));
  const Outcome vain = run_program({"advise", "--epochs", "5", "--seeds", "2"});
  CHECK_THAT(vain.errors, ContainsSubstring("note: --epochs has no effect: it is of runs to a"));
  CHECK_THAT(vain.errors, ContainsSubstring("note: --seeds has no effect: it is of runs to a"));
}

TEST_CASE("advice for one machine trains on it, and says what it does not look at", "[app]") {
  const TemporaryFolder folder;
  (void)folder.write("mine.toml",
                     "[data]\ndataset = \"dense-logistic:400\"\n[network]\nlatency = \"1ms\"\n"
                     "[compute]\ncompute-time = \"250ms\"\n");
  const Json advice = advice_of({"mine.toml", "--machines", "shared", "--target-loss", "0.5",
                                 "--workers", "2", "--seeds", "1", "--epochs", "5"},
                                folder.path());
  CHECK(advice["ways"].size() + advice["left_out"].size() == 6);
  CHECK(advice["target"] == "training loss 0.5");
  CHECK(advice["seeds"] == 1);
  const Outcome said =
      run_program({"advise", "mine.toml", "--machines", "shared", "--target-loss", "0.5",
                   "--workers", "1", "--seeds", "1", "--latency", "2ms", "--size", "1MB"},
                  {.folder = folder.path()});
  CHECK(said.status == 0);
  CHECK_THAT(said.errors, ContainsSubstring("note: --latency has no effect: with --machines") &&
                              ContainsSubstring("note: --size has no effect") &&
                              ContainsSubstring("one thread is trained here, ") &&
                              ContainsSubstring("at the pace of one thread"));
  CHECK_THAT(said.output, ContainsSubstring("One thread is first at a training loss 0.5") &&
                              ContainsSubstring("machine: "));
  const auto refused = [&](std::vector<std::string> more, const std::string& why) {
    std::vector<std::string> all{"advise", "mine.toml", "--machines"};
    all.insert(all.end(), more.begin(), more.end());
    const Outcome outcome = run_program(all, {.folder = folder.path()});
    CHECK(outcome.status == 2);
    CHECK_THAT(outcome.errors, ContainsSubstring(why));
  };
  refused({"shared"}, "--machines shared: each way is trained on this machine until a target");
  refused({"shared", "--target-loss", "0.5", "--latency", "banana"}, "--latency");
  refused({"shared", "--target-loss", "0.5", "--noise-scale", "x"}, "--noise-scale");
  refused({"one"}, "--machines: 'one' is neither separate nor shared");
  refused({"shared", "--target-loss", "0.5", "--html", "x.html"}, "--html: draws what machines");
}

TEST_CASE("advice says in its own flags what the data are too few for", "[app]") {
  const TemporaryFolder folder;
  (void)folder.write("few.svm", "+1 1:1\n-1 2:1\n+1 1:2\n-1 2:3\n");
  (void)folder.write("mine.toml",
                     "[data]\ndataset = \"few.svm\"\n[compute]\ncompute-time = \"1ms\"\n");
  for (const char* machines : {"shared", "separate"}) {
    const auto refused = [&](std::vector<std::string> more, const std::string& why) {
      std::vector<std::string> all{"advise", "mine.toml", "--machines", machines};
      all.insert(all.end(), more.begin(), more.end());
      const Outcome outcome = run_program(all, {.folder = folder.path()});
      CAPTURE(machines);
      CHECK(outcome.status == 2);
      CHECK_THAT(outcome.errors, ContainsSubstring(why));
    };
    refused({"--target-loss", "0.5", "--workers", "5", "--batch", "1"},
            "--workers: each of 5 needs a training row, and few.svm has 4 rows");
    refused({"--target-loss", "0.5", "--workers", "2", "--batch", "5"},
            "--batch: a minibatch of 5 rows is more than the 4 training rows of few.svm");
    refused({"--target-accuracy", "0.9", "--workers", "2", "--batch", "1"},
            "--target-accuracy: few.svm has neither validation nor test rows; "
            "validation=0.2 beside the data takes some out, and a target loss needs none");
  }
}

TEST_CASE("advice measures the noise scale of a file's data, and says how it rises", "[app]") {
  const TemporaryFolder folder;
  (void)folder.write("mine.toml",
                     "[data]\ndataset = \"dense-logistic:400\"\n[optimizer]\nlr = 0.05\n");
  const Outcome run = run_program(
      {"run", "mine.toml", "--scheme", "sequential", "--workers", "1", "--gradient-noise",
       "--epochs", "1", "--evaluate-every", "0.125", "--compute-time", "1ms", "--json", "--quiet"},
      {.folder = folder.path()});
  REQUIRE(run.status == 0);
  const auto scales = Json::parse(run.output)["evaluations"]["noise_scale"];
  const std::vector<std::string> asked{"advise", "mine.toml", "--noise-scale", "measured"};
  const Outcome said = run_program(asked, {.folder = folder.path()});
  CHECK(said.status == 0);
  CHECK_THAT(said.errors, ContainsSubstring(fmt::format(
                              "note: the noise scale is {:.4g} rows at the beginning of "
                              "a pass of one worker (--lr 0.05), {:.4g} at its end, ",
                              scales.front().get<double>(), scales.back().get<double>())));
  const Json advice = advice_of({"mine.toml", "--noise-scale", "measured"}, folder.path());
  const auto two = std::ranges::find(advice["worker_counts"], 2,
                                     [](const Json& one) { return one["workers"].get<int>(); });
  REQUIRE(two != advice["worker_counts"].end());
  // (1 + B/64)/(1 + B/256) of as many steps, of the length that two workers' have.
  const double least = scales.front().get<double>(), most = scales.back().get<double>();
  const auto steps = [](double scale) { return (1.0 + scale / 64.0) / (1.0 + scale / 256.0); };
  const Json& first = advice["schemes"].front();
  const double found = (*two)["relative_time"].get<double>() * first["step_s"].get<double>() /
                       (*two)["step_s"].get<double>();
  CHECK(found > std::min(steps(least), steps(most)) * 0.999);
  CHECK(found < std::max(steps(least), steps(most)) * 1.001);
  const Outcome without =
      run_program({"advise", "--noise-scale", "measured"}, {.folder = folder.path()});
  CHECK(without.status == 2);
  CHECK_THAT(without.errors, ContainsSubstring("--noise-scale measured: of which data?"));
}

TEST_CASE("advice leaves aside where a file's results go", "[app]") {
  const TemporaryFolder folder;
  (void)folder.write("mine.toml",
                     "[data]\ndataset = \"dense-logistic:400\"\n[output]\ncheckpoint = \"saved\"\n"
                     "out = \"results\"\ntrace = \"trace.json\"\n");
  for (const std::vector<std::string>& more :
       {std::vector<std::string>{"--noise-scale", "measured"},
        {"--target-loss", "0.5", "--seeds", "1", "--workers", "2"},
        {"--target-loss", "0.5", "--seeds", "1", "--workers", "1", "--machines", "shared"}}) {
    std::vector<std::string> all{"mine.toml"};
    all.insert(all.end(), more.begin(), more.end());
    (void)advice_of(all, folder.path());
  }
  for (const char* made : {"saved", "results", "trace.json"}) {
    CHECK_FALSE(std::filesystem::exists(folder.path() / made));
  }
}
