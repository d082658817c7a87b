// A parameter server behind proxies whose groups do not wait for each other.
#include <algorithm>
#include <vector>

#include "support/catch.hpp"
#include "support/golden.hpp"
#include "support/training.hpp"

using namespace trainyard;
using test::quick;
using test::train;

TEST_CASE("ps-hierarchical-async with one group is ps-hierarchical to the bit", "[scheme]") {
  for (const LoadedData& data : {test::dense_problem(), test::sparse_problem()}) {
    for (const int n : {1, 2, 5}) {
      for (const TimeMode time : {TimeMode::simulated, TimeMode::wall}) {
        CAPTURE(data.name, n, time_mode_text(time));
        Configuration c = quick("ps-hierarchical", n, 40);
        c.optimizer.momentum = 0.5;
        c.l2 = 1e-3;
        const Summary waiting = train(c, data).summary;
        c.scheme = "ps-hierarchical-async";
        c.time = time;
        const Summary alone = train(c, data).summary;
        // On threads a round may be without the worker that got no minibatch of the last lot.
        if (time == TimeMode::simulated) CHECK(alone.model_hash == waiting.model_hash);
        CHECK(alone.samples == waiting.samples);
        CHECK(alone.train_loss ==
              Approx(waiting.train_loss).epsilon(time == TimeMode::wall ? 0.1 : 1e-12));
      }
    }
  }
}

TEST_CASE("ps-hierarchical-async with a group a worker is ps-async", "[scheme]") {
  // Equal workers of equal groups are served in turn, so the gradients are applied in the order of
  // the ranks, each at the model that its worker was answered.
  const LoadedData data = test::dense_problem();
  for (const int n : {1, 2, 4}) {
    CAPTURE(n);
    Configuration c = quick("ps-async", n, 30);
    c.network = {.latency = std::chrono::microseconds(100)};
    const RunResult alone = train(c, data);
    c.scheme = "ps-hierarchical-async";
    c.servers = n;
    const RunResult grouped = train(c, data);
    CHECK(grouped.summary.model_hash == alone.summary.model_hash);
    CHECK(grouped.staleness.mean() == alone.staleness.mean());
    CHECK(grouped.summary.messages == 2 * alone.summary.messages);
  }
}

TEST_CASE("G groups are stale by G - 1 updates and fewer", "[scheme]") {
  const LoadedData data = test::dense_problem();
  for (const int groups : {2, 3, 4}) {
    CAPTURE(groups);
    Configuration c = quick("ps-hierarchical-async", 12, 200);
    c.servers = groups;
    parse_compute_noise("exponential:0.5", "test", c.compute_noise);
    const RunResult result = train(c, data);
    CHECK(result.staleness.mean() == Approx(groups - 1.0).epsilon(0.02));
    CHECK(result.summary.train_loss < 0.8 * result.metrics.front().train_loss);
  }
}

// Groups {0, 1} and {2, 3} on quadratics of one coordinate, F_i = (x − m_i)² / 2, γ = 1/4. Both
// groups take their first gradients at 0; group 0 is applied first, x = 0 − ¼ (0 − 2) = ½. Group
// 1's, taken at 0 as well, has the mean −6: x = ½ + 1½ = 2. Then group 0 has read ½: x = 2 − ¼ (½ −
// 2) = 2⅜. And group 1 has read 2: x = 2⅜ − ¼ (2 − 6) = 3⅜.
TEST_CASE("ps-hierarchical-async follows its rule", "[scheme][rule:ps-hierarchical-async]") {
  const Dataset data =
      test::quadratic_data({{1.0}, {1.0}, {1.0}, {1.0}}, {{1.0}, {3.0}, {5.0}, {7.0}});
  Configuration c;
  c.scheme = "ps-hierarchical-async";
  c.workers = 4;
  c.servers = 2;
  c.steps = 2;
  c.optimizer.lr = 0.25;
  c.network = {.latency = std::chrono::milliseconds(1)};
  const auto model = test::run_on_quadratic(c, data).model;
  test::check_close(model, std::vector<double>{3.375});
}

TEST_CASE("a slow worker holds up its group alone", "[scheme]") {
  const LoadedData data = test::dense_problem();
  Configuration c = quick("ps-hierarchical", 6, 60);
  c.servers = 3;
  c.stragglers = {{.rank = 0, .factor = 10.0}};
  const double waiting = train(c, data).summary.seconds;
  c.scheme = "ps-hierarchical-async";
  const RunResult result = train(c, data);
  // Two of the three groups go on at full speed and take what the first leaves them.
  CHECK(waiting == Approx(60 * 10e-3).epsilon(1e-9));
  CHECK(result.summary.seconds < 0.1);
  CHECK(result.summary.seconds > 0.08);
  CHECK(result.summary.samples == 60U * 6U * 4U);
}

// Groups {0, 1} and {2, 3, 4}, the second two and a half times as slow, and 15 minibatches. At 0 ms
// five are taken, by the first group two at 1, 2 and 3 ms and by the second three at 2.5 ms; then
// one is left, which worker 0 takes at 4 ms without worker 1. All is done at 5 ms.
TEST_CASE("a round that finds too few minibatches is of those who got one", "[scheme]") {
  const LoadedData data = test::dense_problem();
  Configuration c = quick("ps-hierarchical-async", 5, 3);
  c.servers = 2;
  c.stragglers = {{2, 2.5}, {3, 2.5}, {4, 2.5}};
  const RunResult result = train(c, data);
  CHECK(result.summary.samples == 15U * 4U);
  CHECK(result.summary.seconds == Approx(5e-3).epsilon(1e-9));
  c.time = TimeMode::wall;
  CHECK(train(c, data).summary.samples == 15U * 4U);
}

TEST_CASE("one step of ps-hierarchical-async takes c + (2g + G + 1)(α + t)", "[scheme]") {
  const LoadedData data = test::dense_problem(50, 840);
  struct Row {
    int workers, groups, messages;
  };
  for (const Row& row : {Row{1, 1, 4}, Row{4, 1, 10}, Row{4, 2, 7}, Row{6, 3, 8}, Row{8, 2, 11},
                         Row{9, 3, 10}, Row{3, 3, 6}, Row{5, 2, 8}, Row{7, 3, 9}}) {
    CAPTURE(row.workers, row.groups);
    Configuration c = quick("ps-hierarchical-async", row.workers, 1);
    c.servers = row.groups;
    c.compute_time = seconds(3.0);
    c.network = {.latency = seconds(1.5), .bytes_per_second = 840 * 4 / 5.0};
    CHECK(train(c, data).summary.seconds == Approx(3.0 + row.messages * 6.5).epsilon(1e-12));
  }
}
