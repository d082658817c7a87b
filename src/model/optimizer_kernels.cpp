// Steps of optimizers that keep a state: three or four vectors, each read and written once.
#include <algorithm>
#include <cmath>

#include "trainyard/base/error.hpp"
#include "trainyard/model/kernels.hpp"

// The order matters: foreach_target.h compiles this file once more for each other instruction set.
// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "model/optimizer_kernels.cpp"
#include <hwy/foreach_target.h>
#include "model/lanes-inl.hpp"
// clang-format on

#ifndef TRAINYARD_MODEL_OPTIMIZER_KERNELS
#define TRAINYARD_MODEL_OPTIMIZER_KERNELS
namespace trainyard::kernels {
// PyTorch's defaults. Both are normal floats.
inline constexpr double adagrad_epsilon = 1e-10;
inline constexpr double adam_epsilon = 1e-8;
}  // namespace trainyard::kernels
#endif

HWY_BEFORE_NAMESPACE();
namespace trainyard::kernels {
namespace HWY_NAMESPACE {  // NOLINT: Highway's pattern

void momentum_step(float momentum, float scale, float step, const float* gradient, float* velocity,
                   float* model, std::size_t size) {
  const Vector keep = hn::Set(lanes, momentum), share = hn::Set(lanes, scale);
  const Vector back = hn::Set(lanes, -step);
  for_vectors(0, size, [&](std::size_t at, auto access) HWY_ATTR {
    const Vector g = hn::Mul(share, access.load(gradient + at));
    const Vector now = hn::MulAdd(keep, access.load(velocity + at), g);
    access.store(now, velocity + at);
    access.store(hn::MulAdd(back, now, access.load(model + at)), model + at);
  });
}

void nesterov_step(float momentum, float scale, float step, const float* gradient, float* velocity,
                   float* model, std::size_t size) {
  const Vector keep = hn::Set(lanes, momentum), share = hn::Set(lanes, scale);
  const Vector back = hn::Set(lanes, -step);
  for_vectors(0, size, [&](std::size_t at, auto access) HWY_ATTR {
    const Vector g = hn::Mul(share, access.load(gradient + at));
    const Vector now = hn::MulAdd(keep, access.load(velocity + at), g);
    access.store(now, velocity + at);
    const Vector ahead = hn::MulAdd(keep, now, g);
    access.store(hn::MulAdd(back, ahead, access.load(model + at)), model + at);
  });
}

void adagrad_step(float scale, float step, const float* gradient, float* squares, float* model,
                  std::size_t size) {
  const Vector share = hn::Set(lanes, scale), back = hn::Set(lanes, -step);
  const Vector epsilon = hn::Set(lanes, static_cast<float>(adagrad_epsilon));
  for_vectors(0, size, [&](std::size_t at, auto access) HWY_ATTR {
    const Vector g = hn::Mul(share, access.load(gradient + at));
    const Vector sum = hn::MulAdd(g, g, access.load(squares + at));
    access.store(sum, squares + at);
    const Vector direction = hn::Div(g, hn::Add(hn::Sqrt(sum), epsilon));
    access.store(hn::MulAdd(back, direction, access.load(model + at)), model + at);
  });
}

void adam_step(const AdamStep& by, const float* gradient, float* mean, float* squares, float* model,
               std::size_t size) {
  const auto constant = [](double value)
                            HWY_ATTR { return hn::Set(lanes, static_cast<float>(value)); };
  const Vector share = constant(by.scale), back = constant(-by.step);
  const Vector keep1 = constant(by.beta1), take1 = constant(1.0 - by.beta1);
  const Vector keep2 = constant(by.beta2), take2 = constant(1.0 - by.beta2);
  const Vector root_scale = constant(by.root_scale), epsilon = constant(adam_epsilon);
  const Vector left = constant(by.keep);
  for_vectors(0, size, [&](std::size_t at, auto access) HWY_ATTR {
    const Vector g = hn::Mul(share, access.load(gradient + at));
    const Vector m = hn::MulAdd(keep1, access.load(mean + at), hn::Mul(take1, g));
    const Vector s = hn::MulAdd(keep2, access.load(squares + at), hn::Mul(take2, hn::Mul(g, g)));
    access.store(m, mean + at);
    access.store(s, squares + at);
    const Vector direction = hn::Div(m, hn::MulAdd(root_scale, hn::Sqrt(s), epsilon));
    const Vector old = hn::Mul(left, access.load(model + at));
    access.store(hn::MulAdd(back, direction, old), model + at);
  });
}

/// 0 of 0; NaN of what is not finite, which 0 · c is.
HWY_INLINE HWY_ATTR Vector sign_of(Vector c) {
  const Vector zero = hn::Zero(lanes);
  const Vector sign = hn::CopySign(hn::Set(lanes, 1.0F), c);
  return hn::MulAdd(zero, c, hn::IfThenZeroElse(hn::Eq(c, zero), sign));
}

void lion_step(const LionStep& by, const float* gradient, float* mean, float* model,
               std::size_t size) {
  const auto constant = [](double value)
                            HWY_ATTR { return hn::Set(lanes, static_cast<float>(value)); };
  const Vector share = constant(by.scale), back = constant(-by.step), left = constant(by.keep);
  const Vector keep1 = constant(by.beta1), take1 = constant(1.0 - by.beta1);
  const Vector keep2 = constant(by.beta2), take2 = constant(1.0 - by.beta2);
  for_vectors(0, size, [&](std::size_t at, auto access) HWY_ATTR {
    const Vector g = hn::Mul(share, access.load(gradient + at));
    const Vector m = access.load(mean + at);
    const Vector direction = sign_of(hn::MulAdd(keep1, m, hn::Mul(take1, g)));
    access.store(hn::MulAdd(keep2, m, hn::Mul(take2, g)), mean + at);
    const Vector old = hn::Mul(left, access.load(model + at));
    access.store(hn::MulAdd(back, direction, old), model + at);
  });
}

HWY_INLINE HWY_ATTR Vector between(Vector least, Vector x, Vector most) {
  return hn::Min(hn::Max(x, least), most);
}

void shrink(float threshold, float* model, std::size_t size) {
  const Vector most = hn::Set(lanes, threshold), least = hn::Set(lanes, -threshold);
  for_vectors(0, size, [&](std::size_t at, auto access) HWY_ATTR {
    const Vector x = access.load(model + at);
    access.store(hn::Sub(x, between(least, x, most)), model + at);
  });
}

void shrink_moving(float threshold, float per_step, float* velocity, float* model,
                   std::size_t size) {
  const Vector most = hn::Set(lanes, threshold), least = hn::Set(lanes, -threshold);
  const Vector share = hn::Set(lanes, per_step);
  for_vectors(0, size, [&](std::size_t at, auto access) HWY_ATTR {
    const Vector x = access.load(model + at), taken = between(least, x, most);
    access.store(hn::Sub(x, taken), model + at);
    access.store(hn::MulAdd(share, taken, access.load(velocity + at)), velocity + at);
  });
}

void shrink_by_squares(float threshold, const float* squares, float* model, std::size_t size) {
  const Vector whole = hn::Set(lanes, threshold), zero = hn::Zero(lanes);
  const Vector epsilon = hn::Set(lanes, static_cast<float>(adagrad_epsilon));
  for_vectors(0, size, [&](std::size_t at, auto access) HWY_ATTR {
    const Vector x = access.load(model + at);
    const Vector most = hn::Div(whole, hn::Add(hn::Sqrt(access.load(squares + at)), epsilon));
    access.store(hn::Sub(x, between(hn::Sub(zero, most), x, most)), model + at);
  });
}

}  // namespace HWY_NAMESPACE
}  // namespace trainyard::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace trainyard::kernels {

// Objectives in double precision are small, and there to be exact: the compiler's loops will do.
namespace {
namespace double_precision {

void momentum_step(double momentum, bool nesterov, double scale, double step,
                   std::span<const double> gradient, std::span<double> velocity,
                   std::span<double> model) {
  for (std::size_t j = 0; j < model.size(); ++j) {
    const double g = scale * gradient[j];
    velocity[j] = momentum * velocity[j] + g;
    model[j] -= step * (nesterov ? g + momentum * velocity[j] : velocity[j]);
  }
}

void adagrad_step(double scale, double step, std::span<const double> gradient,
                  std::span<double> squares, std::span<double> model) {
  for (std::size_t j = 0; j < model.size(); ++j) {
    const double g = scale * gradient[j];
    squares[j] += g * g;
    model[j] -= step * g / (std::sqrt(squares[j]) + adagrad_epsilon);
  }
}

void adam_step(const AdamStep& by, std::span<const double> gradient, std::span<double> mean,
               std::span<double> squares, std::span<double> model) {
  for (std::size_t j = 0; j < model.size(); ++j) {
    const double g = by.scale * gradient[j];
    mean[j] = by.beta1 * mean[j] + (1.0 - by.beta1) * g;
    squares[j] = by.beta2 * squares[j] + (1.0 - by.beta2) * g * g;
    model[j] = by.keep * model[j] -
               by.step * mean[j] / (by.root_scale * std::sqrt(squares[j]) + adam_epsilon);
  }
}

double sign_of(double c) {
  return (c == 0.0 ? 0.0 : std::copysign(1.0, c)) + 0.0 * c;
}

void lion_step(const LionStep& by, std::span<const double> gradient, std::span<double> mean,
               std::span<double> model) {
  for (std::size_t j = 0; j < model.size(); ++j) {
    const double g = by.scale * gradient[j];
    const double direction = sign_of(by.beta1 * mean[j] + (1.0 - by.beta1) * g);
    mean[j] = by.beta2 * mean[j] + (1.0 - by.beta2) * g;
    model[j] = by.keep * model[j] - by.step * direction;
  }
}

void shrink(double threshold, std::span<double> model) {
  for (double& x : model) x -= std::clamp(x, -threshold, threshold);
}

void shrink_moving(double threshold, double per_step, std::span<double> velocity,
                   std::span<double> model) {
  for (std::size_t j = 0; j < model.size(); ++j) {
    const double taken = std::clamp(model[j], -threshold, threshold);
    model[j] -= taken;
    velocity[j] += per_step * taken;
  }
}

void shrink_by_squares(double threshold, std::span<const double> squares, std::span<double> model) {
  for (std::size_t j = 0; j < model.size(); ++j) {
    const double bound = threshold / (std::sqrt(squares[j]) + adagrad_epsilon);
    model[j] -= std::clamp(model[j], -bound, bound);
  }
}

}  // namespace double_precision

HWY_EXPORT(momentum_step);
HWY_EXPORT(nesterov_step);
HWY_EXPORT(adagrad_step);
HWY_EXPORT(adam_step);
HWY_EXPORT(lion_step);
HWY_EXPORT(shrink);
HWY_EXPORT(shrink_moving);
HWY_EXPORT(shrink_by_squares);
}  // namespace

void momentum_step(double momentum, double scale, double step, ConstVector gradient,
                   Vector velocity, Vector model) {
  require(velocity.size() == gradient.size() && model.size() == gradient.size(),
          "momentum_step: lengths differ");
  if (model.scalar() == Scalar::float64) {
    return double_precision::momentum_step(momentum, false, scale, step, gradient.doubles(),
                                           velocity.doubles(), model.doubles());
  }
  HWY_DYNAMIC_DISPATCH(momentum_step)
  (static_cast<float>(momentum), static_cast<float>(scale), static_cast<float>(step),
   gradient.floats().data(), velocity.floats().data(), model.floats().data(), model.size());
}

void nesterov_step(double momentum, double scale, double step, ConstVector gradient,
                   Vector velocity, Vector model) {
  require(velocity.size() == gradient.size() && model.size() == gradient.size(),
          "nesterov_step: lengths differ");
  if (model.scalar() == Scalar::float64) {
    return double_precision::momentum_step(momentum, true, scale, step, gradient.doubles(),
                                           velocity.doubles(), model.doubles());
  }
  HWY_DYNAMIC_DISPATCH(nesterov_step)
  (static_cast<float>(momentum), static_cast<float>(scale), static_cast<float>(step),
   gradient.floats().data(), velocity.floats().data(), model.floats().data(), model.size());
}

void adagrad_step(double scale, double step, ConstVector gradient, Vector squares, Vector model) {
  require(squares.size() == gradient.size() && model.size() == gradient.size(),
          "adagrad_step: lengths differ");
  if (model.scalar() == Scalar::float64) {
    return double_precision::adagrad_step(scale, step, gradient.doubles(), squares.doubles(),
                                          model.doubles());
  }
  HWY_DYNAMIC_DISPATCH(adagrad_step)
  (static_cast<float>(scale), static_cast<float>(step), gradient.floats().data(),
   squares.floats().data(), model.floats().data(), model.size());
}

void adam_step(const AdamStep& by, ConstVector gradient, Vector mean, Vector squares,
               Vector model) {
  require(mean.size() == gradient.size() && squares.size() == gradient.size() &&
              model.size() == gradient.size(),
          "adam_step: lengths differ");
  if (model.scalar() == Scalar::float64) {
    return double_precision::adam_step(by, gradient.doubles(), mean.doubles(), squares.doubles(),
                                       model.doubles());
  }
  HWY_DYNAMIC_DISPATCH(adam_step)
  (by, gradient.floats().data(), mean.floats().data(), squares.floats().data(),
   model.floats().data(), model.size());
}

void lion_step(const LionStep& by, ConstVector gradient, Vector mean, Vector model) {
  require(mean.size() == gradient.size() && model.size() == gradient.size(),
          "lion_step: lengths differ");
  if (model.scalar() == Scalar::float64) {
    return double_precision::lion_step(by, gradient.doubles(), mean.doubles(), model.doubles());
  }
  HWY_DYNAMIC_DISPATCH(lion_step)
  (by, gradient.floats().data(), mean.floats().data(), model.floats().data(), model.size());
}

void shrink(double threshold, Vector model) {
  if (model.scalar() == Scalar::float64) {
    return double_precision::shrink(threshold, model.doubles());
  }
  HWY_DYNAMIC_DISPATCH(shrink)
  (static_cast<float>(threshold), model.floats().data(), model.size());
}

void shrink_moving(double threshold, double step, Vector velocity, Vector model) {
  require(velocity.size() == model.size(), "shrink_moving: lengths differ");
  if (model.scalar() == Scalar::float64) {
    return double_precision::shrink_moving(threshold, 1.0 / step, velocity.doubles(),
                                           model.doubles());
  }
  HWY_DYNAMIC_DISPATCH(shrink_moving)
  (static_cast<float>(threshold), static_cast<float>(1.0 / step), velocity.floats().data(),
   model.floats().data(), model.size());
}

void shrink_by_squares(double threshold, ConstVector squares, Vector model) {
  require(squares.size() == model.size(), "shrink_by_squares: lengths differ");
  if (model.scalar() == Scalar::float64) {
    return double_precision::shrink_by_squares(threshold, squares.doubles(), model.doubles());
  }
  HWY_DYNAMIC_DISPATCH(shrink_by_squares)
  (static_cast<float>(threshold), squares.floats().data(), model.floats().data(), model.size());
}

}  // namespace trainyard::kernels
#endif  // HWY_ONCE
