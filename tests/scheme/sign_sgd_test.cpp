// signSGD with majority vote: its rule, and where it fails.
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "support/catch.hpp"
#include "support/golden.hpp"
#include "support/training.hpp"

using namespace trainyard;

namespace {

Configuration configuration(int workers, double lr, std::uint64_t steps) {
  Configuration c;
  c.scheme = "sign-sgd";
  c.workers = workers;
  c.optimizer.lr = lr;
  c.steps = steps;
  return c;
}

/// Workers with curvature 1 whose gradients at 0 are these, each in every coordinate of its own.
Dataset with_gradients(const std::vector<std::vector<double>>& gradients) {
  std::vector<std::vector<double>> h, b;
  for (const std::vector<double>& gradient : gradients) {
    h.emplace_back(gradient.size(), 1.0);
    auto& optimum = b.emplace_back();
    for (const double g : gradient) optimum.push_back(-g);
  }
  return test::quadratic_data(h, b);
}

}  // namespace

TEST_CASE("sign-sgd steps where most signs point, and stays where none do", "[scheme]") {
  const double lr = 0.125;
  // Three workers: two of three decide. A gradient of 0 is no vote, and three of them move nothing.
  const Dataset three =
      with_gradients({{5, -1, -1, 0, 0, -3}, {2, -1, 3, -2, 0, 0}, {-9, 7, -4, 0, 0, 8}});
  const std::vector<double> first{-lr, lr, lr, lr, 0.0, 0.0};
  test::check_close(test::run_on_quadratic(configuration(3, lr, 1), three).model, first);
  // Two workers that disagree: a tie.
  const Dataset two = with_gradients({{5, -1}, {-9, -2}});
  test::check_close(test::run_on_quadratic(configuration(2, lr, 1), two).model, {0.0, lr});
}

TEST_CASE("sign-sgd follows a count of signs of its own, with ties or without",
          "[scheme][rule:sign-sgd]") {
  const double lr = 0.125;
  for (const int workers : {4, 5}) {
    for (const int servers : {1, 2}) {
      Configuration c = configuration(workers, lr, 0);
      c.servers = servers;
      const Dataset data = test::unlike_data(workers);
      std::vector<double> x(2, 0.0);
      for (std::uint64_t t = 1; t <= 40; ++t) {
        for (std::size_t j = 0; j < 2; ++j) {
          int votes = 0;
          for (std::size_t i = 0; i < static_cast<std::size_t>(workers); ++i) {
            const double g = static_cast<double>(data.dense[i * 4 + j]) *
                             (x[j] - static_cast<double>(data.dense[i * 4 + 2 + j]));
            votes += (g > 0.0) - (g < 0.0);
          }
          x[j] -= lr * ((votes > 0) - (votes < 0));
        }
        c.steps = t;
        CAPTURE(workers, servers, t);
        test::check_close(test::run_on_quadratic(c, data).model, x);
      }
    }
  }
}

// Most features are in none of a step's rows: with one bit for +1 and −1 their weights would all
// move by γ at every step.
TEST_CASE("sign-sgd leaves alone what has no gradient, in two bits a number", "[scheme]") {
  constexpr std::uint64_t d = 301, steps = 3;
  const LoadedData data = test::sparse_problem(400, d);
  Configuration c = test::quick("sign-sgd", 2, steps);
  c.batch = 1;
  c.optimizer.lr = 0.5;
  const RunResult result = test::train(c, data);
  const auto model = std::as_const(result.model).view().as<float>();
  // Six rows of at most ten features.
  CHECK(std::ranges::count_if(model, [](float x) { return x != 0.0F; }) <= 60);
  CHECK(std::ranges::all_of(model, [](float x) { return std::abs(x) <= 1.5F; }));
  CHECK(result.summary.bytes_sent == steps * 2 * 2 * ((2 * d + 7) / 8));
}

// One worker of three has nearly all of the objective's slope, and is outvoted.
TEST_CASE("sign-sgd walks uphill on gradients of 4, -1 and -1", "[scheme]") {
  const Dataset data = with_gradients({{4}, {-1}, {-1}});
  const auto objective = [](double x) {
    return ((x + 4) * (x + 4) + (x - 1) * (x - 1) + (x - 1) * (x - 1)) / 6.0;
  };
  double before = objective(0.0);
  for (std::uint64_t t = 1; t <= 8; ++t) {
    const double x = test::run_on_quadratic(configuration(3, 0.1, t), data).model.front();
    CHECK(x == Approx(0.1 * static_cast<double>(t)));
    CHECK(objective(x) > before);
    before = objective(x);
  }
}
