// Steps of optimizers against plain loops in double, written as the papers write them.
#include <cmath>

#include "trainyard/model/kernels.hpp"

#include "model/guarded.hpp"

namespace trainyard {
namespace {

using namespace test;

constexpr double scale = 0.2, step = 0.25, keep = 0.9;

TEST_CASE("steps with momentum agree with plain loops", "[model][kernels]") {
  for_all_lengths([](RandomStream& random, std::size_t size, std::size_t offset) {
    const Guarded gradient(random, size, offset);
    Guarded velocity(random, size, 2 * offset), model(random, size, 0), other(random, size, offset);
    const Doubles g = gradient.doubles();
    Doubles v = velocity.doubles(), x = model.doubles(), y = other.doubles();
    kernels::momentum_step(keep, scale, step, gradient, velocity, model);
    for (std::size_t j = 0; j < size; ++j) {
      v[j] = keep * v[j] + scale * g[j];
      x[j] -= step * v[j];
    }
    velocity.check_equals(v);
    model.check_equals(x);

    kernels::nesterov_step(keep, scale, step, gradient, velocity, other);
    for (std::size_t j = 0; j < size; ++j) {
      v[j] = keep * v[j] + scale * g[j];
      y[j] -= step * (scale * g[j] + keep * v[j]);
    }
    velocity.check_equals(v);
    other.check_equals(y);
  });
}

TEST_CASE("an Adagrad step agrees with a plain loop", "[model][kernels]") {
  for_all_lengths([](RandomStream& random, std::size_t size, std::size_t offset) {
    const Guarded gradient(random, size, offset);
    Guarded squares(random, size, 2 * offset), model(random, size, 0);
    for (float& square : squares.span()) square *= square;
    Doubles s = squares.doubles(), x = model.doubles();
    kernels::adagrad_step(scale, step, gradient, squares, model);
    for (std::size_t j = 0; j < size; ++j) {
      const double g = scale * gradient.doubles()[j];
      s[j] += g * g;
      x[j] -= step * g / (std::sqrt(s[j]) + 1e-10);
    }
    squares.check_equals(s);
    model.check_equals(x);
  });
}

TEST_CASE("an Adam step agrees with a plain loop", "[model][kernels]") {
  for_all_lengths([](RandomStream& random, std::size_t size, std::size_t offset) {
    const Guarded gradient(random, size, offset);
    Guarded mean(random, size, 2 * offset), squares(random, size, 0), model(random, size, offset);
    for (float& square : squares.span()) square *= square;
    Doubles m = mean.doubles(), s = squares.doubles(), x = model.doubles();
    kernels::adam_step(
        {.beta1 = 0.8, .beta2 = 0.95, .scale = scale, .step = step, .root_scale = 1.5}, gradient,
        mean, squares, model);
    for (std::size_t j = 0; j < size; ++j) {
      const double g = scale * gradient.doubles()[j];
      m[j] = 0.8 * m[j] + 0.2 * g;
      s[j] = 0.95 * s[j] + 0.05 * g * g;
      x[j] -= step * m[j] / (1.5 * std::sqrt(s[j]) + 1e-8);
    }
    mean.check_equals(m);
    squares.check_equals(s);
    model.check_equals(x, 1e-5);
  });
}

TEST_CASE("a Lion step agrees with a plain loop", "[model][kernels]") {
  for_all_lengths([](RandomStream& random, std::size_t size, std::size_t offset) {
    const Guarded gradient(random, size, offset);
    Guarded mean(random, size, 2 * offset), model(random, size, 0);
    Doubles m = mean.doubles(), x = model.doubles();
    kernels::lion_step({.beta1 = 0.8, .beta2 = 0.95, .scale = scale, .step = step, .keep = keep},
                       gradient, mean, model);
    for (std::size_t j = 0; j < size; ++j) {
      const double g = scale * gradient.doubles()[j];
      const double c = 0.8 * m[j] + 0.2 * g;
      x[j] = keep * x[j] - step * (c > 0.0 ? 1.0 : -1.0);
      m[j] = 0.95 * m[j] + 0.05 * g;
    }
    mean.check_equals(m);
    model.check_equals(x);
  });
}

TEST_CASE("where the gradient has always been zero, no optimizer moves", "[model][kernels]") {
  with_each_instruction_set([] {
    const Floats gradient(20, 0.0F);
    Floats mean(20, 0.0F), squares(20, 0.0F), model(20, 3.0F);
    kernels::adagrad_step(1.0, 0.1, gradient, squares, model);
    kernels::adam_step({.beta1 = 0.9, .beta2 = 0.999, .scale = 1.0, .step = 1.0, .root_scale = 30},
                       gradient, mean, squares, model);
    kernels::lion_step({.beta1 = 0.9, .beta2 = 0.99, .scale = 1.0, .step = 1.0}, gradient, mean,
                       model);
    CHECK(model == Floats(20, 3.0F));
  });
}

TEST_CASE("a gradient that is not a number reaches the model", "[model][kernels]") {
  with_each_instruction_set([] {
    for (const float bad : {NAN, INFINITY}) {
      Floats gradient(20, 1.0F);
      gradient[7] = gradient[19] = bad;
      for (const int optimizer : {0, 1, 2}) {
        Floats mean(20, 0.0F), squares(20, 0.0F), model(20, 3.0F);
        if (optimizer == 2) {
          kernels::lion_step({.beta1 = 0.9, .beta2 = 0.9, .scale = 1, .step = 1}, gradient, mean,
                             model);
        } else if (optimizer == 1) {
          kernels::adam_step({.beta1 = 0.9, .beta2 = 0.9, .scale = 1, .step = 1, .root_scale = 1},
                             gradient, mean, squares, model);
        } else {
          kernels::adagrad_step(1.0, 0.1, gradient, squares, model);
        }
        CHECK(std::isfinite(model[6]));
        CHECK(!std::isfinite(model[7]));
        CHECK(!std::isfinite(model[19]));
      }
    }
  });
}

}  // namespace
}  // namespace trainyard
