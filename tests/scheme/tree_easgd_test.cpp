// Elastic averaging over a tree against its rule written out, and what its messages may do.
#include <algorithm>
#include <cmath>
#include <map>

#include "trainyard/scheme/scheme.hpp"

#include "support/catch.hpp"
#include "support/golden.hpp"
#include "support/training.hpp"

using namespace trainyard;

namespace {

using Doubles = std::vector<double>;

struct Periods {
  int fan_out, up, down, growth = 1;
};

/// Levels below worker 0.
int depth(int worker, int fan_out) {
  return worker == 0 ? 0 : 1 + depth((worker - 1) / fan_out, fan_out);
}

/// In step s each worker steps with the gradient at where it is, sends, and is drawn by what was
/// sent to it in step s − 1, the parent's first, before it takes its next gradient.
std::vector<Doubles> by_the_rule(const std::vector<Doubles>& h, const std::vector<Doubles>& b,
                                 std::vector<Doubles> x, int steps, Periods tree, double lr,
                                 double beta) {
  const int n = static_cast<int>(h.size());
  const int fan_out = tree.fan_out;
  const auto period = [&](int at_leaves, int child) {
    const int levels = depth(n - 1, fan_out) - depth(child, fan_out);
    return at_leaves * static_cast<int>(std::lround(std::pow(tree.growth, levels)));
  };
  std::map<std::pair<int, int>, Doubles> under_way;  // from, to
  for (int done = 1; done <= steps; ++done) {
    std::map<std::pair<int, int>, Doubles> sent;
    for (int i = 0; i < n; ++i) {
      std::vector<int> neighbours;
      for (int k = 0; k < n; ++k) {
        if ((i > 0 && k == (i - 1) / fan_out) || (k > 0 && (k - 1) / fan_out == i)) {
          neighbours.push_back(k);
        }
      }
      const double a = beta / (static_cast<double>(neighbours.size()) + 1);
      Doubles& own = x[static_cast<std::size_t>(i)];
      for (std::size_t j = 0; j < own.size(); ++j) {
        own[j] -=
            lr * h[static_cast<std::size_t>(i)][j] * (own[j] - b[static_cast<std::size_t>(i)][j]);
      }
      for (const int k : neighbours) {
        const int every = k < i ? period(tree.up, i) : period(tree.down, k);
        if (done % every == 0) sent[{i, k}] = own;
      }
      for (const int k : neighbours) {
        const auto message = under_way.find({k, i});
        if (message == under_way.end()) continue;
        for (std::size_t j = 0; j < own.size(); ++j) own[j] += a * (message->second[j] - own[j]);
      }
    }
    under_way = std::move(sent);
  }
  return x;
}

const std::vector<Doubles> starts{{1.0, -3.0}, {5.0, 0.5}, {-2.0, 8.0},
                                  {12.0, 2.5}, {0.5, 0.0}, {3.0, -7.0}};
const std::vector<Doubles> curvatures{{1.0, 0.25}, {0.5, 0.75}, {2.0, 0.125},
                                      {1.5, 1.0},  {0.25, 0.5}, {1.0, 1.0}};

}  // namespace

TEST_CASE("tree-easgd follows its rule along every edge", "[scheme][rule:tree-easgd]") {
  const Dataset data = test::quadratic_data(curvatures, starts);
  for (const int fan_out : {1, 2, 5}) {
    for (const int up : {1, 3}) {
      for (const int down : {1, 7}) {
        for (const int growth : {1, 2}) {
          for (const int steps : {1, 3, 4, 40}) {
            CAPTURE(fan_out, up, down, growth, steps);
            Configuration c;
            c.scheme = "tree-easgd";
            c.workers = 6;
            c.steps = static_cast<std::uint64_t>(steps);
            c.optimizer.lr = 0.05;
            c.hyperparameters = {{"fan-out", fan_out},
                                 {"period-up", up},
                                 {"period-down", down},
                                 {"period-growth", growth},
                                 {"moving-rate", 0.7}};
            const auto expected = by_the_rule(curvatures, starts, std::vector(6, Doubles(2, 0.0)),
                                              steps, {fan_out, up, down, growth}, 0.05, 0.7);
            const test::Replicas found = test::run_on_quadratic(c, data);
            for (std::size_t i = 0; i < 6; ++i) test::check_close(found.workers[i], expected[i]);
          }
        }
      }
    }
  }
}

TEST_CASE("without gradients a tree comes to agree within its starts, and then stays", "[scheme]") {
  const Dataset flat = test::quadratic_data(std::vector(6, Doubles(2, 0.0)), starts);
  Configuration c;
  c.scheme = "tree-easgd";
  c.workers = 6;
  c.steps = 3000;
  c.hyperparameters = {{"period-up", 3.0}, {"period-down", 5.0}};
  const test::Replicas found = test::run_on_quadratic(c, flat, {}, {.starts = starts});
  for (std::size_t j = 0; j < 2; ++j) {
    const auto of_j = [j](const Doubles& x) { return x[j]; };
    const auto [low, high] = std::ranges::minmax(found.workers, {}, of_j);
    CHECK(high[j] - low[j] < 1e-9);
    const auto [least, most] = std::ranges::minmax(starts, {}, of_j);
    CHECK(low[j] > least[j]);
    CHECK(high[j] < most[j]);
  }
  const std::vector<Doubles> agreed(6, Doubles{4.0, -1.0});
  for (const Doubles& x : test::run_on_quadratic(c, flat, {}, {.starts = agreed}).workers) {
    test::check_close(x, agreed.front());
  }
}

TEST_CASE("on a network that is too slow a tree sends less, and nobody waits", "[scheme]") {
  const LoadedData data = test::dense_problem(400, 20);
  Configuration c = test::quick("tree-easgd", 2, 200);
  c.hyperparameters = {{"period-up", 1.0}, {"period-down", 1.0}};
  c.network.bytes_per_second = 20 * sizeof(float) / 10e-3;  // a model in ten steps
  const RunResult slow = test::train(c, data);
  CHECK(slow.summary.seconds == Approx(0.2));
  // A replica is on its way for ten steps, and the next one leaves when it has been taken.
  CHECK(slow.summary.bytes_sent <= 2 * 20 * 20 * sizeof(float));
  CHECK(slow.summary.bytes_sent >= 2 * 15 * 20 * sizeof(float));
}

TEST_CASE("where the network can carry them every replica that is due is sent", "[scheme]") {
  const LoadedData data = test::dense_problem(400, 20);
  const std::uint64_t model = 20 * sizeof(float);
  // No time at all, and nine tenths of a step each way.
  for (const double seconds_a_model : {0.0, 0.9e-3}) {
    for (const bool charged : {false, true}) {
      for (const std::uint64_t period : {1U, 2U, 5U}) {
        CAPTURE(seconds_a_model, charged, period);
        Configuration c = test::quick("tree-easgd", 2, 200);
        c.hyperparameters = {{"period-up", period}, {"period-down", period}};
        if (seconds_a_model > 0.0) {
          c.network.bytes_per_second = static_cast<double>(model) / seconds_a_model;
        }
        c.network.charge_control = charged;
        const Summary s = test::train(c, data).summary;
        const std::uint64_t replicas = 2 * 200 / period;
        CHECK(s.bytes_sent == replicas * model);
        // Who is told that his replica has come is told by a control message.
        if (!charged) CHECK(s.messages == replicas);
        if (charged) CHECK(s.messages >= 2 * replicas - 2);
      }
    }
  }
}

TEST_CASE("a tree's cycle is that of the edges at its root", "[scheme]") {
  const Scheme& scheme = find_scheme("tree-easgd");
  struct Row {
    int workers, fan_out;
    double up, down, growth;
    std::uint64_t steps;
  };
  for (const Row& row : {
           Row{15, 2, 10, 10, 10, 1000},  // 10 at the leaves, 100, and 1000 at the root
           Row{15, 2, 8, 80, 1, 80},
           Row{2, 2, 10, 10, 1000, 10},  // one level of edges, whose periods do not grow
           Row{3, 2, 4, 6, 1000, 12},
           Row{4, 2, 4, 6, 3, 36},
           Row{4, 1, 4, 6, 3, 108},  // a chain
           Row{1, 2, 4, 6, 3, 1},    // no edges
           Row{2, 2, 999'999'999'989, 999'999'999'999, 1, 1'000'000'000'000},
           Row{15, 2, 10, 10, 1e6, 1'000'000'000'000},
           Row{2000, 1, 10, 10, 1e6, 1'000'000'000'000},
       }) {
    CAPTURE(row.workers, row.fan_out, row.up, row.down, row.growth);
    CHECK(steps_of_cycle(scheme, row.workers,
                         {{"fan-out", row.fan_out},
                          {"period-up", row.up},
                          {"period-down", row.down},
                          {"period-growth", row.growth}}) == row.steps);
  }
}

TEST_CASE("a run too short for the edges at a tree's root is remarked upon", "[scheme]") {
  const LoadedData data = test::dense_problem(400, 20);
  const auto notes = [&](int workers, double growth) {
    Configuration c = test::quick("tree-easgd", workers, 500);
    c.hyperparameters = {{"period-up", 10.0}, {"period-down", 10.0}, {"period-growth", growth}};
    std::string all;
    (void)resolve(c, {c.scheme}, data, [&](const std::string& text) { all += text; });
    return std::pair(all, test::train(c, data).summary.messages);
  };
  const auto [of_15, messages_of_15] = notes(15, 10.0);
  CHECK_THAT(of_15, ContainsSubstring(
                        "needs 1000 steps to make each of its exchanges once, and the run has "
                        "500"));
  // Eight edges at the leaves, four above them, and both ways; the two at the root carry nothing.
  CHECK(messages_of_15 == 2 * (8 * 50 + 4 * 5));
  const auto [of_2, messages_of_2] = notes(2, 1000.0);
  CHECK_THAT(of_2, !ContainsSubstring("exchanges once"));
  CHECK(messages_of_2 == 100);
}
