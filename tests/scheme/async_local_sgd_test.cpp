// Asynchronous local SGD against its rule written out, and against what it is for certain values.
#include <algorithm>

#include "trainyard/base/error.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "support/catch.hpp"
#include "support/golden.hpp"
#include "support/training.hpp"

using namespace trainyard;

namespace {

using Doubles = std::vector<double>;

const std::vector<Doubles> h{{1.0, 0.25, 4.0}, {0.5, 0.75, 1.0}, {2.0, 0.125, 0.5}};
const std::vector<Doubles> b{{1.0, -2.0, 0.5}, {-1.0, 3.0, 0.25}, {4.0, 0.5, -2.0}};
constexpr double step_size = 0.1;

void descend(Doubles& x, std::size_t worker) {
  for (std::size_t j = 0; j < x.size(); ++j)
    x[j] -= step_size * h[worker][j] * (x[j] - b[worker][j]);
}

/// Algorithm 3 of the paper, as it is written there.
struct DelayedNesterov {
  double eta, beta;
  int delay;
  double activation;
  Doubles x = Doubles(3, 0.0), m = Doubles(3, 0.0), accrued = Doubles(3, 0.0);
  int t = 0;

  void step(const Doubles& way) {
    const bool turns = ++t % delay == 0;
    for (std::size_t j = 0; j < x.size(); ++j) {
      accrued[j] += way[j];
      if (turns) {
        m[j] = beta * m[j] + accrued[j] / delay;
        x[j] -= eta * ((1 - activation * delay + activation) * beta * m[j] + way[j] / delay);
        accrued[j] = 0.0;
      } else {
        x[j] -= eta * (activation * beta * m[j] + way[j] / delay);
      }
    }
  }
};

Configuration configuration(double period, double delay, double activation, double beta = 0.8) {
  Configuration c;
  c.scheme = "async-local-sgd";
  c.workers = 3;
  c.steps = 1000;
  c.optimizer.lr = step_size;
  c.hyperparameters = {{"period", period},
                       {"outer-lr", 0.6},
                       {"outer-momentum", beta},
                       {"momentum-delay", delay},
                       {"momentum-activation", activation}};
  return c;
}

Doubles difference(const Doubles& x, const Doubles& y) {
  Doubles result(x.size());
  std::ranges::transform(x, y, result.begin(), std::minus<>());
  return result;
}

}  // namespace

/// Workers that are equally fast come in the order of their ranks, each round anew.
TEST_CASE("async-local-sgd takes ways as they come, by delayed Nesterov",
          "[scheme][rule:async-local-sgd]") {
  const Dataset data = test::quadratic_data(h, b);
  for (const auto& [delay, activation] :
       {std::pair(1, 0.0), std::pair(3, 0.0), std::pair(2, 0.5), std::pair(4, 0.1)}) {
    for (const int period : {1, 4}) {
      DelayedNesterov server{.eta = 0.6, .beta = 0.8, .delay = delay, .activation = activation};
      std::vector<Doubles> x(3, server.x), fetched = x;
      for (int done = 1; done <= 17; ++done) {
        for (std::size_t i = 0; i < 3; ++i) {
          descend(x[i], i);
          if (done % period != 0) continue;
          server.step(difference(fetched[i], x[i]));
          x[i] = fetched[i] = server.x;
        }
        CAPTURE(delay, activation, period, done);
        const test::Replicas found = test::run_on_quadratic(
            configuration(period, delay, activation), data, static_cast<std::uint64_t>(3 * done));
        test::check_close(found.model, server.x);
        for (std::size_t i = 0; i < 3; ++i) test::check_close(found.workers[i], x[i]);
      }
    }
  }
}

TEST_CASE("async-local-sgd of one worker is diloco", "[scheme]") {
  const Dataset data = test::quadratic_data({h[0]}, {b[0]});
  Configuration c = configuration(4, 1, 0.0);
  c.workers = 1;
  Configuration same = c;
  same.scheme = "diloco";
  same.steps = 20;
  same.hyperparameters.erase("momentum-delay");
  same.hyperparameters.erase("momentum-activation");
  test::check_close(test::run_on_quadratic(c, data, 20).model,
                    test::run_on_quadratic(same, data).model);
}

TEST_CASE("async-local-sgd without local steps and momentum is ps-async", "[scheme]") {
  const Dataset data = test::quadratic_data(h, b);
  for (const int servers : {1, 2}) {
    Configuration c = configuration(1, 3, 0.0, 0.0);
    c.servers = servers;
    c.stragglers = {{1, 1.37}};
    Configuration same = c;
    same.scheme = "ps-async";
    same.hyperparameters.clear();
    same.optimizer.lr = step_size * 0.6 / 3;
    test::check_close(test::run_on_quadratic(c, data, 40).model,
                      test::run_on_quadratic(same, data, 40).model);
  }
}

/// Worker 1 takes 2.3 ms a step. Its first round has four, the next ones ⌊4/2.3⌋ = 1.
TEST_CASE("dynamic local updates make rounds last alike", "[scheme]") {
  const Dataset data = test::quadratic_data(h, b);
  constexpr std::uint64_t minibatches = 60;
  const std::vector<double> step_time{1.0, 2.3, 1.0 + 1e-3};
  DelayedNesterov server{.eta = 0.6, .beta = 0.8, .delay = 3, .activation = 0.0};
  std::vector<Doubles> x(3, server.x), fetched = x;
  std::vector<double> ready(3);  // when a worker's step ends
  std::vector<int> left(3, 4);
  std::ranges::copy(step_time, ready.begin());
  std::uint64_t begun = 3;
  for (std::uint64_t done = 0; done < minibatches; ++done) {
    const auto i = static_cast<std::size_t>(std::ranges::min_element(ready) - ready.begin());
    descend(x[i], i);
    if (--left[i] == 0) {
      server.step(difference(fetched[i], x[i]));
      x[i] = fetched[i] = server.x;
      left[i] = i == 1 ? 1 : i == 2 ? 3 : 4;  // ⌊4/2.3⌋, ⌊4/1.001⌋, 4
    }
    ready[i] = begun++ < minibatches ? ready[i] + step_time[i] : 1e9;
  }
  Configuration c = configuration(4, 3, 0.0);
  c.stragglers = {{1, 2.3}, {2, 1.001}};
  c.hyperparameters["local-updates"] = 1;
  const test::Replicas found = test::run_on_quadratic(c, data, minibatches);
  test::check_close(found.model, server.x);
  for (std::size_t i = 0; i < 3; ++i) test::check_close(found.workers[i], x[i]);
}

TEST_CASE("delayed Nesterov takes its momentum once in N ways at most", "[scheme]") {
  const Configuration c = configuration(4, 3, 0.5);
  const Scheme& scheme = find_scheme(c.scheme);
  const Hyperparameters complete = with_fallbacks(scheme, c.hyperparameters, 4);
  CHECK_THROWS_WITH(
      (void)cast_of(scheme, 4, 1, {}, complete),
      ContainsSubstring("momentum-activation") && ContainsSubstring("expected at most 0.3333"));
}
