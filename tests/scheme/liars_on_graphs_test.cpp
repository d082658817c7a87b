// Liars among the neighbours in a graph, and the schemes that withstand them, against their rules
// written out.
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "trainyard/scheme/scheme.hpp"

#include "support/catch.hpp"
#include "support/golden.hpp"

using namespace trainyard;

namespace {

using Doubles = std::vector<double>;
using Rows = std::vector<Doubles>;

Configuration configuration(const std::string& scheme, int workers, std::uint64_t steps) {
  Configuration c;
  c.scheme = scheme;
  c.workers = workers;
  c.steps = steps;
  c.optimizer.lr = 0.1;
  c.hyperparameters["tolerated"] = 1.0;
  return c;
}

Configuration with(Configuration c, const std::string& kind, const std::string& text) {
  c.ingredients[kind] = text;
  return c;
}

}  // namespace

TEST_CASE("clipped gossip moves by no more than the radius", "[scheme][byzantine]") {
  // Four workers on a ring that only gossip. Each moves a third of what is clipped at 1 towards
  // both neighbours: 0 + (.4 + .2)/3, .4 + (-.4 + 1)/3, 3 − 2/3, .2 + (1 − .2)/3.
  const Rows starts{{0.0}, {0.4}, {3.0}, {0.2}};
  const Dataset flat = test::quadratic_data(Rows(4, {0.0}), Rows(4, {1.0}));
  Configuration c = configuration("clipped-gossip", 4, 1);
  c.hyperparameters["clip-radius"] = 1.0;
  const test::Replicas found = test::run_on_quadratic(c, flat, {}, {.starts = starts});
  const Rows expected{{0.2}, {0.6}, {3.0 - 2.0 / 3.0}, {0.2 + 0.8 / 3.0}};
  for (std::size_t i = 0; i < 4; ++i) test::check_close(found.workers[i], expected[i]);
}

TEST_CASE("without a radius clipped gossip takes the second largest distance",
          "[scheme][byzantine][rule:clipped-gossip]") {
  const Dataset data = test::unlike_data(5);
  Rows x(5, Doubles(data.features / 2, 0.0));
  constexpr double third = 1.0 / 3.0;
  for (std::uint64_t done = 1; done <= 9; ++done) {
    Rows half = x;
    for (std::size_t i = 0; i < 5; ++i) {
      for (std::size_t j = 0; j < x[i].size(); ++j) {
        const auto h = static_cast<double>(data.dense_row(i)[j]);
        const auto b = static_cast<double>(data.dense_row(i)[x[i].size() + j]);
        half[i][j] -= 0.1 * h * (x[i][j] - b);
      }
    }
    const auto apart = [&](std::size_t i, std::size_t k) {
      double sum = 0.0;
      for (std::size_t j = 0; j < half[i].size(); ++j) {
        sum += (half[k][j] - half[i][j]) * (half[k][j] - half[i][j]);
      }
      return std::sqrt(sum);
    };
    for (std::size_t i = 0; i < 5; ++i) {
      const std::size_t before = (i + 4) % 5, after = (i + 1) % 5;
      const double radius = std::min(apart(i, before), apart(i, after));
      x[i] = half[i];
      for (const std::size_t k : {before, after}) {
        const double kept = apart(i, k) > radius ? radius / apart(i, k) : 1.0;
        for (std::size_t j = 0; j < x[i].size(); ++j) {
          x[i][j] += third * kept * (half[k][j] - half[i][j]);
        }
      }
    }
    CAPTURE(done);
    const test::Replicas found =
        test::run_on_quadratic(configuration("clipped-gossip", 5, done), data);
    for (std::size_t i = 0; i < 5; ++i) test::check_close(found.workers[i], x[i]);
  }
}

TEST_CASE("clipped gossip with a radius beyond all distances is gossip", "[scheme][byzantine]") {
  const Dataset data = test::unlike_data(6);
  Configuration c = with(configuration("clipped-gossip", 6, 15), "topology", "torus");
  c.hyperparameters["clip-radius"] = 1e9;
  const test::Replicas found = test::run_on_quadratic(c, data);
  c.scheme = "gossip";
  const test::Replicas expected = test::run_on_quadratic(c, data);
  for (std::size_t i = 0; i < 6; ++i) test::check_close(found.workers[i], expected.workers[i]);
}

TEST_CASE("bridge trims each coordinate of its neighbours' models",
          "[scheme][byzantine][rule:bridge]") {
  constexpr std::size_t n = 6;
  const Dataset data = test::unlike_data(n);
  const std::size_t size = data.features / 2;
  Rows x(n, Doubles(size, 0.0));
  for (std::uint64_t done = 1; done <= 9; ++done) {
    const Rows sent = x;
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < size; ++j) {
        Doubles others;
        for (std::size_t k = 0; k < n; ++k) {
          // The last worker tells everybody 0.
          if (k != i) others.push_back(k == n - 1 ? 0.0 : sent[k][j]);
        }
        std::ranges::sort(others);
        const double mean = (sent[i][j] + others[1] + others[2] + others[3]) / 4.0;
        const auto h = static_cast<double>(data.dense_row(i)[j]);
        const auto b = static_cast<double>(data.dense_row(i)[size + j]);
        x[i][j] = mean - 0.1 * h * (sent[i][j] - b);
      }
    }
    CAPTURE(done);
    Configuration c = with(configuration("bridge", n, done), "topology", "full");
    const test::Replicas found = test::run_on_quadratic(with(c, "byzantine", "1:zero"), data);
    for (std::size_t i = 0; i < n; ++i) test::check_close(found.workers[i], x[i]);
  }
}

TEST_CASE("monna takes the mean of the nearest", "[scheme][byzantine][rule:monna]") {
  constexpr std::size_t n = 6;
  constexpr double beta = 0.5;
  const Dataset data = test::unlike_data(n);
  const std::size_t size = data.features / 2;
  Rows x(n, Doubles(size, 0.0)), m = x;
  for (std::uint64_t done = 1; done <= 9; ++done) {
    Rows half = x;
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < size; ++j) {
        const auto h = static_cast<double>(data.dense_row(i)[j]);
        const auto b = static_cast<double>(data.dense_row(i)[size + j]);
        m[i][j] = beta * m[i][j] + (1.0 - beta) * h * (x[i][j] - b);
        half[i][j] -= 0.1 * m[i][j];
      }
    }
    for (std::size_t i = 0; i < n; ++i) {
      std::vector<std::pair<double, std::size_t>> apart;
      for (std::size_t k = 0; k < n; ++k) {
        double sum = 0.0;
        for (std::size_t j = 0; j < size; ++j) {
          sum += (half[k][j] - half[i][j]) * (half[k][j] - half[i][j]);
        }
        if (k != i) apart.emplace_back(sum, k);
      }
      std::ranges::sort(apart);
      x[i] = half[i];
      for (std::size_t k = 0; k < 3; ++k) {
        for (std::size_t j = 0; j < size; ++j) x[i][j] += half[apart[k].second][j];
      }
      for (double& value : x[i]) value /= 4.0;
    }
    CAPTURE(done);
    Configuration c = with(configuration("monna", n, done), "topology", "full");
    c.hyperparameters["tolerated"] = 2;
    c.hyperparameters["worker-momentum"] = beta;
    const test::Replicas found = test::run_on_quadratic(c, data);
    for (std::size_t i = 0; i < n; ++i) test::check_close(found.workers[i], x[i]);
  }
}

TEST_CASE("a neighbour's vector that is not finite moves nobody", "[scheme][byzantine]") {
  const Dataset data = test::unlike_data(6);
  for (const std::string scheme : {"clipped-gossip", "bridge", "monna"}) {
    CAPTURE(scheme);
    Configuration c = with(configuration(scheme, 6, 10), "topology", "full");
    const test::Replicas found =
        test::run_on_quadratic(with(c, "byzantine", "1:gaussian:1e308"), data);
    for (const double value : found.model) {
      CHECK(std::isfinite(value));
    }
  }
}

TEST_CASE("who trims nothing averages", "[scheme][byzantine]") {
  const Dataset data = test::unlike_data(5);
  const auto run = [&](const std::string& scheme) {
    Configuration c = with(configuration(scheme, 5, 12), "topology", "full");
    c.hyperparameters["tolerated"] = 0;
    return test::run_on_quadratic(c, data);
  };
  for (const auto& [robust, plain] :
       {std::pair<std::string, std::string>{"bridge", "d-psgd"}, {"monna", "gossip"}}) {
    CAPTURE(robust);
    const test::Replicas found = run(robust), expected = run(plain);
    for (std::size_t i = 0; i < 5; ++i) test::check_close(found.workers[i], expected.workers[i]);
  }
}

TEST_CASE("dissensus drives gossip apart, and not who clips", "[scheme][byzantine]") {
  const Dataset data = test::unlike_data(8);
  const auto spread = [&](const std::string& scheme, const std::string& attack) {
    Configuration c = with(configuration(scheme, 8, 60), "topology", "full");
    c = with(c, "byzantine", attack);
    const test::Replicas found = test::run_on_quadratic(c, data);
    double most = 0.0;
    for (std::size_t i = 0; i < 7; ++i) {
      for (std::size_t j = 0; j < found.model.size(); ++j) {
        most = std::max(most, std::abs(found.workers[i][j] - found.workers[0][j]));
      }
    }
    return most;
  };
  CHECK(spread("clipped-gossip", "1:dissensus:3") < 3.0 * spread("clipped-gossip", "1:mimic"));
  CHECK(spread("bridge", "1:dissensus:3") < 3.0 * spread("bridge", "1:mimic"));
}
