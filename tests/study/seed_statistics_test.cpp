#include "trainyard/study/seed_statistics.hpp"

#include <cmath>

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
  CHECK(statistics[1].label == "gossip");
  CHECK(statistics[1].seeds == std::vector<std::uint64_t>{1});
  results[1].summary.interrupted = true;
  CHECK(seed_statistics(results)[1].seeds == std::vector<std::uint64_t>{1});
}

}  // namespace trainyard
