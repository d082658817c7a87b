#include "trainyard/run/optimum.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "trainyard/base/error.hpp"
#include "trainyard/base/hash.hpp"
#include "trainyard/run/evaluation.hpp"
#include "trainyard/scoring/trained_model.hpp"

#include "run/convex_objective.hpp"

namespace trainyard {

namespace {

using Doubles = std::vector<double>;

constexpr double close_enough = 1e-10;  // of F to its minimum

double dot(const Doubles& a, const Doubles& b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

void axpy(double a, const Doubles& x, Doubles& y) {
  for (std::size_t i = 0; i < x.size(); ++i) y[i] += a * x[i];
}

/// Newton's method, with what it keeps between iterations.
class Newton {
 public:
  Newton(ConvexObjective& objective, const std::atomic<bool>& interrupted)
      : objective_(objective), interrupted_(interrupted), x_(objective.dimension(), 0.0) {}

  /// Whether it has come to a minimum.
  bool run() {
    constexpr int most = 200;
    double loss = objective_.set(x_);
    objective_.gradient(x_, gradient_);
    first_norm_ = std::sqrt(dot(gradient_, gradient_));
    for (int i = 0; i < most; ++i) {
      const double norm = std::sqrt(dot(gradient_, gradient_));
      if (norm == 0.0) return true;
      // Not below what rounding leaves of a gradient where F is flat in some direction.
      const bool is_solved = solve(std::clamp(norm / first_norm_, 1e-4, 0.05) * norm);
      const double slope = dot(gradient_, direction_);  // −gᵀH⁻¹g
      const bool is_close = is_solved && -slope < close_enough * std::max(1.0, std::abs(loss));
      if (!search(loss, slope)) return is_close;
      objective_.gradient(x_, gradient_);
      if (is_close) return true;
    }
    return false;
  }

  const Doubles& point() const { return x_; }
  double loss() { return objective_.set(x_); }

 private:
  /// direction ← −H⁻¹ gradient, to that residual. False where it takes too long.
  bool solve(double tolerance) {
    const std::size_t most = 20 * x_.size() + 100;
    objective_.hessian_diagonal(diagonal_);
    direction_.assign(x_.size(), 0.0);
    residual_ = gradient_;
    for (double& r : residual_) r = -r;
    precondition();
    along_ = preconditioned_;
    double product = dot(residual_, preconditioned_);
    for (std::size_t i = 0; i < most; ++i) {
      if (interrupted_.load(std::memory_order_relaxed)) {  // relaxed: a flag that a signal sets
        throw Interrupted("interrupted while the optimum was sought");
      }
      objective_.hessian_times(along_, image_);
      const double curvature = dot(along_, image_);
      if (!(curvature > 0.0)) return true;  // a direction in which F is flat
      const double step = product / curvature;
      axpy(step, along_, direction_);
      axpy(-step, image_, residual_);
      if (std::sqrt(dot(residual_, residual_)) <= tolerance) return true;
      precondition();
      const double next = dot(residual_, preconditioned_);
      const double keep = next / product;
      product = next;
      for (std::size_t j = 0; j < along_.size(); ++j) {
        along_[j] = preconditioned_[j] + keep * along_[j];
      }
    }
    return false;
  }

  void precondition() {
    preconditioned_ = residual_;
    for (std::size_t j = 0; j < diagonal_.size(); ++j) {
      if (diagonal_[j] > 0.0) preconditioned_[j] /= diagonal_[j];
    }
  }

  /// Halves the step until F falls as it should. False where rounding lets it fall no more.
  bool search(double& loss, double slope) {
    constexpr int most_halvings = 33;  // to 1e-10
    double step = 1.0;
    for (int halvings = 0; halvings <= most_halvings; ++halvings, step *= 0.5) {
      Doubles trial = x_;
      axpy(step, direction_, trial);
      const double found = objective_.set(trial);
      if (!(found <= loss + 1e-4 * step * slope)) continue;
      x_ = std::move(trial);
      loss = found;
      return true;
    }
    (void)objective_.set(x_);
    return false;
  }

  ConvexObjective& objective_;
  const std::atomic<bool>& interrupted_;
  Doubles x_, gradient_, direction_, residual_, preconditioned_, along_, image_, diagonal_;
  double first_norm_ = 0.0;
};

double loss_at(const Model& model, ConstVector point, const Dataset& train) {
  const std::atomic<bool> never{false};
  const Tally all = *evaluate_all(model, point, train, GracePeriod(never));
  return all.loss_sum / static_cast<double>(all.rows) + model.penalty(point);
}

[[noreturn]] void no_optimum(const std::string& why) {
  throw OptionError("optimum", "auto", why);
}

/// Each coordinate is by itself: Σ ω h (x − b) + nλx = 0.
Optimum of_quadratic(const ModelOptions& options, const Dataset& train) {
  const std::size_t size = train.features / 2;
  Optimum found{.parameters = Doubles(size, 0.0), .is_unique = true};
  for (std::size_t j = 0; j < size; ++j) {
    double curvature = options.l2 * static_cast<double>(train.rows), pull = 0.0;
    for (std::size_t r = 0; r < train.rows; ++r) {
      const std::span<const float> row = train.dense_row(r);
      const double h = static_cast<double>(train.weight_of(r)) * static_cast<double>(row[j]);
      curvature += h;
      pull += h * static_cast<double>(row[size + j]);
    }
    if (curvature < 0.0 || (curvature == 0.0 && pull != 0.0))
      no_optimum("the quadratic has no minimum");
    if (curvature == 0.0) found.is_unique = false;
    if (curvature != 0.0) found.parameters[j] = pull / curvature;
  }
  const std::unique_ptr<Model> model = make_model(options, train);
  VectorBuffer point(model->scalar(), size);
  std::ranges::copy(found.parameters, point.view().doubles().begin());
  found.loss = loss_at(*model, std::as_const(point).view(), train);
  return found;
}

}  // namespace

Optimum find_optimum(const ModelOptions& options, const Dataset& train,
                     const std::atomic<bool>& interrupted) {
  if (options.l1 != 0.0)
    no_optimum("it does not take --l1, with which the objective has no Hessian");
  if (options.name == "quadratic") return of_quadratic(options, train);
  if (!ConvexObjective::is_there_for(options.name)) {
    no_optimum(fmt::format("{} is not convex; logistic, least-squares, softmax and quadratic are",
                           options.name));
  }
  ConvexObjective objective(options, train);
  Newton newton(objective, interrupted);
  if (!newton.run())
    no_optimum("no minimum was found within 200 steps of Newton's method; give --l2");
  Optimum found;
  found.loss = newton.loss();
  found.parameters = newton.point();
  found.is_unique = options.l2 > 0.0 && !(options.name == "softmax" && train.intercept);
  return found;
}

namespace {

/// Of all that the objective is made of.
std::uint64_t fingerprint_of(const Dataset& train) {
  std::uint64_t found = fingerprint_of_nothing;
  const auto add = [&](const auto& buffer) {
    found = fingerprint(std::as_bytes(std::span(buffer.data(), buffer.size())), found);
  };
  add(train.labels);
  add(train.targets);
  add(train.weights);
  add(train.dense);
  add(train.row_begin);
  add(train.columns);
  add(train.values);
  return found;
}

/// Comparisons have many runs on the same rows, side by side.
std::shared_ptr<const Optimum> found_once(const ModelOptions& options, const Dataset& train,
                                          const std::atomic<bool>& interrupted) {
  using Key = std::tuple<std::uint64_t, std::size_t, int, bool, std::string, double>;
  static std::mutex mutex;
  static std::map<Key, std::shared_ptr<const Optimum>> known;
  const std::lock_guard lock(mutex);
  auto& optimum = known[{fingerprint_of(train), train.features, train.classes, train.intercept,
                         options.name, options.l2}];
  if (!optimum) {
    optimum = std::make_shared<const Optimum>(find_optimum(options, train, interrupted));
  }
  return optimum;
}

/// The model that another run has left.
std::shared_ptr<const Optimum> left_in(const std::string& folder, const Plan& plan) {
  const TrainedModel left = open_trained_model(folder);
  const Model& model = *plan.model;
  const std::string& name = plan.configuration.model;
  if (left.name != name || left.parameters.size() != model.dimension()) {
    throw OptionError("optimum", folder,
                      fmt::format("holds {} of {} parameters, and what is trained is {} of {}",
                                  left.name, left.parameters.size(), name, model.dimension()));
  }
  const ConstVector point = std::as_const(left.parameters).view();
  Optimum optimum{.loss = loss_at(model, point, plan.data->train), .is_unique = true};
  with_scalar(point.scalar(), [&]<typename T>(T) {
    const std::span<const T> values = point.template as<T>();
    optimum.parameters.assign(values.begin(), values.end());
  });
  return std::make_shared<const Optimum>(std::move(optimum));
}

}  // namespace

std::shared_ptr<const Optimum> optimum_of(const Plan& plan, const std::atomic<bool>& interrupted) {
  const Configuration& c = plan.configuration;
  if (c.optimum.empty()) return nullptr;
  if (c.optimum != "auto") return left_in(c.optimum, plan);
  return found_once({c.model, c.l2, c.l1}, plan.data->train, interrupted);
}

void measure_distance(const Optimum& optimum, ConstVector model, Metrics& metrics) {
  metrics.suboptimality = metrics.train_loss - optimum.loss;
  if (!optimum.is_unique) return;
  double squares = 0.0;
  with_scalar(model.scalar(), [&]<typename T>(T) {
    const std::span<const T> values = model.template as<T>();
    for (std::size_t j = 0; j < values.size(); ++j) {
      const double off = static_cast<double>(values[j]) - optimum.parameters[j];
      squares += off * off;
    }
  });
  metrics.optimum_distance = std::sqrt(squares);
}

void summarise_optimum(const Optimum& optimum, Scalar scalar, std::span<const Metrics> curve,
                       Summary& summary) {
  summary.optimum_loss = optimum.loss;
  const auto rate = linear_rate(curve, rounding_of_loss(scalar, optimum.loss));
  if (!rate) return;
  summary.linear_rate = rate->factor;
  summary.linear_rate_error = rate->error;
}

double rounding_of_loss(Scalar scalar, double loss) {
  return (scalar == Scalar::float32 ? 1e-7 : 1e-14) * std::max(1.0, std::abs(loss));
}

std::optional<LinearRate> linear_rate(std::span<const Metrics> curve, double rounding) {
  std::size_t above = std::min<std::size_t>(1, curve.size());
  while (above < curve.size() && curve[above].suboptimality &&
         *curve[above].suboptimality > rounding) {
    ++above;
  }
  if (above <= 1) return std::nullopt;
  const std::size_t first = 1 + (above - 1) / 2;
  const std::size_t count = above - first;
  if (count < 3) return std::nullopt;
  const auto points = curve.subspan(first, count);
  const auto n = static_cast<double>(count);
  double mean_x = 0.0, mean_y = 0.0;
  for (const Metrics& at : points) {
    mean_x += at.epoch / n;
    mean_y += std::log(*at.suboptimality) / n;
  }
  double xx = 0.0, xy = 0.0, yy = 0.0;
  for (const Metrics& at : points) {
    const double x = at.epoch - mean_x, y = std::log(*at.suboptimality) - mean_y;
    xx += x * x;
    xy += x * y;
    yy += y * y;
  }
  if (!(xx > 0.0)) return std::nullopt;
  const double slope = xy / xx;
  const double variance = std::max(0.0, yy - slope * xy) / (n - 2.0);
  const double factor = std::exp(slope);
  return LinearRate{factor, factor * std::sqrt(variance / xx)};
}

}  // namespace trainyard
