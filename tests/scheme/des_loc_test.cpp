// DES-LOC against its rule written out, against what it is for certain periods, and its bytes.
#include <cmath>
#include <cstdint>
#include <numeric>

#include "trainyard/scheme/scheme.hpp"

#include "support/catch.hpp"
#include "support/golden.hpp"
#include "support/training.hpp"

using namespace trainyard;

namespace {

using Doubles = std::vector<double>;

constexpr std::size_t workers = 4;

struct Periods {
  int x, u, v;
};

Configuration configuration(const char* scheme, std::uint64_t steps,
                            const OptimizerOptions& optimizer) {
  Configuration c;
  c.scheme = scheme;
  c.workers = workers;
  c.steps = steps;
  c.optimizer = optimizer;
  return c;
}

Configuration with_periods(Periods k, std::uint64_t steps, const OptimizerOptions& optimizer) {
  Configuration c = configuration("des-loc", steps, optimizer);
  c.hyperparameters = {{"period", static_cast<double>(k.x)},
                       {"first-moment-period", static_cast<double>(k.u)},
                       {"second-moment-period", static_cast<double>(k.v)}};
  return c;
}

const OptimizerOptions adam{.kind = OptimizerKind::adam, .lr = 0.05, .beta1 = 0.8, .beta2 = 0.95};

/// What the workers hold of one kind.
struct State {
  std::vector<Doubles> x{workers, Doubles(2, 0.0)}, u = x, v = x;

  static void average(std::vector<Doubles>& of_workers) {
    for (std::size_t j = 0; j < of_workers.front().size(); ++j) {
      double mean = 0.0;
      for (const Doubles& one : of_workers) mean += one[j] / workers;
      for (Doubles& one : of_workers) one[j] = mean;
    }
  }
};

/// Worker 2 begins at the optimum of its first coordinate, without a gradient there.
/// Steps of Adam on rows ½ Σ_j h_j (x_j - b_j)², a row a worker, and averages behind them.
State by_hand(const Dataset& data, Periods k, int steps) {
  State state;
  for (int t = 1; t <= steps; ++t) {
    for (std::size_t i = 0; i < workers; ++i) {
      for (std::size_t j = 0; j < 2; ++j) {
        const double h = static_cast<double>(data.dense_row(i)[j]);
        const double b = static_cast<double>(data.dense_row(i)[2 + j]);
        const double g = h * (state.x[i][j] - b);
        double& u = state.u[i][j];
        double& v = state.v[i][j];
        u = 0.8 * u + 0.2 * g;
        v = 0.95 * v + 0.05 * g * g;
        state.x[i][j] -= 0.05 * (u / (1.0 - std::pow(0.8, t))) /
                         (std::sqrt(v / (1.0 - std::pow(0.95, t))) + 1e-8);
      }
    }
    if (t % k.x == 0) State::average(state.x);
    if (t % k.u == 0) State::average(state.u);
    if (t % k.v == 0) State::average(state.v);
    for (std::size_t i = 0; i < workers && t % k.u == 0; ++i) {
      for (std::size_t j = 0; j < 2; ++j) state.u[i][j] *= state.v[i][j] == 0.0 ? 0.0 : 1.0;
    }
  }
  return state;
}

}  // namespace

TEST_CASE("des-loc averages parameters and moments each on its period", "[scheme][rule:des-loc]") {
  const Dataset data = test::unlike_data(workers);
  for (const Periods k : {Periods{2, 3, 4}, Periods{3, 1, 5}, Periods{4, 12, 24}}) {
    for (int done = 1; done <= 25; ++done) {
      CAPTURE(k.x, k.u, k.v, done);
      const State expected = by_hand(data, k, done);
      const test::Replicas found =
          test::run_on_quadratic(with_periods(k, static_cast<std::uint64_t>(done), adam), data);
      for (std::size_t i = 0; i < workers; ++i) {
        test::check_close(found.workers[i], expected.x[i]);
        test::check_close(found.kept[i].at("optimizer.m"), expected.u[i]);
        test::check_close(found.kept[i].at("optimizer.s"), expected.v[i]);
      }
    }
  }
}

TEST_CASE("with periods of 1 des-loc's workers are one, and not synchronous Adam", "[scheme]") {
  const Dataset data = test::unlike_data(workers);
  const test::Replicas found = test::run_on_quadratic(with_periods({1, 1, 1}, 20, adam), data);
  for (std::size_t i = 1; i < workers; ++i) {
    CHECK(found.workers[i] == found.workers[0]);
    for (const char* moment : {"optimizer.m", "optimizer.s"}) {
      CHECK(found.kept[i].at(moment) == found.kept[0].at(moment));
    }
  }
  const test::Replicas ring = test::run_on_quadratic(configuration("ring", 20, adam), data);
  // v is larger by the variance of the gradients, and steps are shorter.
  CHECK(std::abs(found.model[0] - ring.model[0]) > 1e-3);
}

TEST_CASE("des-loc is local-sgd without averages of moments, and with momentum", "[scheme]") {
  const Dataset data = test::unlike_data(workers);
  const OptimizerOptions plain{.lr = 0.1};
  const OptimizerOptions heavy{.lr = 0.1, .momentum = 0.8};
  const OptimizerOptions adagrad{.kind = OptimizerKind::adagrad, .lr = 0.1};
  const auto check_same = [&](Periods k, const OptimizerOptions& optimizer) {
    CAPTURE(optimizer_text(optimizer.kind), optimizer.momentum);
    Configuration same = configuration("local-sgd", 22, optimizer);
    same.hyperparameters["period"] = k.x;
    const test::Replicas found = test::run_on_quadratic(with_periods(k, 22, optimizer), data);
    CHECK(found.workers == test::run_on_quadratic(same, data).workers);
  };
  check_same({3, 1000, 1000}, adam);
  check_same({3, 1, 1000}, adagrad);  // which has no mean of gradients
  check_same({3, 3, 1}, heavy);
  check_same({3, 1, 1}, plain);
}

// Divided by the root of no mean of squares, the others' mean would lead far away.
TEST_CASE("des-loc holds what has no mean of squares yet, and says so", "[scheme]") {
  const auto remarks_of = [](const LoadedData& data, double second_period) {
    Configuration c = test::quick("des-loc", 4, 20);
    c.optimizer = adam;
    c.hyperparameters = {{"first-moment-period", 6}, {"second-moment-period", second_period}};
    std::string remarks;
    RunHooks hooks;
    hooks.remark = [&](const std::string& text) { remarks += text; };
    run_experiment(plan_run(resolve(c, {c.scheme}, data, {}), data), hooks);
    return remarks;
  };
  // 300 features, of which a worker has seen 240 at most in six minibatches of four rows.
  CHECK_THAT(remarks_of(test::sparse_problem(), 12),
             ContainsSubstring("of 300 parameters: it does not move them"));
  CHECK(remarks_of(test::sparse_problem(), 6).empty());
  CHECK(remarks_of(test::dense_problem(), 12).empty());
  Configuration c = test::quick("des-loc", 4, 60);
  c.optimizer = {.kind = OptimizerKind::adam, .lr = 0.02};
  const RunResult result = test::train(c, test::sparse_problem());
  CHECK(result.summary.train_loss < result.metrics.front().train_loss);
}

TEST_CASE("des-loc sends half of what local Adam does", "[scheme]") {
  const LoadedData data = test::dense_problem(50, 840);
  const auto bytes = [&](const char* scheme, const Hyperparameters& periods) {
    Configuration c = test::quick(scheme, 4, 120);
    c.optimizer.kind = OptimizerKind::adam;
    c.hyperparameters = periods;
    return test::train(c, data).summary.bytes_sent;
  };
  const std::uint64_t parameters = bytes("local-sgd", {{"period", 5}});
  CHECK(bytes("des-loc", {{"period", 5}}) * 2 == parameters * 3);  // 1 + 1/3 + 1/6
  CHECK(
      bytes("des-loc", {{"period", 5}, {"first-moment-period", 5}, {"second-moment-period", 5}}) ==
      parameters * 3);
  CHECK(bytes("des-loc", {{"period", 5}, {"first-moment-period", 20}}) ==
        parameters + parameters / 4 + parameters / 6);
}
