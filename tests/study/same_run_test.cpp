// Runs that differ only in what changes nothing for them.
#include <atomic>
#include <map>
#include <mutex>
#include <string>

#include "trainyard/runtime/rank.hpp"
#include "trainyard/study/comparison.hpp"

#include "run/small_runs.hpp"
#include "support/catch.hpp"

namespace trainyard {

namespace {

/// What was told, and how many runs were made: those whose ranks began.
struct Heard {
  std::mutex mutex;
  std::map<std::string, std::size_t> evaluations;  // by name and seed
  std::atomic<int> ranks{0};
  std::string failures;
};

class Hearing final : public CaseListener {
 public:
  Hearing(const Case& one, Heard& heard)
      : name_(name_of(one) + " " + std::to_string(one.configuration.seed)), heard_(heard) {}
  RunHooks hooks() override {
    return {.evaluated = [this](const Metrics&) { ++evaluations_; },
            .remark = {},
            .wrap =
                [this](Rank&) {
                  ++heard_.ranks;
                  return std::unique_ptr<Rank>();
                }};
  }
  void ended(const RunResult& result) override {
    const std::lock_guard lock(heard_.mutex);
    if (evaluations_ != result.metrics.size() || result.model.empty()) heard_.failures += name_;
    heard_.evaluations[name_] = evaluations_;
  }
  void failed(std::exception_ptr /*error*/) override {
    const std::lock_guard lock(heard_.mutex);
    heard_.failures += name_ + " failed";
  }

 private:
  std::string name_;
  Heard& heard_;
  std::size_t evaluations_ = 0;
};

ComparisonRequest request_of(const std::string& schemes) {
  ComparisonRequest request{.configuration = small_configuration(""),
                            .contestants = parse_contestants(schemes)};
  request.configuration.epochs = 0.2;
  request.variations = {parse_variation("topology=ring,full"), parse_variation("period=2,4")};
  return request;
}

std::vector<RunResult> run(const ComparisonRequest& request, Heard& heard) {
  ComparisonHooks hooks;
  hooks.begins = [&](const Case& one) { return std::make_unique<Hearing>(one, heard); };
  return run_comparison(request, small_data(), hooks).runs;
}

}  // namespace

TEST_CASE("a run that nothing varied touches is made once and told at each point", "[study]") {
  ComparisonRequest request = request_of("ring,gossip,local-sgd{lr=0.1}");
  const int workers = request.configuration.workers;
  for (const int jobs : {1, 2}) {
    for (const bool tuned : {false, true}) {
      CAPTURE(jobs, tuned);
      request.options = {
          .seeds = 2, .step_sizes = tuned ? StepSizes::tuned : StepSizes::as_given, .jobs = jobs};
      if (tuned) request.contestants = parse_contestants("ring,gossip,local-sgd");
      Heard heard;
      const auto results = run(request, heard);
      REQUIRE(results.size() == 2 * 4 * 3);
      CHECK(heard.failures.empty());
      CHECK(heard.evaluations.size() == results.size());
      // Tuning has run them already, where nobody hears its ranks.
      CHECK(heard.ranks == (tuned ? 0 : 2 * (1 + 2 + 2) * workers));
      for (const RunResult& result : results) {
        const Summary& s = result.summary;
        CAPTURE(s.label, s.seed);
        REQUIRE(s.varied.size() == 2);
        // Each is the run of its point, which its configuration repeats.
        for (const OptionText& varied : s.varied) {
          CHECK(option_named(varied.option).get(result.resolved) == varied.text);
        }
        CHECK(result.resolved.optimizer.lr == s.lr);
        Configuration alone = result.resolved;
        alone.scheme = s.scheme;
        const Summary repeated = run_small(alone).summary;
        CHECK(repeated.model_hash == s.model_hash);
        CHECK(repeated.seconds == s.seconds);
        CHECK(repeated.bytes_sent == s.bytes_sent);
      }
    }
  }
}

TEST_CASE("what is measured is measured at each point", "[study]") {
  ComparisonRequest request = request_of("ring");
  request.configuration.time = TimeMode::wall;
  request.configuration.compute_time.reset();
  request.configuration.workers = 2;
  Heard heard;
  CHECK(run(request, heard).size() == 4);
  CHECK(heard.ranks == 4 * 2);
  CHECK(heard.failures.empty());
}

TEST_CASE("runs on other data or of another seed are other runs", "[study]") {
  ComparisonRequest request = request_of("ring");
  request.variations = {parse_variation("seed=1,2"), parse_variation("topology=ring,full"),
                        parse_variation("batch=5,10")};
  Heard heard;
  const auto results = run(request, heard);
  REQUIRE(results.size() == 8);
  CHECK(heard.ranks == 4 * request.configuration.workers);
  CHECK(results[0].summary.model_hash == results[2].summary.model_hash);
  CHECK(results[0].summary.model_hash != results[1].summary.model_hash);
  CHECK(results[0].summary.model_hash != results[4].summary.model_hash);
}

}  // namespace trainyard
