#include "trainyard/runtime/optimizer.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <utility>

#include "trainyard/base/error.hpp"
#include "trainyard/base/units.hpp"
#include "trainyard/model/kernels.hpp"

namespace trainyard {

namespace {

// In the order of OptimizerKind.
const std::array<std::string, 7> optimizer_names{"sgd",   "nesterov", "adagrad", "adam",
                                                 "adamw", "lion",     "muon"};

/// No step is shorter than this share of --lr: a factor to the power of many steps comes to 0 in
/// the end, and who divides by a step's length, as qgm does, would get no number.
constexpr double least_share = 1e-30;

double scheduled(const OptimizerOptions& o, double epochs) {
  switch (o.lr_schedule.kind) {
    case LrSchedule::Kind::constant:
      return o.lr;
    case LrSchedule::Kind::inverse_time:
      return o.lr / (1.0 + o.lr_decay * epochs);
    case LrSchedule::Kind::step:
      return o.lr * std::pow(o.lr_schedule.factor, std::floor(epochs / o.lr_schedule.every));
    case LrSchedule::Kind::inverse_sqrt: {
      const double step = epochs / o.step_epochs + 1.0;
      const double warm = std::max(1.0, o.warmup / o.step_epochs);
      return o.lr * std::sqrt(warm / std::max(step, warm));
    }
    case LrSchedule::Kind::cosine:
      return o.lr * 0.5 *
             (1.0 +
              std::cos(std::numbers::pi *
                       (std::min(epochs, o.run_epochs - 0.5 * o.step_epochs) / o.run_epochs)));
  }
  throw InternalError("a schedule of an unknown kind");
}

}  // namespace

OptimizerKind parse_optimizer(std::string_view text, std::string_view what) {
  return static_cast<OptimizerKind>(chosen(text, what, optimizer_names));
}

std::string optimizer_text(OptimizerKind kind) {
  return optimizer_names[static_cast<std::size_t>(kind)];
}

double OptimizerOptions::step_size(double epochs) const {
  const double size = std::max(scheduled(*this, epochs), least_share * lr);
  const double warm = epochs + step_epochs;
  return warm < warmup ? size * (warm / warmup) : size;
}

bool OptimizerOptions::constant_step() const {
  const bool constant = lr_schedule.kind == LrSchedule::Kind::constant ||
                        (lr_schedule.kind == LrSchedule::Kind::inverse_time && lr_decay == 0.0);
  return constant && warmup == 0.0;
}

Optimizer::Matrices Optimizer::matrices_among(const std::vector<MatrixPlace>& places,
                                              std::size_t numbers) {
  std::vector<ParameterRange> others;
  std::vector<TensorShape> shapes;
  std::size_t next = 0, longest = 0;
  for (const MatrixPlace& place : places) {
    if (place.first > next) others.push_back({next, place.first - next});
    next = place.first + place.shape.size();
    shapes.push_back(place.shape);
    longest = std::max(longest, place.shape.size());
  }
  if (numbers > next) others.push_back({next, numbers - next});
  return {places, std::move(others), NewtonSchulz(shapes), std::vector<float>(longest)};
}

Optimizer::Optimizer(const OptimizerOptions& options, FunctionRef<Vector(std::string_view)> keep,
                     std::uint64_t& steps, AbsolutePenalty penalty,
                     const std::vector<MatrixPlace>& matrices)
    : options_(options), penalty_(std::move(penalty)), steps_(steps) {
  require(options.shrinks() || penalty_.l1 == 0.0, "an optimizer that shrinks no weights");
  const bool adam = options.adam();
  const bool adagrad = options.kind == OptimizerKind::adagrad;
  if (options.has_betas()) {
    first_ = keep("optimizer.m");
  } else if (!adagrad && !options.plain()) {
    first_ = keep("optimizer.v");
  }
  if (adam || adagrad || options.muon()) second_ = keep(adagrad ? "optimizer.G" : "optimizer.s");
  if (options.muon()) matrices_.emplace(matrices_among(matrices, first_.size()));
}

void Optimizer::apply(Vector model, ConstVector gradient, double epochs, double scale,
                      double stretch) {
  const double step = stretch * options_.step_size(epochs);
  ++steps_;
  step_along(model, gradient, scale, step);
  if (penalty_.l1 != 0.0) shrink(model, step);
}

void Optimizer::step_along(Vector model, ConstVector gradient, double scale, double step) {
  if (options_.plain()) {
    kernels::axpy(-scale * step, gradient, model);
    return;
  }
  switch (options_.kind) {
    case OptimizerKind::sgd:
      kernels::momentum_step(options_.momentum, scale, step, gradient, first_, model);
      return;
    case OptimizerKind::nesterov:
      kernels::nesterov_step(options_.momentum, scale, step, gradient, first_, model);
      return;
    case OptimizerKind::adagrad:
      kernels::adagrad_step(scale, step, gradient, second_, model);
      return;
    case OptimizerKind::lion:
      kernels::lion_step({.beta1 = options_.first_beta(),
                          .beta2 = options_.second_beta(),
                          .scale = scale,
                          .step = step,
                          .keep = options_.kept(step)},
                         gradient, first_, model);
      return;
    case OptimizerKind::adam:
    case OptimizerKind::adamw:
      adam_step({0, model.size()}, model, gradient, scale, step);
      return;
    case OptimizerKind::muon:
      for (const ParameterRange& range : matrices_->others) {
        adam_step(range, model, gradient, scale, step);
      }
      for (const MatrixPlace& place : matrices_->places) {
        muon_step(place, model, gradient, scale, step);
      }
      return;
  }
}

void Optimizer::adam_step(ParameterRange range, Vector model, ConstVector gradient, double scale,
                          double step) {
  const double beta1 = options_.first_beta(), beta2 = options_.second_beta();
  const auto t = static_cast<double>(steps_);
  kernels::adam_step(
      {.beta1 = beta1,
       .beta2 = beta2,
       .scale = scale,
       .step = step / (1.0 - std::pow(beta1, t)),
       .root_scale = 1.0 / std::sqrt(1.0 - std::pow(beta2, t)),
       .keep = options_.kept(step)},
      gradient.subspan(range.first, range.count), first_.subspan(range.first, range.count),
      second_.subspan(range.first, range.count), model.subspan(range.first, range.count));
}

void Optimizer::muon_step(const MatrixPlace& place, Vector model, ConstVector gradient,
                          double scale, double step) {
  const auto beta = static_cast<float>(options_.first_beta());
  const auto share = static_cast<float>((1.0 - options_.first_beta()) * scale);
  const std::size_t count = place.shape.size();
  const std::span<const float> g = gradient.subspan(place.first, count).floats();
  const std::span<float> mean = first_.subspan(place.first, count).floats();
  const std::span<float> direction = std::span(matrices_->direction).first(count);
  for (std::size_t i = 0; i < count; ++i) {
    mean[i] = beta * mean[i] + share * g[i];
    direction[i] = beta * mean[i] + share * g[i];
  }
  matrices_->iteration.orthogonalize(place.shape, direction);
  const Vector weights = model.subspan(place.first, count);
  kernels::scale(options_.kept(step), weights);
  kernels::axpy(-step * muon_scale(place.shape), direction, weights);
}

void Optimizer::shrink(Vector model, double step) {
  const double threshold = step * penalty_.l1;
  for (const ParameterRange& range : penalty_.weights) {
    const Vector weights = model.subspan(range.first, range.count);
    if (options_.kind == OptimizerKind::adagrad) {
      kernels::shrink_by_squares(threshold, second_.subspan(range.first, range.count), weights);
    } else if (options_.plain()) {
      kernels::shrink(threshold, weights);
    } else {
      kernels::shrink_moving(threshold, step, first_.subspan(range.first, range.count), weights);
    }
  }
}

}  // namespace trainyard
