// Decoupled DiLoCo against streaming-diloco, against its rule written out, and against what it is
// for: nobody waits.
#include <algorithm>
#include <cmath>

#include "trainyard/base/error.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "support/catch.hpp"
#include "support/golden.hpp"
#include "support/training.hpp"

using namespace trainyard;

namespace {

using Doubles = std::vector<double>;

enum : int { rda, mean };

Configuration configuration(int workers, double period, double fragments, double quorum,
                            int merge) {
  Configuration c;
  c.scheme = "decoupled-diloco";
  c.workers = workers;
  c.steps = 1000;
  c.optimizer.lr = 0.1;
  c.hyperparameters = {{"period", period},      {"fragments", fragments},
                       {"fragment-delay", 1.0}, {"local-share", 0.25},
                       {"quorum", quorum},      {"merge", static_cast<double>(merge)}};
  return c;
}

}  // namespace

TEST_CASE("decoupled-diloco that waits for all and takes their mean is streaming-diloco",
          "[scheme]") {
  const Dataset data = test::unlike_data(4);
  for (const int servers : {1, 2}) {
    for (const double optimizer : {0.0, 1.0}) {
      for (const std::uint64_t steps : {5, 12, 29}) {
        CAPTURE(servers, optimizer, steps);
        Configuration c = configuration(4, 6, servers == 1 ? 2 : 1, 4, mean);
        c.servers = servers;
        c.hyperparameters["outer-optimizer"] = optimizer;
        Configuration same = c;
        same.scheme = "streaming-diloco";
        same.servers = 1;
        same.steps = steps;
        same.hyperparameters.erase("quorum");
        same.hyperparameters.erase("merge");
        const test::Replicas found = test::run_on_quadratic(c, data, 4 * steps);
        const test::Replicas expected = test::run_on_quadratic(same, data);
        for (std::size_t i = 0; i < 4; ++i) {
          test::check_close(found.workers[i], expected.workers[i]);
        }
      }
    }
  }
}

/// Three workers, a model of one tensor, one fragment: two of them are a quorum. Worker 2 takes 2.6
/// ms a step; it sends its fragment in turn, which weighs as much as the others', and is merged
/// with the next that comes.
TEST_CASE("decoupled-diloco merges what a quorum has sent", "[scheme][rule:decoupled-diloco]") {
  const std::vector<Doubles> h{{1.0, 0.25, 4.0}, {0.5, 0.75, 1.0}, {2.0, 0.125, 0.5}};
  const std::vector<Doubles> b{{1.0, -2.0, 0.5}, {-1.0, 3.0, 0.25}, {4.0, 0.5, -2.0}};
  const Dataset data = test::quadratic_data(h, b);
  constexpr double eta = 0.7, mu = 0.9, alpha = 0.25;
  constexpr std::uint64_t minibatches = 80;
  constexpr int period = 4;  // a fragment is sent after three steps of four
  const std::vector<double> step_time{1.0, 1.01, 2.6};
  Doubles global(3, 0.0), velocity(3, 0.0);
  std::vector<Doubles> x(3, global), sent(3);
  std::vector<std::vector<Doubles>> inbox(3);
  std::vector<int> steps(3, 0), sent_at(3, 0), weight(3, 0);
  std::vector<double> ready = step_time;
  std::uint64_t begun = 3;
  int merges = 0;
  for (std::uint64_t done = 0; done < minibatches; ++done) {
    const auto i = static_cast<std::size_t>(std::ranges::min_element(ready) - ready.begin());
    for (std::size_t j = 0; j < 3; ++j) x[i][j] -= 0.1 * h[i][j] * (x[i][j] - b[i][j]);
    ++steps[i];
    const int of_period = (steps[i] - 1) % period + 1;
    for (const Doubles& merged : inbox[i]) {  // what came is mixed in
      for (std::size_t j = 0; j < 3; ++j) x[i][j] = (1 - alpha) * merged[j] + alpha * x[i][j];
    }
    inbox[i].clear();
    if (of_period == 3) {
      sent[i] = x[i];
      weight[i] = steps[i] - sent_at[i];
      sent_at[i] = steps[i];
      if (std::ranges::count_if(sent, [](const Doubles& each) { return !each.empty(); }) == 2) {
        ++merges;
        double weights = 0.0, lengths = 0.0;
        Doubles direction(3, 0.0);
        for (std::size_t m = 0; m < 3; ++m) {
          if (sent[m].empty()) continue;
          Doubles way(3);
          double squares = 0.0;
          for (std::size_t j = 0; j < 3; ++j) {
            way[j] = global[j] - sent[m][j];
            squares += way[j] * way[j];
          }
          weights += weight[m];
          lengths += weight[m] * std::sqrt(squares);
          for (std::size_t j = 0; j < 3; ++j)
            direction[j] += weight[m] * way[j] / std::sqrt(squares);
          sent[m].clear();
        }
        const double length = std::hypot(direction[0], direction[1], direction[2]);
        for (std::size_t j = 0; j < 3; ++j) {
          const double way = lengths / weights * direction[j] / length;
          velocity[j] = mu * velocity[j] + way;
          global[j] -= eta * (way + mu * velocity[j]);
        }
        for (auto& each : inbox) each.push_back(global);
      }
    }
    ready[i] = begun++ < minibatches ? ready[i] + step_time[i] : 1e9;
  }
  Configuration c = configuration(3, period, 1, 2, rda);
  c.stragglers = {{1, 1.01}, {2, 2.6}};
  const test::Replicas found = test::run_on_quadratic(c, data, minibatches);
  CHECK(merges > 5);
  test::check_close(found.model, global);
  for (std::size_t i = 0; i < 3; ++i) test::check_close(found.workers[i], x[i]);
}

TEST_CASE("a slow worker holds up neither the others nor their merges", "[scheme]") {
  const LoadedData data = test::dense_problem();
  Configuration c = test::quick("decoupled-diloco", 4, 40);
  c.stragglers = {{3, 10.0}};
  c.network = {.latency = std::chrono::microseconds(100)};
  const double decoupled = test::train(c, data).summary.seconds;
  c.scheme = "streaming-diloco";
  CHECK(test::train(c, data).summary.seconds > 5 * decoupled);
}

TEST_CASE("a quorum is of the workers that there are", "[scheme]") {
  const Configuration c = configuration(4, 6, 2, 5, rda);
  const Scheme& scheme = find_scheme(c.scheme);
  const Hyperparameters complete = with_fallbacks(scheme, c.hyperparameters, 4);
  CHECK_THROWS_WITH((void)cast_of(scheme, 4, 1, {}, complete),
                    ContainsSubstring("quorum") && ContainsSubstring("there are 4 workers"));
}
