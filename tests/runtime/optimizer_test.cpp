#include "trainyard/runtime/optimizer.hpp"

#include <array>
#include <vector>

#include "trainyard/runtime/shared_model.hpp"

#include "support/catch.hpp"
#include "support/shared_access.hpp"

using namespace trainyard;

TEST_CASE("the step size decays with the epochs", "[runtime]") {
  const OptimizerOptions options{.lr = 0.5, .lr_decay = 0.25};
  CHECK(options.step_size(0.0) == 0.5);
  CHECK(options.step_size(4.0) == 0.25);
}

TEST_CASE("plain SGD and momentum by hand", "[runtime]") {
  std::array<float, 2> x{1.0F, 2.0F};
  const std::array<float, 2> g{1.0F, -2.0F};
  Optimizer plain({.lr = 0.5}, Scalar::float32, 2);
  plain.apply(x, g, 0.0);
  CHECK(x == std::array<float, 2>{0.5F, 3.0F});

  std::array<float, 1> y{0.0F};
  const std::array<float, 1> one{1.0F};
  Optimizer heavy({.lr = 1.0, .momentum = 0.5}, Scalar::float32, 1);
  heavy.apply(y, one, 0.0);  // v = 1
  CHECK(y[0] == -1.0F);
  heavy.apply(y, one, 0.0);  // v = 1.5
  CHECK(y[0] == -2.5F);
  heavy.apply(y, one, 0.0);  // v = 1.75
  CHECK(y[0] == -4.25F);
}

TEST_CASE("a shared model with one writer steps as a private one, bit for bit", "[runtime]") {
  for (const std::size_t size : {1U, 63U, 64U, 65U, 1000U}) {
    CAPTURE(size);
    std::vector<float> x(size), g(size);
    for (std::size_t i = 0; i < size; ++i) {
      x[i] = 1.0F / static_cast<float>(i + 3);
      g[i] = 0.7F / static_cast<float>(i + 1);
    }
    for (const SharedAccess access : test::all_accesses) {
      std::vector<float> plain_x = x;
      SharedModel shared(x);
      Optimizer plain({.lr = 0.1}, Scalar::float32, size);
      std::vector<float> copy(size);
      for (int step = 0; step < 5; ++step) {
        plain.apply(plain_x, g, 0.0);
        shared.add(-0.1F, g, copy, access);
        CHECK(copy == plain_x);
      }
      shared.read(copy);
      CHECK(copy == plain_x);
    }
  }
}
