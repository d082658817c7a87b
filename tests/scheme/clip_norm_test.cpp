// Clipping: each worker's minibatch gradient is made no longer than C before anything is done with
// it, or the scheme refuses it by name.
#include <algorithm>
#include <cmath>

#include "trainyard/model/kernels.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "support/catch.hpp"
#include "support/golden.hpp"
#include "support/training.hpp"

using namespace trainyard;

namespace {

using Doubles = std::vector<double>;

const std::vector<Doubles> curvatures{{1.0, 0.25, 4.0}, {0.5, 0.75, 1.0}, {2.0, 0.125, 0.5}};
const std::vector<Doubles> minima{{1.0, -2.0, 0.5}, {-1.0, 3.0, 0.25}, {4.0, 0.5, -2.0}};

Doubles clipped_gradient(std::size_t worker, const Doubles& x, double most) {
  Doubles g(3);
  double squares = 0.0;
  for (std::size_t j = 0; j < 3; ++j) {
    g[j] = curvatures[worker][j] * (x[j] - minima[worker][j]);
    squares += g[j] * g[j];
  }
  for (double& number : g) number *= std::min(1.0, most / std::sqrt(squares));
  return g;
}

bool clips(const Scheme& scheme) {
  const Cast made = cast_of(scheme, 4, 1, {{"collective", "ring"}}, with_fallbacks(scheme, {}, 4));
  return scheme.optimizers.no_clip_norm.empty() && !scheme.messages.by_layers &&
         made.model != ModelHome::shared && made.holds == nullptr;
}

}  // namespace

TEST_CASE("a vector is scaled to a length, or keeps its bits", "[model]") {
  for (const std::size_t size : {1U, 7U, 8U, 9U, 1000U}) {
    std::vector<float> x(size);
    double squares = 0.0;
    for (std::size_t i = 0; i < size; ++i) {
      x[i] = std::sin(static_cast<float>(i + 1));
      squares += static_cast<double>(x[i]) * static_cast<double>(x[i]);
    }
    std::vector<float> same = x, half = x;
    kernels::clip_norm(std::sqrt(squares) * 1.000001, same);
    CHECK(same == x);
    kernels::clip_norm(std::sqrt(squares) / 2.0, half);
    for (std::size_t i = 0; i < size; ++i) CHECK(half[i] == Approx(x[i] / 2.0F).epsilon(1e-6));
  }
  // A square beyond a float is no length of 0, and what is no number shows.
  std::vector<float> large{3e30F, 4e30F};
  kernels::clip_norm(5.0, large);
  CHECK(large[0] == Approx(3.0F));
  std::vector<float> broken{std::nanf(""), 1.0F};
  kernels::clip_norm(0.5, broken);
  CHECK(std::isnan(broken[0]));
}

TEST_CASE("each worker's gradient is clipped by itself", "[scheme]") {
  constexpr double most = 1.5;
  Doubles x(3, 0.0);
  for (int t = 0; t < 25; ++t) {
    Doubles mean(3, 0.0);
    for (std::size_t w = 0; w < 3; ++w) {
      const Doubles g = clipped_gradient(w, x, most);
      for (std::size_t j = 0; j < 3; ++j) mean[j] += g[j] / 3.0;
    }
    for (std::size_t j = 0; j < 3; ++j) x[j] -= 0.1 * mean[j];
  }
  Configuration c;
  c.workers = 3;
  c.steps = 25;
  c.optimizer = {.lr = 0.1, .clip_norm = most};
  c.hyperparameters = {{"period", 1.0}, {"stragglers", 0.0}};
  const Dataset data = test::quadratic_data(curvatures, minima);
  for (const char* scheme :
       {"sequential", "ring", "ps-sync", "zero-1", "local-sgd", "gradient-coding"}) {
    CAPTURE(scheme);
    c.scheme = scheme;
    test::check_close(test::run_on_quadratic(c, data).model, x);
  }
}

TEST_CASE("every scheme clips or says why not, and beyond all gradients changes no bit",
          "[scheme]") {
  const LoadedData data = test::sparse_problem();
  for (const Scheme& scheme : schemes()) {
    CAPTURE(scheme.name);
    Configuration c = test::quick(scheme.name, 4, 12);
    c.optimizer.lr = 0.02;
    c.optimizer.clip_norm = 1e-3;
    if (!clips(scheme)) {
      CHECK_THROWS_WITH(test::train(c, data), ContainsSubstring("clip-norm 0.001: " + scheme.name));
      continue;
    }
    const std::string clipped = test::train(c, data).summary.model_hash;
    c.optimizer.clip_norm = 1e9;
    const std::string loose = test::train(c, data).summary.model_hash;
    c.optimizer.clip_norm = 0.0;
    const std::string free = test::train(c, data).summary.model_hash;
    CHECK(clipped != free);
    // The sum of a sequential worker's minibatches is taken one by one where each is clipped.
    if (scheme.name != "sequential") CHECK(loose == free);
  }
}
