// 1-bit Adam against its algorithm written out, with and without compression.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "support/catch.hpp"
#include "support/every_codec.hpp"
#include "support/golden.hpp"
#include "support/training.hpp"

using namespace trainyard;

namespace {

constexpr double lr = 0.03;
constexpr int workers = 4;
constexpr std::size_t dimension = 2;

Configuration configuration(const std::string& scheme, const std::string& codec, double freeze,
                            std::uint64_t steps) {
  Configuration c;
  c.scheme = scheme;
  c.workers = workers;
  c.optimizer.lr = lr;
  c.steps = steps;
  c.ingredients["codec"] = codec;
  c.hyperparameters["freeze-step"] = freeze;
  return c;
}

std::vector<double> mean_gradient(const Dataset& data, const std::vector<double>& x) {
  std::vector<double> mean(dimension, 0.0);
  for (std::size_t i = 0; i < workers; ++i) {
    for (std::size_t j = 0; j < dimension; ++j) {
      const double h = static_cast<double>(data.dense[i * 2 * dimension + j]);
      const double b = static_cast<double>(data.dense[i * 2 * dimension + dimension + j]);
      mean[j] += h * (x[j] - b) / workers;
    }
  }
  return mean;
}

/// Algorithm 1 without compression.
std::vector<double> reference(const Dataset& data, std::uint64_t freeze, std::uint64_t steps) {
  std::vector<double> x(dimension, 0.0), m(dimension, 0.0), v(dimension, 0.0);
  double root_scale = 1.0;
  for (std::uint64_t t = 1; t <= steps; ++t) {
    const std::vector<double> g = mean_gradient(data, x);
    const bool warm_up = t <= freeze;
    const auto power = static_cast<double>(t);
    if (warm_up) root_scale = 1.0 / std::sqrt(1.0 - std::pow(0.999, power));
    const double step = warm_up ? lr / (1.0 - std::pow(0.9, power)) : lr;
    for (std::size_t j = 0; j < dimension; ++j) {
      m[j] = 0.9 * m[j] + 0.1 * g[j];
      if (warm_up) v[j] = 0.999 * v[j] + 0.001 * g[j] * g[j];
      x[j] -= step * m[j] / (root_scale * std::sqrt(v[j]) + 1e-8);
    }
  }
  return x;
}

}  // namespace

TEST_CASE("one-bit-adam is Adam, and then steps along encoded momenta",
          "[scheme][rule:one-bit-adam]") {
  const Dataset data = test::unlike_data(workers);
  for (const std::uint64_t freeze : {1U, 7U, 100U}) {
    for (const int servers : {1, 2}) {
      CAPTURE(freeze, servers);
      Configuration c = configuration("one-bit-adam", "identity", static_cast<double>(freeze), 40);
      c.servers = servers;
      test::check_close(test::run_on_quadratic(c, data).model, reference(data, freeze, 40));
    }
  }
  // While it warms up it is any synchronous scheme with Adam.
  Configuration adam = configuration("ring", "identity", 1, 30);
  adam.hyperparameters.clear();
  adam.optimizer.kind = OptimizerKind::adam;
  test::check_close(
      test::run_on_quadratic(configuration("one-bit-adam", "sign", 30, 30), data).model,
      test::run_on_quadratic(adam, data).model);
}

namespace {

struct TrainedRun {
  RunResult result;
  std::vector<float> v;  // worker 0's second moments
  std::string remarks;
};

TrainedRun trained_on(const LoadedData& data, const std::string& codec, std::uint64_t freeze,
                      std::uint64_t steps) {
  Configuration c = test::quick("one-bit-adam", 2, steps);
  c.batch = 1;
  c.optimizer.lr = 0.01;
  c.ingredients["codec"] = codec;
  c.hyperparameters["freeze-step"] = static_cast<double>(freeze);
  TrainedRun run;
  RunHooks hooks;
  hooks.remark = [&](const std::string& text) { run.remarks += text + "\n"; };
  hooks.finished = [&](const RunState& state) {
    for (const KeptVector& kept : state.kept_by(0)) {
      if (kept.name != "v") continue;
      const auto values = kept.values.as<float>();
      run.v.assign(values.begin(), values.end());
    }
  };
  run.result = run_experiment(plan_run(resolve(c, {c.scheme}, data, {}), data), hooks);
  return run;
}

}  // namespace

TEST_CASE("one-bit-adam leaves parameters alone whose second moment it froze at 0", "[scheme]") {
  constexpr std::uint64_t freeze = 5, steps = 100;
  const LoadedData late = test::sparse_problem(400, 300);  // many features come up late
  const std::vector<float> frozen = trained_on(late, "identity", freeze, freeze).v;
  const auto zeros = std::ranges::count(frozen, 0.0F);
  REQUIRE(zeros > 100);
  for (const char* codec : {"identity", "qsgd:127", "sign"}) {
    CAPTURE(codec);
    const TrainedRun run = trained_on(late, codec, freeze, steps);
    CHECK(run.v == frozen);
    const auto model = std::as_const(run.result.model).view().as<float>();
    for (std::size_t j = 0; j < model.size(); ++j) {
      if (frozen[j] == 0.0F) CHECK(model[j] == 0.0F);
      CHECK(std::abs(model[j]) < 10.0F);
    }
    CHECK_THAT(run.remarks,
               ContainsSubstring("froze its second moment after 5 steps, in which " +
                                 std::to_string(zeros) + " of 300 parameters had no gradient"));
  }
  // Before the freeze there is nothing to say, and where all have had a gradient neither.
  CHECK(trained_on(late, "identity", freeze, freeze).remarks.empty());
  CHECK(trained_on(test::dense_problem(), "identity", freeze, steps).remarks.empty());
}

// m_t = β₁ m_{t−1} + (1 − β₁) ḡ_t − (mean of e_i + E)_t + (the same)_{t−1}: nothing is lost.
TEST_CASE("one-bit-adam's momenta lose nothing but what is kept", "[scheme]") {
  const Dataset data = test::unlike_data(workers);
  const std::uint64_t freeze = 5;
  for (const std::string& codec : test::every_codec()) {
    std::vector<double> expected;
    for (std::uint64_t t = freeze; t <= freeze + 12; ++t) {
      CAPTURE(codec, t);
      const test::Replicas run = test::run_on_quadratic(
          configuration("one-bit-adam", codec, static_cast<double>(freeze), t), data);
      std::vector<double> errors(dimension, 0.0);
      for (std::size_t j = 0; j < dimension; ++j) {
        for (std::size_t i = 0; i < workers; ++i) errors[j] += run.kept[i].at("error")[j] / workers;
        errors[j] += run.kept[workers].at("error")[j];
      }
      const std::vector<double> m = run.kept[0].at("m");
      if (t > freeze) {
        for (std::size_t j = 0; j < dimension; ++j) {
          CHECK(m[j] + errors[j] == Approx(expected[j]).epsilon(1e-12).margin(1e-12));
        }
      }
      const std::vector<double> g = mean_gradient(data, run.model);
      expected.resize(dimension);
      for (std::size_t j = 0; j < dimension; ++j) {
        expected[j] = 0.9 * m[j] + 0.1 * g[j] + errors[j];
      }
    }
  }
}
