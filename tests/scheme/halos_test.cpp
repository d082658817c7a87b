// HALoS against its rule written out, and against async-local-sgd.
#include <algorithm>

#include "trainyard/scheme/scheme.hpp"

#include "support/catch.hpp"
#include "support/golden.hpp"
#include "support/training.hpp"

using namespace trainyard;

namespace {

using Doubles = std::vector<double>;

Configuration configuration(int workers, double merge_period, double share) {
  Configuration c;
  c.scheme = "halos";
  c.workers = workers;
  c.steps = 1000;
  c.optimizer.lr = 0.1;
  c.hyperparameters = {{"period", 3.0},
                       {"region-lr", 0.6},
                       {"region-momentum", 0.8},
                       {"region-momentum-delay", 2.0},
                       {"merge-period", merge_period},
                       {"global-share", share},
                       {"root-lr", 1.0},
                       {"root-momentum", 0.0},
                       {"root-momentum-delay", 1.0}};
  return c;
}

/// An outer model with momentum that turns every so many ways.
struct Level {
  double eta, beta;
  int delay;
  Doubles x = Doubles(2, 0.0), m = Doubles(2, 0.0), accrued = Doubles(2, 0.0);
  int t = 0;

  void step(const Doubles& way) {
    const bool turns = ++t % delay == 0;
    for (std::size_t j = 0; j < x.size(); ++j) {
      accrued[j] += way[j];
      if (turns) {
        m[j] = beta * m[j] + accrued[j] / delay;
        x[j] -= eta * beta * m[j];
        accrued[j] = 0.0;
      }
      x[j] -= eta * way[j] / delay;
    }
  }
};

}  // namespace

/// Two regions of one worker each, the second a little slower, so that nothing happens at once.
/// What the global server answers comes at once, but behind the answer to the worker.
TEST_CASE("halos merges what its regions have come", "[scheme][rule:halos]") {
  const std::vector<Doubles> h{{1.0, 0.25}, {0.5, 0.75}}, b{{1.0, -2.0}, {-1.0, 3.0}};
  const Dataset data = test::quadratic_data(h, b);
  constexpr std::uint64_t minibatches = 75;
  constexpr double share = 0.3;
  const std::vector<double> step_time{1.0, 1.37};
  Level global{.eta = 0.9, .beta = 0.5, .delay = 2};
  std::vector<Level> regions(2, Level{.eta = 0.6, .beta = 0.8, .delay = 2});
  std::vector<Doubles> x(2, Doubles(2, 0.0)), fetched = x, at_merge = x;
  std::vector<int> left(2, 3), ways(2, 0);
  std::vector<double> ready = step_time;
  std::uint64_t begun = 2;
  for (std::uint64_t done = 0; done < minibatches; ++done) {
    const std::size_t i = ready[0] < ready[1] ? 0 : 1;
    for (std::size_t j = 0; j < 2; ++j) x[i][j] -= 0.1 * h[i][j] * (x[i][j] - b[i][j]);
    if (--left[i] == 0) {
      left[i] = 3;
      Level& region = regions[i];
      region.step({fetched[i][0] - x[i][0], fetched[i][1] - x[i][1]});
      x[i] = fetched[i] = region.x;
      if (++ways[i] == 2) {
        ways[i] = 0;
        global.step({at_merge[i][0] - region.x[0], at_merge[i][1] - region.x[1]});
        for (std::size_t j = 0; j < 2; ++j) {
          region.x[j] = (1 - share) * region.x[j] + share * global.x[j];
        }
        at_merge[i] = region.x;
      }
    }
    ready[i] = begun++ < minibatches ? ready[i] + step_time[i] : 1e9;
  }
  Configuration c = configuration(2, 2, share);
  c.servers = 2;
  c.stragglers = {{1, 1.37}};
  c.hyperparameters["root-lr"] = 0.9;
  c.hyperparameters["root-momentum"] = 0.5;
  c.hyperparameters["root-momentum-delay"] = 2;
  const test::Replicas found = test::run_on_quadratic(c, data, minibatches);
  test::check_close(found.model, global.x);
  for (std::size_t i = 0; i < 2; ++i) test::check_close(found.workers[i], x[i]);
}

TEST_CASE("halos of one region that merges at once is async-local-sgd", "[scheme]") {
  const Dataset data = test::unlike_data(3);
  Configuration c = configuration(3, 1, 1.0);
  c.stragglers = {{1, 1.37}, {2, 1.71}};
  Configuration same = c;
  same.scheme = "async-local-sgd";
  same.hyperparameters = {
      {"period", 3.0}, {"outer-lr", 0.6}, {"outer-momentum", 0.8}, {"momentum-delay", 2.0}};
  test::check_close(test::run_on_quadratic(c, data, 90).model,
                    test::run_on_quadratic(same, data, 90).model);
}

/// Between racks goes one way in K, and its answer.
TEST_CASE("halos sends a way in K between its regions", "[scheme]") {
  const LoadedData data = test::dense_problem();
  Configuration c = test::quick("halos", 8, 64);
  c.servers = 2;
  c.hyperparameters = {{"period", 2.0}, {"merge-period", 4.0}};
  const auto sent = [&] { return static_cast<double>(test::train(c, data).summary.bytes_sent); };
  const double merging = sent();
  c.hyperparameters["merge-period"] = 1e6;
  // 8 · 64 minibatches are 256 ways, of which 64 have one between regions, each with an answer.
  CHECK(merging / sent() == Approx((256.0 + 64.0) / 256.0).epsilon(0.03));
}
