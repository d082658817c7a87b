// TernGrad with one unit for all workers: right on average, with the variance of that unit, in two
// bits up and ⌈log2(2n+1)⌉ down.
#include <algorithm>
#include <cmath>
#include <vector>

#include "trainyard/scheme/scheme.hpp"

#include "support/catch.hpp"
#include "support/golden.hpp"
#include "support/training.hpp"

using namespace trainyard;

namespace {

using Rows = std::vector<std::vector<double>>;

/// Workers with curvature 1 and these gradients at 0.
Dataset with_gradients(const Rows& gradients) {
  Rows h, b;
  for (const std::vector<double>& gradient : gradients) {
    h.emplace_back(gradient.size(), 1.0);
    auto& optimum = b.emplace_back();
    for (const double g : gradient) optimum.push_back(-g);
  }
  return test::quadratic_data(h, b);
}

Configuration one_step(std::size_t workers, std::uint64_t seed) {
  Configuration c;
  c.scheme = "terngrad";
  c.workers = static_cast<int>(workers);
  c.optimizer.lr = 1.0;
  c.steps = 1;
  c.seed = seed;
  return c;
}

const Rows unlike{{2.0, -0.5, 0.25, 0.0}, {-1.0, 0.5, 0.125, 0.0}, {0.5, 0.75, -1.5, 0.0}};

}  // namespace

TEST_CASE("terngrad is right on average, with the error of a common unit",
          "[scheme][rule:terngrad]") {
  constexpr int draws = 6000;
  const Dataset data = with_gradients(unlike);
  const std::size_t n = unlike.size(), d = unlike.front().size();
  for (const int servers : {1, 2}) {
    std::vector<double> sum(d, 0.0), squares(d, 0.0), exact(d, 0.0), variance(d, 0.0);
    for (std::size_t j = 0; j < d; ++j) {
      for (const std::vector<double>& g : unlike) {
        exact[j] -= g[j] / static_cast<double>(n);
        variance[j] += std::abs(g[j]) * (2.0 - std::abs(g[j])) / static_cast<double>(n * n);
      }
    }
    for (int draw = 1; draw <= draws; ++draw) {
      Configuration c = one_step(n, static_cast<std::uint64_t>(draw));
      c.servers = servers;
      const std::vector<double> model = test::run_on_quadratic(c, data).model;
      for (std::size_t j = 0; j < d; ++j) {
        sum[j] += model[j] / draws;
        squares[j] += (model[j] - exact[j]) * (model[j] - exact[j]) / draws;
        // A whole number of M/n.
        const double place = model[j] * static_cast<double>(n) / 2.0;
        CHECK(place == Approx(std::round(place)).margin(1e-9));
      }
    }
    for (std::size_t j = 0; j < d; ++j) {
      CAPTURE(servers, j, sum[j], exact[j], squares[j], variance[j]);
      CHECK(std::abs(sum[j] - exact[j]) <= 4.0 * std::sqrt(variance[j] / draws));
      // Numbers of a few values: a fourth moment of at most a few variances squared.
      CHECK(std::abs(squares[j] - variance[j]) <= 4.0 * variance[j] * std::sqrt(4.0 / draws));
    }
  }
}

TEST_CASE("terngrad clips at so many standard deviations", "[scheme]") {
  // About their mean, 2, they deviate by 2; about 0 it would be √8.
  const Dataset data = with_gradients({{4.0, 4.0, 0.0, 0.0}});
  Configuration c = one_step(1, 1);
  c.hyperparameters["clip-deviations"] = 1.0;
  // Both are at the end of the ruler now, and so not left to chance.
  test::check_close(test::run_on_quadratic(c, data).model, {-2.0, -2.0, 0.0, 0.0});
  c.hyperparameters["clip-deviations"] = 1.5;
  test::check_close(test::run_on_quadratic(c, data).model, {-3.0, -3.0, 0.0, 0.0});
  c.hyperparameters["clip-deviations"] = 2.0;
  test::check_close(test::run_on_quadratic(c, data).model, {-4.0, -4.0, 0.0, 0.0});
  // A single number has no deviation.
  c.hyperparameters["clip-deviations"] = 1.0;
  test::check_close(test::run_on_quadratic(c, with_gradients({{4.0}})).model, {-4.0});
}

TEST_CASE("terngrad sends two bits a number up, and as many as a sum needs down", "[scheme]") {
  constexpr std::uint64_t d = 101, steps = 7;
  const LoadedData data = test::dense_problem(400, d);
  struct Row {
    int workers;
    std::uint64_t bits;
  };
  for (const Row& row : {Row{1, 2}, Row{3, 3}, Row{7, 4}, Row{8, 5}}) {
    CAPTURE(row.workers);
    const RunResult result = test::train(test::quick("terngrad", row.workers, steps), data);
    const auto n = static_cast<std::uint64_t>(row.workers);
    CHECK(result.summary.bytes_sent ==
          steps * n * (4 + 4 + (2 * d + 7) / 8 + (row.bits * d + 7) / 8));
    CHECK(result.summary.consensus_distance.value_or(0.0) == 0.0);
  }
}

TEST_CASE("terngrad's first step takes what its closed form says", "[scheme]") {
  constexpr std::size_t d = 840;
  const LoadedData data = test::dense_problem(60, d);
  const Scheme& scheme = find_scheme("terngrad");
  for (const int n : {1, 2, 5, 8}) {
    for (const int coding_ns : {0, 50}) {
      CAPTURE(n, coding_ns);
      Configuration c = test::quick("terngrad", n, 1);
      c.network = {.latency = std::chrono::microseconds(20), .bytes_per_second = 3e7};
      c.encode_time = std::chrono::nanoseconds(coding_ns);
      c.decode_time = std::chrono::nanoseconds(coding_ns / 5);
      c.hyperparameters = with_fallbacks(scheme, {}, n);
      const Ingredients none;
      const auto closed_form = scheme.cost.time({.workers = n,
                                                 .servers = 1,
                                                 .parameters = d,
                                                 .compute = *c.compute_time,
                                                 .message = FloatMessages{c.network},
                                                 .message_of_bytes = ByteMessages{c.network},
                                                 .coding = {*c.encode_time, *c.decode_time},
                                                 .ingredients = none,
                                                 .hyperparameters = c.hyperparameters});
      REQUIRE(closed_form);
      CHECK(test::train(c, data).summary.seconds ==
            Approx(to_seconds(*closed_form)).epsilon(coding_ns == 0 ? 1e-9 : 1e-6));
    }
  }
}

// One worker's unit is the common one: it is csgd with the codec of that name, but for the way
// back.
TEST_CASE("terngrad by one worker is csgd by that codec, and errs as much", "[scheme]") {
  const LoadedData data = test::dense_problem(400, 20);
  const Summary shared = test::train(test::quick("terngrad", 1, 100), data).summary;
  Configuration c = test::quick("csgd", 1, 100);
  c.ingredients = {{"codec", "terngrad"}};
  const Summary own = test::train(c, data).summary;
  CHECK(shared.train_loss == Approx(own.train_loss).epsilon(1e-6));
  CHECK(*shared.coding_error == Approx(*own.coding_error).epsilon(1e-6));
}
