// signSGD with majority vote: its rule, and where it fails.
#include <cmath>
#include <vector>

#include "support/catch.hpp"
#include "support/golden.hpp"

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

TEST_CASE("sign-sgd steps where most signs point, and ties go up", "[scheme]") {
  const double lr = 0.125;
  // Three workers: two of three decide. A gradient of 0 votes as a positive one.
  const Dataset three = with_gradients({{5, -1, -1, 0}, {2, -1, 3, -2}, {-9, 7, -4, 0}});
  const std::vector<double> first{-lr, lr, lr, -lr};
  test::check_close(test::run_on_quadratic(configuration(3, lr, 1), three).model, first);
  // Two workers that disagree: the vote is +1, so the model goes down.
  const Dataset two = with_gradients({{5, -1}, {-9, -2}});
  test::check_close(test::run_on_quadratic(configuration(2, lr, 1), two).model, {-lr, lr});
  // In the next steps against an own count of signs, over one server and two.
  for (const int servers : {1, 2}) {
    Configuration c = configuration(5, lr, 0);
    c.servers = servers;
    const Dataset data = test::unlike_data(5);
    std::vector<double> x(2, 0.0);
    for (std::uint64_t t = 1; t <= 40; ++t) {
      for (std::size_t j = 0; j < 2; ++j) {
        int votes = 0;
        for (std::size_t i = 0; i < 5; ++i) {
          const double g = static_cast<double>(data.dense[i * 4 + j]) *
                           (x[j] - static_cast<double>(data.dense[i * 4 + 2 + j]));
          votes += g < 0.0 ? -1 : 1;
        }
        x[j] -= votes < 0 ? -lr : lr;
      }
      c.steps = t;
      CAPTURE(servers, t);
      test::check_close(test::run_on_quadratic(c, data).model, x);
    }
  }
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
