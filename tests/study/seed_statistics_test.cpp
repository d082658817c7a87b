#include "trainyard/study/seed_statistics.hpp"

#include <cmath>

#include "trainyard/study/comparison.hpp"

#include "report/results.hpp"
#include "run/small_runs.hpp"
#include "support/catch.hpp"

namespace trainyard {

namespace {

RunResult with_loss(const std::string& scheme, std::uint64_t seed, double loss) {
  RunResult result = bare_result(scheme);
  result.summary.seed = seed;
  result.summary.train_loss = loss;
  return result;
}

constexpr auto loss_of = [](const Summary& summary) { return std::optional(summary.train_loss); };

}  // namespace

TEST_CASE("the spread of seeds is their mean and sample deviation", "[study]") {
  std::vector<RunResult> results;
  for (const double loss : {1.0, 2.0, 4.0}) results.push_back(with_loss("ring", 1, loss));
  const auto statistics = seed_statistics(results);
  REQUIRE(statistics.size() == 1);
  const SampleStatistics spread = *statistics_of(statistics[0].summaries, loss_of);
  CHECK(spread.mean == Approx(7.0 / 3));
  // Deviations −4/3, −1/3, 5/3: 42/9 over 2.
  CHECK(*spread.deviation == Approx(std::sqrt(42.0 / 18)));
  CHECK(spread.count == 3);

  std::vector<RunResult> equal;
  for (int i = 0; i < 3; ++i) equal.push_back(with_loss("ring", 1, 0.1));
  CHECK(*statistics_of(seed_statistics(equal)[0].summaries, loss_of)->deviation == 0.0);
  CHECK(statistics_of(seed_statistics(equal)[0].summaries, loss_of)->mean == 0.1);
  equal.resize(1);
  CHECK_FALSE(statistics_of(seed_statistics(equal)[0].summaries, loss_of)->deviation);
  CHECK_FALSE(statistics_of(seed_statistics(equal)[0].summaries,
                            [](const Summary& s) { return s.test_loss; }));
}

TEST_CASE("an interrupted run counts only where there is no other", "[study]") {
  std::vector<RunResult> results;
  for (const std::uint64_t seed : {1U, 2U}) {
    results.push_back(with_loss("ring", seed, 1.0));
    results.push_back(with_loss("gossip", seed, 2.0));
  }
  results.back().summary.interrupted = true;
  auto statistics = seed_statistics(results);
  REQUIRE(statistics.size() == 2);
  CHECK(statistics[0].seeds == std::vector<std::uint64_t>{1, 2});
  CHECK(statistics[1].scheme == "gossip");
  CHECK(statistics[1].seeds == std::vector<std::uint64_t>{1});
  results[1].summary.interrupted = true;
  CHECK(seed_statistics(results)[1].seeds == std::vector<std::uint64_t>{1});
}

TEST_CASE("each seed is the run that it would be alone", "[study]") {
  Configuration c = small_configuration("");
  c.dataset = "dense-logistic";
  c.epochs = 0.1;
  const std::vector<std::string> names{"ring", "hogwild"};
  std::string order;
  ComparisonHooks hooks;
  hooks.ended = [&](const RunResult& result) {
    CHECK_FALSE(result.model.empty());
    order += result.summary.scheme + std::to_string(result.summary.seed) + " ";
  };
  const auto together =
      run_comparison(c, names, load_dataset(dataset_request(c)), hooks, {.seeds = 3});
  CHECK(order == "ring1 hogwild1 ring2 hogwild2 ring3 hogwild3 ");
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    c.seed = seed;
    const auto alone = run_comparison(c, names, load_dataset(dataset_request(c)), {});
    for (std::size_t i = 0; i < 2; ++i) {
      const Summary& found = together[2 * (seed - 1) + i].summary;
      CHECK(found.model_hash == alone[i].summary.model_hash);
      CHECK(found.target_loss == alone[i].summary.target_loss);
      CHECK(found.seconds_to_target == alone[i].summary.seconds_to_target);
    }
  }
}

TEST_CASE("of several seeds each has its own place for results", "[study]") {
  Configuration c;
  c.seed = 7;
  c.out = "results";
  c.trace = "some/trace.json";
  const Configuration third = with_seed(c, 2, {.seeds = 3});
  CHECK(third.seed == 9);
  CHECK(third.out == "results/seed-9");
  CHECK(third.trace == "some/trace-seed-9.json");
  const Configuration only = with_seed(c, 0, {});
  CHECK(only.out == c.out);
  CHECK(only.trace == c.trace);
}

TEST_CASE("an interrupt ends the seeds with what there is", "[study]") {
  Configuration c = small_configuration("");
  std::atomic<bool> interrupted{false};
  int ended = 0;
  ComparisonHooks hooks;
  hooks.ended = [&](const RunResult&) { interrupted = ++ended == 3; };
  hooks.run.interrupted = &interrupted;
  c.dataset = "dense-logistic";
  c.epochs = 0.1;
  const auto results = run_comparison(c, {"ring", "gossip"}, small_data(), hooks, {.seeds = 5});
  REQUIRE(results.size() == 4);
  CHECK_FALSE(results[2].summary.interrupted);
  CHECK(results[3].summary.interrupted);
  CHECK(seed_statistics(results)[0].seeds.size() == 2);
  CHECK(seed_statistics(results)[1].seeds.size() == 1);
}

}  // namespace trainyard
