// Advice by the time to a target: passes are those of runs, and time is theirs at the advised rate.
#include "trainyard/study/target_times.hpp"

#include <algorithm>
#include <string>

#include <nlohmann/json.hpp>

#include "trainyard/configuration/defaults.hpp"
#include "trainyard/report/advice_format.hpp"
#include "trainyard/study/advice_map.hpp"
#include "trainyard/study/seed_statistics.hpp"
#include "trainyard/study/student.hpp"

#include "run/small_runs.hpp"
#include "support/catch.hpp"

namespace trainyard {

namespace {

using namespace std::chrono_literals;

struct Asked {
  AdviceQuestion question{};
  Advice advice{};
  Configuration of_data{};
};

/// Of four workers on the small set, whose model has as many parameters as is said.
Asked asked(double target, double epochs) {
  Asked made;
  PredictionSetting& setting = made.question.setting;
  setting.configuration = default_configuration();
  Configuration& machines = setting.configuration;
  machines.workers = 4;
  machines.compute_time = 1ms;
  machines.network.latency = 500us;
  machines.network.bytes_per_second = 1e6;
  machines.batch = 8;
  setting.parameters = small_data().train.features;
  made.advice = advise(made.question);
  made.of_data = small_configuration("");
  made.of_data.steps.reset();
  made.of_data.epochs = epochs;
  made.of_data.evaluate_every = 0.25;
  made.of_data.target_loss = target;
  return made;
}

TargetTimes times_of(const Asked& of, int seeds) {
  ComparisonRequest runs = target_runs(of.question, of.advice, of.of_data, seeds);
  runs.options.jobs = 1;
  return times_to_target(of.advice, runs, small_data(), {});
}

const TargetTime& way_of(const TargetTimes& times, const std::string& label) {
  const auto found = std::ranges::find(times.ways, label, &TargetTime::label);
  REQUIRE(found != times.ways.end());
  return *found;
}

}  // namespace

TEST_CASE("times to a target are the passes of tuned runs by the rates of advice", "[study]") {
  const Asked of = asked(0.35, 40.0);
  const TargetTimes times = times_of(of, 2);
  CHECK(times.ways.size() == of.advice.schemes.size());
  CHECK(times.rows == small_data().train.rows);
  CHECK(times.target == "training loss 0.35");
  CHECK(std::ranges::is_sorted(times.ways, {},
                               [](const TargetTime& way) { return way.seconds.value_or(1e99); }));
  // The same runs, asked for by hand.
  ComparisonRequest by_hand{.configuration = of.of_data,
                            .contestants = parse_contestants("local-sgd{period=8}")};
  Configuration& c = by_hand.configuration;
  c.workers = 4;
  c.batch = 8;
  c.compute_time = 1ms;
  c.network.latency = 500us;
  c.network.bytes_per_second = 1e6;
  c.time = TimeMode::simulated;
  by_hand.options = {.seeds = 2, .step_sizes = StepSizes::tuned, .jobs = 1};
  const Compared compared = run_comparison(by_hand, small_data(), {});
  const SeedStatistics statistics = seed_statistics(compared.runs).front();
  const auto passes =
      statistics_of(statistics.summaries, [](const Summary& s) { return s.epochs_to_target; });
  REQUIRE(passes);
  const TargetTime& local = way_of(times, "local-sgd{period=8}");
  REQUIRE(local.passes);
  CHECK(*local.passes == passes->mean);
  CHECK(*local.half_width == student_half_width(*passes->deviation, 2));
  const auto advised = std::ranges::find_if(of.advice.schemes, [](const AdvisedScheme& scheme) {
    return scheme.prediction.contestant.label == "local-sgd{period=8}";
  });
  CHECK(*local.seconds == Approx(passes->mean * static_cast<double>(times.rows) / advised->rate));
}

TEST_CASE("who may be first runs over more seeds, and takes the places of fewer", "[study]") {
  const Asked of = asked(0.35, 40.0);
  const TargetTimes few = times_of(of, 2);
  ComparisonRequest runs = target_runs(of.question, of.advice, of.of_data, 2);
  runs.options.jobs = 1;
  const TargetTimes times = times_to_target(of.advice, runs, small_data(), {}, 5);
  CHECK(times.seeds == 2);
  const TargetTime& soonest = times.ways.front();
  CHECK(soonest.seeds >= 5);
  CHECK(std::ranges::is_sorted(times.ways, {},
                               [](const TargetTime& way) { return way.seconds.value_or(1e99); }));
  const double near = 1.5 * *times.ways.front().seconds;
  std::size_t of_more = 0;
  for (const TargetTime& way : times.ways) {
    CAPTURE(way.label);
    of_more += way.seeds > 2 ? 1 : 0;
    if (way.seconds && *way.seconds <= near) CHECK(way.seeds >= 5);
    // Five leave open whether it or the first is sooner: over three times as many.
    if (way.seconds && &way != &soonest && is_open(soonest, way)) {
      CHECK(way.seeds == 15);
      CHECK(soonest.seeds == 15);
    }
    if (way.seeds > 2) {
      CHECK((way.seeds == 5 || way.seeds == 15));
      continue;
    }
    const TargetTime& before = way_of(few, way.label);
    CHECK(way.seconds == before.seconds);
    CHECK(way.seeds == 2);
  }
  CHECK(of_more > 1);
  CHECK(of_more < times.ways.size());
  CHECK(std::ranges::count(times.ways, 5, &TargetTime::seeds) > 0);
  CHECK(std::ranges::count(times.ways, 15, &TargetTime::seeds) > 1);
  CHECK(advice_text(of.question, of.advice, &times)
            .find("mean of 2 seeds (5 to 15 of who may be first) with half of a 95 % interval") !=
        std::string::npos);
  // As a comparison of as many seeds has it.
  ComparisonRequest by_hand = runs;
  by_hand.options.seeds = soonest.seeds;
  const std::string first = times.ways.front().label;
  std::erase_if(by_hand.contestants, [&](const Contestant& one) { return one.label != first; });
  if (!by_hand.contestants.empty()) {
    const Compared compared = run_comparison(by_hand, small_data(), {});
    const auto passes = statistics_of(seed_statistics(compared.runs).front().summaries,
                                      [](const Summary& s) { return s.epochs_to_target; });
    REQUIRE(passes);
    CHECK(*times.ways.front().passes == passes->mean);
  }
}

TEST_CASE("those that learn as one have one number of passes, and rates tell them apart",
          "[study]") {
  const Asked of = asked(0.35, 40.0);
  const TargetTimes times = times_of(of, 1);
  std::optional<double> passes;
  for (const AdvisedScheme& scheme : of.advice.schemes) {
    const TargetTime& way = way_of(times, scheme.prediction.contestant.label);
    CHECK_FALSE(way.half_width);  // of one seed
    if (!scheme.as_one) continue;
    REQUIRE(way.passes);
    CHECK(*way.passes == passes.value_or(*way.passes));
    passes = way.passes;
    CHECK(*way.seconds == Approx(*passes * static_cast<double>(times.rows) / scheme.rate));
  }
}

TEST_CASE("what does not come to a target has no time, and what comes unheard neither", "[study]") {
  const TargetTimes never = times_of(asked(1e-9, 1.0), 1);
  for (const TargetTime& way : never.ways) CHECK_FALSE(way.seconds);
  const Asked of = asked(0.35, 40.0);
  CHECK(advice_text(of.question, of.advice, &never)
            .find("None came to a training loss 1e-09 within 1 pass") != std::string::npos);
  // Within the first steps of replicas that have not met.
  const TargetTimes soon = times_of(asked(0.6925, 40.0), 1);
  CHECK(way_of(soon, "diloco{period=50}").unheard);
  CHECK_FALSE(way_of(soon, "diloco{period=50}").seconds);
  CHECK(advice_text(of.question, of.advice, &soon).find("not ranked: ") != std::string::npos);
}

TEST_CASE("what says nothing of a target is said so", "[study]") {
  // The start is there.
  const Asked easy = asked(1e300, 2.0);
  const TargetTimes there = times_of(easy, 1);
  CHECK(there.at_start);
  for (const TargetTime& way : there.ways) CHECK_FALSE(way.seconds);
  CHECK(advice_text(easy.question, easy.advice, &there).find("before the first step: there is") !=
        std::string::npos);
  // Liars, for whom some have no rule: they alone are left out.
  Asked lied = asked(0.35, 40.0);
  lied.of_data.ingredients["byzantine"] = "1:zero";
  const TargetTimes some = times_of(lied, 1);
  CHECK_FALSE(some.left_out.empty());
  CHECK(some.ways.size() < lied.advice.schemes.size());
  const std::string text = advice_text(lied.question, lied.advice, &some);
  CHECK(text.find("not trained: gossip:one-peer-exp: --byzantine 1:zero: gossip has no rule") !=
        std::string::npos);
  // Interrupted before anything.
  const std::atomic<bool> at_once{true};
  const Asked of = asked(0.35, 40.0);
  const TargetTimes none =
      times_to_target(of.advice, target_runs(of.question, of.advice, of.of_data, 2), small_data(),
                      {.interrupted = &at_once});
  CHECK(none.interrupted);
  CHECK(advice_text(of.question, of.advice, &none).find("It was interrupted before any way") !=
        std::string::npos);
  // Two that learn as one are told apart by their rates, whatever the seeds.
  TargetTimes alike{.target = "training loss 1", .rows = 10, .seeds = 2};
  alike.ways = {{.label = "a", .passes = 2.0, .half_width = 1.0, .seconds = 1.0, .seeds = 2},
                {.label = "b", .passes = 2.0, .half_width = 1.0, .seconds = 1.1, .seeds = 2}};
  CHECK(advice_text(of.question, of.advice, &alike).find("do not tell apart") == std::string::npos);
  alike.ways[1].passes = 2.1;
  CHECK(advice_text(of.question, of.advice, &alike).find("do not tell apart") != std::string::npos);
  alike.evaluate_every = 2.0;
  CHECK(advice_text(of.question, of.advice, &alike).find("passes up to 2 are rough") !=
        std::string::npos);
}

TEST_CASE("the document of advice has the times, and is as it was without them", "[study]") {
  const Asked of = asked(0.35, 40.0);
  CHECK(nlohmann::json::parse(advice_json(of.question, of.advice))["target"].is_null());
  const TargetTimes times = times_of(of, 1);
  const auto target = nlohmann::json::parse(advice_json(of.question, of.advice, &times))["target"];
  CHECK(target["what"] == "training loss 0.35");
  CHECK(target["ways"].size() == times.ways.size());
  CHECK(target["ways"][0]["label"] == times.ways.front().label);
  CHECK(target["ways"][0]["seconds"] == *times.ways.front().seconds);
  CHECK(target["ways"][0]["half_width"].is_null());
}

TEST_CASE("a map says who is fastest on other links, as predictions do", "[study]") {
  const Asked of = asked(0.35, 40.0);
  const auto map = advice_map(of.question, of.advice, nullptr);
  REQUIRE(map);
  CHECK(map->latencies_s.size() == 5);
  CHECK(map->bytes_per_second[2] == 1e6);
  CHECK(map->cells.size() == 25);
  // In the middle are the links that were asked about.
  const AdviceCell& middle = map->cells[12];
  CHECK(middle.first == of.advice.best().prediction.contestant.label);
  CHECK(middle.step_s == Approx(of.advice.best().prediction.step_s));
  // In another cell, by hand.
  PredictionSetting there = of.question.setting;
  there.configuration.network.latency = 8ms;
  there.configuration.network.bytes_per_second = 62'500.0;
  double least = 1e99, next = 1e99;
  for (const AdvisedScheme& scheme : of.advice.schemes) {
    if (!scheme.as_one) continue;
    const double step_s = predict(scheme.prediction.contestant, there).step_s;
    next = std::min(next, std::max(step_s, least));
    least = std::min(least, step_s);
  }
  const AdviceCell& corner = map->cells[4];
  CHECK(corner.step_s == Approx(least));
  CHECK(corner.ahead == Approx(next / least));
  // With passes, those that learn otherwise take part.
  const TargetTimes times = times_of(of, 1);
  const auto timed = advice_map(of.question, of.advice, &times);
  REQUIRE(timed);
  CHECK(timed->by_passes);
  CHECK(timed->cells[12].first == times.ways.front().label);
  AdviceQuestion free = of.question;
  free.setting.configuration.network.latency = Duration{0};
  CHECK_FALSE(advice_map(free, advise(free), nullptr));
}

TEST_CASE("a way says all that it takes to run it, and what qualifies its time", "[study]") {
  const Asked of = asked(0.35, 4.0);
  const TargetTimes times = times_of(of, 1);
  const TargetTime& outer = way_of(times, "diloco{period=50}");
  CHECK(outer.scheme == "diloco");
  const auto text_of = [&](const TargetTime& way, const char* name) {
    const auto found = std::ranges::find(way.settings, name, &OptionText::option);
    return found == way.settings.end() ? "" : found->text;
  };
  CHECK(text_of(outer, "period") == "50");
  CHECK_FALSE(text_of(outer, "lr").empty());
  CHECK_FALSE(text_of(outer, "outer-lr").empty());
  const std::string text = advice_text(of.question, of.advice, &times);
  CHECK(text.find(", outer-lr " + text_of(outer, "outer-lr")) != std::string::npos);
  CHECK(text.find(", with one seed.") != std::string::npos);
  const auto json = nlohmann::json::parse(advice_json(of.question, of.advice, &times, nullptr));
  CHECK(json["target"]["ways"][0]["settings"].contains("lr"));
  // It meets every 50 steps, and a pass has fewer.
  const Asked briefly = asked(0.35, 1.0);
  const TargetTimes brief = times_of(briefly, 1);
  const std::vector<Note>& remarks = way_of(brief, "diloco{period=50}").remarks;
  CHECK(std::ranges::any_of(remarks, [](const Note& remark) {
    return remark.text.find("some never come") != std::string::npos;
  }));
  CHECK(advice_text(briefly.question, briefly.advice, &brief)
            .find("diloco{period=50}: diloco needs 50 steps") != std::string::npos);
}

TEST_CASE("those that come to a target in the same moment are first together", "[study]") {
  const auto way = [](const char* label, double passes, double seconds) {
    TargetTime made{.label = label, .step_size = 1.0};
    made.passes = passes;
    made.seconds = seconds;
    made.seeds = 3;
    return made;
  };
  const Asked of = asked(0.35, 4.0);
  TargetTimes times{.target = "training loss 0.3", .seeds = 3};
  times.ways = {way("qgm", 1.0, 2e-3), way("gossip", 1.0, 2e-3), way("ring", 1.0, 3e-3)};
  const auto says = [&](const std::string& part) {
    CAPTURE(advice_text(of.question, of.advice, &times));
    CHECK(advice_text(of.question, of.advice, &times).find(part) != std::string::npos);
  };
  says(
      "qgm, gossip are first together at a training loss 0.3, after 2 ms; then "
      "ring");
  times.finals_interrupted = true;
  says("It was interrupted: some that may be first have fewer seeds than they were to have.");
  times.at_start = true;
  says("With some seed at least the model is at a training loss 0.3 before the first step");
}

TEST_CASE("what qualifies the times of several ways is said once", "[study]") {
  const Asked of = asked(0.35, 4.0);
  TargetTimes times{.target = "training loss 0.3", .seeds = 3};
  const Note larger{"", "note: a larger step size than 0.1 may be better: the next one was worse"};
  for (const char* label : {"ring", "qgm", "ssp"}) {
    TargetTime way{.label = label, .step_size = 0.1};
    if (way.label != "qgm") way.remarks = {larger};
    times.ways.push_back(way);
  }
  const std::string text = advice_text(of.question, of.advice, &times);
  CHECK(text.find("note: ring; ssp: a larger step size than 0.1 may be better") !=
        std::string::npos);
  CHECK(text.find("larger step size") == text.rfind("larger step size"));
}

TEST_CASE("what is about to be trained is said with the seeds of all and of the first", "[study]") {
  const Asked of = asked(0.35, 4.0);
  const LoadedData data = small_data();
  const ComparisonRequest runs = target_runs(of.question, of.advice, of.of_data, 3);
  CHECK_THAT(
      note_before(runs, data, 10),
      ContainsSubstring("ways to talk are trained in simulated time, each at its own best "
                        "step size, with 3 seeds, and who may be first with 10 or 30: up to some"));
  CHECK_THAT(note_before(runs, data, 3), ContainsSubstring("size, with 3 seeds: up to some"));
}

}  // namespace trainyard
