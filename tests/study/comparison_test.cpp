#include "trainyard/study/comparison.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <set>

#include "trainyard/base/error.hpp"
#include "trainyard/run/plan.hpp"
#include "trainyard/run/resolve.hpp"
#include "trainyard/run/target.hpp"
#include "trainyard/scheme/scheme.hpp"
#include "trainyard/study/seed_statistics.hpp"

#include "run/small_runs.hpp"
#include "support/catch.hpp"
#include "support/layered_schemes.hpp"

namespace trainyard {

namespace {

using Catch::Matchers::StartsWith;

/// Writes down what a run tells.
class Telling final : public CaseListener {
 public:
  using Tell = std::function<void(const std::string&)>;
  Telling(const Case& one, Tell tell) : name_(name_of(one)), tell_(std::move(tell)) {
    tell_("<" + name_);
  }
  RunHooks hooks() override { return {}; }
  void ended(const RunResult& result) override {
    // Catch2 takes no assertions from several threads at once.
    tell_(name_ + " " + std::to_string(result.summary.seed) +
          (result.model.empty() ? " without a model>" : ">"));
  }
  void failed(std::exception_ptr error) override {
    try {
      std::rethrow_exception(error);
    } catch (const std::exception& what) {
      tell_(name_ + " failed: " + what.what());
    }
  }

 private:
  std::string name_;
  Tell tell_;
};

ComparisonRequest request_of(const std::string& schemes) {
  ComparisonRequest request{.configuration = small_configuration(""),
                            .contestants = parse_contestants(schemes)};
  request.options.jobs = 1;
  return request;
}

Configuration few_steps() {
  Configuration c = small_configuration("");
  c.epochs = 0.1;
  return c;
}

/// Everything of a run that does not depend on the machine.
std::string fingerprint(const RunResult& result) {
  const Summary& s = result.summary;
  std::string text = s.label + " " + s.model_hash + " " + std::to_string(s.seed) + " " +
                     std::to_string(s.seconds) + " " + std::to_string(s.bytes_sent) + " " +
                     std::to_string(s.lr) + " " + std::to_string(s.train_loss) + " " +
                     std::to_string(s.seconds_to_target.value_or(-1.0));
  for (const auto& [option, value] : s.varied) text += " " + option + "=" + value;
  return text;
}

}  // namespace

TEST_CASE("a comparison without a target takes the loss that all reached", "[study]") {
  const LoadedData data = small_data();
  const auto results = run_comparison(request_of("ring,ps-async,sequential"), data, {}).runs;
  REQUIRE(results.size() == 3);
  double worst = 0.0;
  for (const RunResult& result : results) {
    double best = 1e9;
    for (const Metrics& metrics : result.metrics) best = std::min(best, metrics.train_loss);
    worst = std::max(worst, best);
  }
  for (const RunResult& result : results) {
    CHECK(result.summary.target_loss == worst);
    REQUIRE(result.summary.seconds_to_target);
    CHECK(*result.summary.seconds_to_target <= result.summary.seconds);
  }
  // ps-async applies each gradient in full, and so is there earlier.
  CHECK(*results[1].summary.epochs_to_target < *results[0].summary.epochs_to_target);
}

TEST_CASE("all seeds of a comparison have one target, which all of them reached", "[study]") {
  ComparisonRequest request = request_of("ring,hogwild");
  request.options.seeds = 3;
  const auto results = run_comparison(request, small_data(), {}).runs;
  REQUIRE(results.size() == 6);
  double worst = 0.0;
  for (const RunResult& result : results) {
    worst = std::max(worst, std::ranges::min(result.metrics, {}, &Metrics::train_loss).train_loss);
  }
  for (const RunResult& result : results) {
    CHECK(result.summary.target_loss == worst);
    CHECK(result.summary.seconds_to_target);
  }
}

TEST_CASE("a comparison keeps the target it is given, and tells of each run", "[study]") {
  const LoadedData data = small_data();
  ComparisonRequest request = request_of("gossip,hogwild");
  request.configuration.target_loss = 0.5;
  std::string told;
  ComparisonHooks hooks;
  hooks.planned = [&](const std::vector<Case>& cases, int jobs) {
    CHECK(cases.size() == 2);
    CHECK(jobs == 1);
    CHECK(told.empty());
  };
  hooks.begins = [&](const Case& one) {
    return std::make_unique<Telling>(one, [&](const std::string& text) { told += text; });
  };
  for (const RunResult& result : run_comparison(request, data, hooks).runs) {
    CHECK(result.summary.target_loss == 0.5);
  }
  CHECK(told == "<gossipgossip 1><hogwildhogwild 1>");
}

TEST_CASE("a comparison's target leaves out what diverged, and an interrupt ends it", "[study]") {
  const LoadedData data = small_data();
  ComparisonRequest request = request_of("ring,hogwild");
  request.configuration.optimizer.lr = 1e9;
  for (const RunResult& result : run_comparison(request, data, {}).runs) {
    CHECK(result.summary.diverged);
    CHECK(!result.summary.target_loss);
  }
  const std::atomic<bool> interrupted{true};
  request.configuration.optimizer.lr = 0.5;
  ComparisonHooks hooks;
  hooks.interrupted = &interrupted;
  const auto results = run_comparison(request, data, hooks).runs;
  REQUIRE(results.size() == 1);
  CHECK(results.front().summary.interrupted);
}

TEST_CASE("each seed is the run that it would be alone", "[study]") {
  ComparisonRequest request = request_of("ring,hogwild");
  request.configuration = few_steps();
  request.configuration.target_loss = -1.0;  // else all seeds have one in common
  request.options.seeds = 3;
  const LoadedData data = small_data();
  const auto together = run_comparison(request, data, {}).runs;
  REQUIRE(together.size() == 6);
  request.options.seeds = 1;
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    request.configuration.seed = seed;
    const auto alone = run_comparison(request, data, {}).runs;
    for (std::size_t i = 0; i < 2; ++i) {
      CHECK(fingerprint(together[2 * (seed - 1) + i]) == fingerprint(alone[i]));
    }
  }
}

TEST_CASE("an interrupt ends the seeds with what there is", "[study]") {
  std::atomic<bool> interrupted{false};
  int ended = 0;
  ComparisonRequest request = request_of("ring,gossip");
  request.configuration = few_steps();
  request.options.seeds = 5;
  ComparisonHooks hooks;
  hooks.interrupted = &interrupted;
  hooks.begins = [&](const Case& one) {
    return std::make_unique<Telling>(one, [&](const std::string& text) {
      if (text.ends_with(">")) interrupted = ++ended == 3;
    });
  };
  const auto results = run_comparison(request, small_data(), hooks).runs;
  CHECK(results.size() == 3);
  CHECK(seed_statistics(results)[0].seeds.size() == 2);  // seeds by seeds
}

TEST_CASE("a grid has each contestant at each point, and its own settings win", "[study]") {
  ComparisonRequest request = request_of("local-sgd,gossip:torus{workers=8}");
  request.configuration = few_steps();
  request.variations = {parse_variation("period=1,2"), parse_variation("latency=10us,1ms")};
  const auto results = run_comparison(request, small_data(), {}).runs;
  REQUIRE(results.size() == 8);
  std::size_t place = 0;
  for (const char* period : {"1", "2"}) {
    for (const char* latency : {"10us", "1ms"}) {
      for (const char* label : {"local-sgd", "gossip:torus{workers=8}"}) {
        const RunResult& result = results[place++];
        CHECK(result.summary.label == label);
        CHECK(result.summary.varied ==
              std::vector<OptionText>{{"period", period}, {"latency", latency}});
        Configuration alone = few_steps();
        alone.scheme = result.summary.scheme;
        apply(result.summary.varied, alone);
        if (alone.scheme == "gossip") {
          alone.workers = 8;
          alone.ingredients["topology"] = "torus";
        }
        CHECK(result.summary.workers == alone.workers);
        CHECK(result.summary.model_hash == run_small(alone).summary.model_hash);
        CHECK(result.summary.seconds == run_small(alone).summary.seconds);
      }
    }
  }
}

TEST_CASE("results do not depend on how many runs go on at once", "[study]") {
  const LoadedData data = small_data();
  ComparisonRequest request = request_of("all");
  request.configuration = few_steps();
  request.variations = {parse_variation("workers=4,5")};
  request.options = {.seeds = 2, .step_sizes = StepSizes::tuned, .jobs = 1};
  std::vector<std::string> expected;
  for (const int jobs : {1, 2, 5}) {
    CAPTURE(jobs);
    request.options.jobs = jobs;
    std::vector<std::string> found;
    std::set<std::string> told;
    std::mutex mutex;
    ComparisonHooks hooks;
    hooks.begins = [&](const Case& one) {
      return std::make_unique<Telling>(one, [&](const std::string& text) {
        const std::lock_guard lock(mutex);
        told.insert(text);
      });
    };
    for (const RunResult& result : run_comparison(request, data, hooks).runs) {
      found.push_back(fingerprint(result));
    }
    CHECK(found.size() == 4 * test::schemes_for_any_model());
    CHECK(told.size() == 6 * test::schemes_for_any_model());  // both seeds begin under one name
    if (expected.empty()) expected = found;
    CHECK(found == expected);
  }
}

TEST_CASE("a scheme that cannot is skipped from a group and an error by name", "[study]") {
  const LoadedData data = small_data();
  ComparisonRequest request = request_of("all");
  request.configuration = few_steps();
  request.configuration.optimizer.momentum = 0.9;
  std::vector<std::string> warnings;
  ComparisonHooks hooks;
  hooks.remark = [&](const std::string& text) {
    if (text.find(" skipped") != std::string::npos) warnings.push_back(text);
  };
  const Compared compared = run_comparison(request, data, hooks);
  const std::vector<RunResult>& results = compared.runs;
  CHECK(results.size() + compared.left_out.size() == schemes().size());
  CHECK(warnings.size() < compared.left_out.size());  // each reason once
  CHECK_THAT(warnings.front(), StartsWith("warning: "));
  for (const RunResult& result : results) CHECK(result.summary.scheme != "hogwild");
  const auto refused = [&](const char* schemes, const char* why) {
    request.contestants = parse_contestants(schemes);
    CHECK_THROWS_WITH(run_comparison(request, data, hooks), ContainsSubstring(why));
  };
  refused("all,hogwild", "--momentum: hogwild takes none");
  refused("hogwild{lr=1}", "hogwild{lr=1}: --momentum: hogwild takes none");
  request.configuration.optimizer.momentum = 0.0;
  request.variations = {parse_variation("period=1,2")};
  refused("local-sgd{period=4}", "--vary: period is what 'local-sgd{period=4}' has for itself");
  request.variations = {parse_variation("workers=4,700")};
  refused("ring", "ring, workers 700: --workers: 700 workers need at least as many training rows");
}

TEST_CASE("a run that fails costs only itself", "[study]") {
  ComparisonRequest request = request_of("ring,sequential,gossip");
  request.configuration.compute_time = std::chrono::hours(100);
  request.configuration.steps = 5;
  request.configuration.epochs.reset();
  const LoadedData data = small_data();
  for (const int jobs : {1, 2}) {
    request.options.jobs = jobs;
    // 5 steps of 100 h are within what the clock holds; the 40 of a lone rank are not.
    request.configuration.workers = 8;
    CHECK_THROWS_WITH(run_comparison(request, data, {}), ContainsSubstring("106 days"));
    std::string told;
    std::mutex mutex;
    ComparisonHooks hooks;
    hooks.begins = [&](const Case& one) {
      return std::make_unique<Telling>(one, [&](const std::string& text) {
        const std::lock_guard lock(mutex);
        told += text;
      });
    };
    CHECK(run_comparison(request, data, hooks).runs.size() == 2);
    CHECK_THAT(told, ContainsSubstring("sequential failed: "));
    // In a trial of its tuning as well.
    told.clear();
    request.options.step_sizes = StepSizes::tuned;
    CHECK(run_comparison(request, data, hooks).runs.size() == 2);
    CHECK_THAT(told, ContainsSubstring("sequential failed: "));
    request.options.step_sizes = StepSizes::as_given;
  }
}

TEST_CASE("the speed-up over sequential is what its factors multiply to", "[study]") {
  ComparisonRequest request = request_of("ring,sequential,gossip,ps-async");
  request.variations = {parse_variation("latency=10us,100us")};
  request.options.seeds = 2;
  const auto results = run_comparison(request, small_data(), {}).runs;
  REQUIRE(results.size() == 16);
  for (const RunResult& result : results) {
    const Summary& s = result.summary;
    CAPTURE(s.label, s.seed, s.latency_s);
    REQUIRE(s.speed_up);
    CHECK(*s.speed_up == Approx(*s.speed_up_pass_time * *s.speed_up_passes).epsilon(1e-12));
    if (s.scheme == "sequential") CHECK(*s.speed_up == 1.0);
    const auto one = std::ranges::find_if(results, [&](const RunResult& other) {
      return other.summary.scheme == "sequential" && other.summary.seed == s.seed &&
             other.summary.latency_s == s.latency_s;
    });
    CHECK(*s.speed_up == *one->summary.seconds_to_target / *s.seconds_to_target);
    CHECK(*s.speed_up_passes == *one->summary.epochs_to_target / *s.epochs_to_target);
  }
  request.contestants = parse_contestants("ring,gossip");
  for (const RunResult& result : run_comparison(request, small_data(), {}).runs) {
    CHECK_FALSE(result.summary.speed_up);
  }
}

TEST_CASE("an option that changes nothing for anybody is said, once", "[study]") {
  ComparisonRequest request = request_of("ring,sequential{topology=torus}");
  request.configuration = few_steps();
  request.configuration.given = {"period", "topology"};
  request.variations = {parse_variation("staleness=1,2")};
  std::string said;
  ComparisonHooks hooks;
  hooks.remark = [&](const std::string& text) { said += text + "\n"; };
  (void)run_comparison(request, small_data(), hooks);
  CHECK_THAT(said, ContainsSubstring("note: --staleness has no effect"));
  CHECK_THAT(said, ContainsSubstring("note: --period has no effect"));
  CHECK_THAT(said, ContainsSubstring("has no effect: sequential has none") ||
                       ContainsSubstring("note: sequential{topology=torus}: --topology"));
  CHECK(said.find("staleness") == said.rfind("staleness"));
}

TEST_CASE("a time that one contestant is given is not the others'", "[study]") {
  for (const char* order : {"ring{compute-time=5ms},gossip", "gossip,ring{compute-time=5ms}"}) {
    ComparisonRequest request = request_of(order);
    request.configuration.compute_time.reset();
    request.configuration.time = TimeMode::simulated;
    request.configuration.epochs = 0.1;
    for (const RunResult& result : run_comparison(request, small_data(), {}).runs) {
      const bool given = result.summary.scheme == "ring";
      CHECK((*result.resolved.compute_time == std::chrono::milliseconds(5)) == given);
    }
  }
}

TEST_CASE("only runs with one target and objective are held against each other", "[study]") {
  ComparisonRequest request = request_of("sequential,ring{target-loss=0.5},ring{l2=0.1},ring");
  const auto results = run_comparison(request, small_data(), {}).runs;
  REQUIRE(results.size() == 4);
  CHECK_FALSE(results[1].summary.speed_up);
  CHECK_FALSE(results[2].summary.speed_up);
  CHECK(results[3].summary.speed_up);
  CHECK(results[3].summary.target_loss == results[0].summary.target_loss);
  CHECK(results[2].summary.target_loss != results[0].summary.target_loss);
}

TEST_CASE("a run that never gets below its start sets no target", "[study]") {
  ComparisonRequest request = request_of("ring,ring{lr=300}");
  const auto results = run_comparison(request, small_data(), {}).runs;
  REQUIRE(results.size() == 2);
  REQUIRE(results[1].summary.train_loss > results[1].metrics.front().train_loss);
  CHECK(*results[0].summary.target_loss < results[0].metrics.front().train_loss);
  CHECK(*results[0].summary.seconds_to_target > 0.0);
}

TEST_CASE("seeds are varied by one flag", "[study]") {
  ComparisonRequest request = request_of("ring");
  request.variations = {parse_variation("seed=1,2")};
  request.configuration = few_steps();
  CHECK(run_comparison(request, small_data(), {}).runs.size() == 2);
  request.options.seeds = 2;
  CHECK_THROWS_WITH(run_comparison(request, small_data(), {}),
                    ContainsSubstring("seed is what --seeds varies"));
}

TEST_CASE("data are loaded as runs ask for them", "[study]") {
  ComparisonRequest request = request_of("ring{dataset=dense-logistic},gossip{dataset=blobs}");
  request.configuration = few_steps();
  request.configuration.dataset = "no/such.file";
  std::vector<std::string> sets;
  for (const RunResult& result : run_comparison(request, {}).runs)
    sets.push_back(result.summary.dataset);
  CHECK(sets == std::vector<std::string>{"dense-logistic", "blobs"});
}

}  // namespace trainyard
