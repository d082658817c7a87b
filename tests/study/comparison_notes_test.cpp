// What is said of a comparison and of its runs goes with their results.
#include <algorithm>
#include <atomic>
#include <exception>
#include <memory>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "trainyard/report/summary_format.hpp"
#include "trainyard/study/collated_notes.hpp"
#include "trainyard/study/comparison.hpp"
#include "trainyard/study/crossover_map.hpp"
#include "trainyard/study/relate.hpp"

#include "report/results.hpp"
#include "run/small_runs.hpp"
#include "support/catch.hpp"

namespace trainyard {

namespace {

using Json = nlohmann::json;

ComparisonRequest request_of(const std::string& schemes) {
  ComparisonRequest request{.configuration = small_configuration(""),
                            .contestants = parse_contestants(schemes)};
  request.options.jobs = 1;
  return request;
}

/// Whom the one note with `part` in it is about, in a comparison's JSON.
std::string about(const Compared& compared, const std::string& part) {
  const Json document = Json::parse(comparison_json(compared.runs, {}, compared.notes));
  std::vector<std::string> found;
  for (const Json& note : document.at("notes")) {
    if (note.at("text").get<std::string>().find(part) != std::string::npos) {
      found.push_back(note.at("about"));
    }
  }
  INFO(part << " in " << document.at("notes").dump(1));
  REQUIRE(found.size() == 1);
  return found.front();
}

std::ptrdiff_t notes_with(const Compared& compared, const std::string& part) {
  return std::ranges::count_if(
      compared.notes, [&](const Note& note) { return note.text.find(part) != std::string::npos; });
}

}  // namespace

TEST_CASE("a comparison's notes are in its JSON, with those whom they are about", "[study]") {
  ComparisonRequest request = request_of("all-centralised,ring{topology=torus},ring{lr=1e9}");
  request.configuration.epochs = 0.3;
  request.configuration.evaluate_every = 0.3;
  request.configuration.optimizer.momentum = 0.9;
  request.configuration.given = {"staleness"};
  request.configuration.compute_time.reset();
  request.configuration.time = TimeMode::simulated;
  std::vector<std::string> said;
  ComparisonHooks hooks;
  hooks.remark = [&](const std::string& text) { said.push_back(text); };
  const Compared compared = run_comparison(request, small_data(), hooks);
  CHECK(about(compared, " are skipped, all as the first: ").empty());
  CHECK(about(compared, "--staleness has no effect").empty());
  CHECK(about(compared, "--topology has no effect") == "ring{topology=torus}");
  CHECK(about(compared, "warning: diverged") == "ring{lr=1e9}");
  CHECK(about(compared, "were there by their first evaluation").empty());
  CHECK(about(compared, "one step size γ means different steps").empty());
  CHECK(std::ranges::any_of(said, [](const std::string& text) {
    return text.starts_with("note: ring{topology=torus}: --topology has no effect");
  }));
  const auto of_run = [&](const std::string& label) {
    const auto run = std::ranges::find_if(
        compared.runs, [&](const RunResult& each) { return each.summary.label == label; });
    return run->summary.notes;
  };
  CHECK(of_run("ring").empty());
  CHECK(of_run("ring{lr=1e9}").size() == 1);
}

TEST_CASE("what is heard of one contestant names it", "[study]") {
  ComparisonRequest request = request_of("ring,fedavg");
  request.configuration.epochs = 0.1;
  request.configuration.partition = parse_partition("dirichlet:0.1", "--partition");
  request.configuration.hyperparameters["participation"] = 1.0;
  std::vector<std::string> said;
  ComparisonHooks hooks;
  hooks.remark = [&](const std::string& text) { said.push_back(text); };
  const Compared compared = run_comparison(request, small_data(), hooks);
  const auto heard = [&](const std::string& beginning, const std::string& part) {
    return std::ranges::count_if(said, [&](const std::string& text) {
      return text.starts_with(beginning) && text.find(part) != std::string::npos;
    });
  };
  CHECK(heard("note: ring: ", "minimised is the mean over workers") == 1);
  CHECK(heard("note: fedavg: ", "minimises the mean over rows") == 1);
  CHECK(heard("note: workers have ", " rows; where rows are weighed") == 1);
  CHECK(about(compared, "minimised is the mean over workers") == "ring");
}

TEST_CASE("the numbers of unequal shares are those of the division", "[study]") {
  ComparisonRequest request = request_of("ring,gossip");
  Configuration& c = request.configuration;
  c.epochs = 0.1;
  c.partition = parse_partition("dirichlet:0.1", "--partition");
  request.options.seeds = 2;
  const Compared compared = run_comparison(request, small_data(), {});
  const LoadedData data = small_data();
  for (const std::uint64_t seed : {c.seed, c.seed + 1}) {
    const auto parts =
        divide_rows(data.train, c.partition, static_cast<std::size_t>(c.workers), seed);
    std::vector<std::size_t> sizes;
    for (const auto& part : parts) sizes.push_back(part.size());
    const auto [least, most] = std::ranges::minmax(sizes);
    const double factor = static_cast<double>(c.workers) * static_cast<double>(most) /
                          static_cast<double>(data.train.rows);
    CHECK(about(compared, fmt::format("workers have {} to {} of the {} rows; where rows are "
                                      "weighed, the largest share has weight {:.3g} ",
                                      least, most, data.train.rows, factor)) ==
          fmt::format("seed {}", seed));
  }
}

TEST_CASE("a note of --jobs is one of the comparison", "[study]") {
  ComparisonRequest request = request_of("ring,gossip");
  request.configuration.epochs = 0.1;
  request.options.jobs = 2;
  CHECK(notes_with(run_comparison(request, small_data(), {}), "--jobs has no effect") == 0);
  request.configuration.time = TimeMode::wall;
  CHECK(notes_with(run_comparison(request, small_data(), {}), "--jobs has no effect") == 1);
}

/// With an evaluation after each second, and epoch.
RunResult run_along(const std::string& label, const std::vector<double>& losses) {
  RunResult run = bare_result("ring");
  run.summary.label = label;
  run.metrics.clear();
  for (std::size_t i = 0; i < losses.size(); ++i) {
    const auto at = static_cast<double>(i);
    run.metrics.push_back({.step = at, .epoch = at, .seconds = at, .train_loss = losses[i]});
  }
  run.summary.train_loss = losses.back();
  run.summary.messages = 8;  // somebody was heard
  return run;
}

TEST_CASE("who has hardly learnt sets no target for nine others", "[study]") {
  for (const std::size_t others : {8U, 9U}) {
    CAPTURE(others);
    std::vector<RunResult> runs;
    runs.push_back(run_along("fed-lt", {0.7, 0.65, 0.55}));
    for (std::size_t i = 0; i < others; ++i) {
      runs.push_back(run_along(fmt::format("ring{}", i), {0.7, 0.5, i == 3 ? 0.4 : 0.3}));
    }
    for (RunResult& run : runs) run.summary.varied = {{"lr", "0.1"}};
    runs.front().summary.varied = {{"lr", "0.001"}};
    std::vector<std::string> said;
    relate(runs, [&](const std::string& text) { said.push_back(text); });
    const bool is_out = others == 9;
    CHECK(runs[1].summary.target_loss == (is_out ? 0.4 : 0.55));
    CHECK(runs[0].summary.seconds_to_target.has_value() == !is_out);
    CHECK(std::ranges::count(said,
                             "note: no part of the common target, having come less than half as "
                             "far down as others: fed-lt, lr 0.001") == (is_out ? 1 : 0));
    CHECK_THAT(comparison_table(runs),
               ContainsSubstring(is_out ? "training loss 0.4, the lowest that all but 1 of 10 "
                                          "runs reached;"
                                        : "training loss 0.55, the lowest that all reached;"));
  }
}

TEST_CASE("who went up again after the target that all reached is named", "[study]") {
  std::vector<RunResult> runs;
  runs.push_back(run_along("ring", {0.7, 0.3, 0.3, 0.5}));
  runs.push_back(run_along("gossip", {0.7, 0.6, 0.5, 0.3}));
  runs.push_back(run_along("ps-sync", {0.7, 0.5, 0.4, 0.29}));
  std::vector<std::string> said;
  relate(runs, [&](const std::string& text) { said.push_back(text); });
  CHECK(std::ranges::count(said,
                           "note: went up again after the target: ring to a training loss of 0.5 "
                           "at its end; the target is 0.3") == 1);
  CHECK_THAT(comparison_table(runs),
             ContainsSubstring("first at the target: ring after 1 s; then ps-sync after 2.909 s; "
                               "with one seed.\n") &&
                 ContainsSubstring("\nring went up again after that, to a training loss of 0.5 at "
                                   "its end; the target is 0.3.\n") &&
                 !ContainsSubstring("ps-sync went up"));
}

TEST_CASE("what was asked for and is not there is named", "[study]") {
  ComparisonRequest request = request_of("ring,gossip");
  request.configuration.epochs = 0.1;
  request.options = {.seeds = 2, .jobs = 1};
  CHECK(run_comparison(request, small_data(), {}).lacking.empty());

  std::atomic<bool> interrupted{false};
  ComparisonHooks hooks;
  hooks.interrupted = &interrupted;
  int begun = 0;
  struct Quiet final : CaseListener {
    RunHooks hooks() override { return {}; }
    void ended(const RunResult&) override {}
    void failed(std::exception_ptr) override {}
  };
  hooks.begins = [&](const Case&) {
    if (++begun == 2) interrupted = true;
    return std::make_unique<Quiet>();
  };
  const Compared compared = run_comparison(request, small_data(), hooks);
  REQUIRE(compared.runs.size() < 4);
  CHECK(compared.runs.size() + compared.lacking.size() == 4);
  CHECK(std::ranges::count(compared.lacking, "gossip, seed 2") == 1);
  const Json document = Json::parse(comparison_json(compared.runs, {}, {}, compared.lacking));
  CHECK(document["lacking"] == Json(compared.lacking));
}

TEST_CASE("what holds for all of several runs is about nobody", "[study]") {
  std::vector<RunResult> runs;
  for (const std::uint64_t seed : {1U, 2U}) {
    for (const char* label : {"ring", "gossip"}) {
      runs.push_back(bare_result(label));
      runs.back().summary.seed = seed;
      runs.back().summary.notes = {{"", "note: all"}};
    }
  }
  runs[0].summary.notes.push_back({"", "warning: ring"});
  runs[2].summary.notes.push_back({"", "warning: ring"});
  runs[3].summary.notes.push_back({"", "warning: one"});
  CHECK(collated_notes(runs, {{"", "note: before"}}) ==
        std::vector<Note>{{"", "note: before"},
                          {"", "note: all"},
                          {"ring", "warning: ring"},
                          {"gossip, seed 2", "warning: one"}});
}

TEST_CASE("what holds at all points of a contestant is about it, not about each point", "[study]") {
  std::vector<RunResult> runs;
  for (const char* latency : {"0us", "1ms"}) {
    for (const char* label : {"ring", "hogwild", "gossip"}) {
      runs.push_back(bare_result(label));
      runs.back().summary.varied = {{"latency", latency}};
      if (runs.back().summary.label == "hogwild") runs.back().summary.notes = {{"", "note: apart"}};
    }
  }
  runs[5].summary.notes = {{"", "note: slow"}};
  CHECK(collated_notes(runs, {}) ==
        std::vector<Note>{{"hogwild", "note: apart"}, {"gossip, latency 1ms", "note: slow"}});
}

TEST_CASE("steps that differ are a note unless each scheme has its own step size", "[study]") {
  ComparisonRequest request = request_of("ring,ps-async");
  request.configuration.epochs = 0.1;
  CHECK_FALSE(run_comparison(request, small_data(), {}).notes.empty());
  request.options.step_sizes = StepSizes::tuned;
  for (const Note& note : run_comparison(request, small_data(), {}).notes) {
    CHECK_THAT(note.text, !ContainsSubstring("one step size"));
  }
}

TEST_CASE("steps that are the same by other words are not said to differ", "[study]") {
  const auto differ = [](const char* other, int workers) {
    std::vector<RunResult> runs;
    for (const char* scheme : {"ring", other}) {
      runs.push_back(bare_result(scheme));
      runs.back().resolved.workers = workers;
    }
    return !differing_steps(runs).empty();
  };
  CHECK_FALSE(differ("sequential", 8));
  CHECK_FALSE(differ("gossip", 8));
  CHECK(differ("ps-async", 8));
  CHECK_FALSE(differ("ps-async", 1));  // of one worker the mean is its gradient
  CHECK(differ("sign-sgd", 1));
}

TEST_CASE("a map has the notes of its runs", "[study]") {
  const MapRequest request{.comparison = request_of("ring,hogwild-numa{groups=1}"),
                           .axes = parse_map("latency=10us,1ms,bandwidth=1Mbps,1Gbps")};
  const CrossoverMap map = crossover_map(request, {});
  CHECK(std::ranges::any_of(map.notes, [](const Note& note) {
    return note.about == "hogwild-numa{groups=1}" && note.text.find("hogwild") != std::string::npos;
  }));
}

}  // namespace trainyard
