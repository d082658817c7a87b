// The minimum of a training objective, and how a run comes near to it: F(x) − F*, ‖x − x*‖, and the
// factor by which the first falls in a pass over the data (--optimum).
//
// Where the objective is convex it is found: of a quadratic in closed form; of logistic, softmax
// and least-squares regression by Newton's method, whose systems are solved by conjugate gradients
// (Nocedal & Wright, algorithm 7.1, with the Hessian's diagonal as preconditioner), in double
// precision, until Newton's decrement says that F is within 1e-10 of its minimum. Nothing of it is
// drawn at random, and it does not depend on the number of cores.
//
// Threads: any; find_optimum() uses oneTBB's, which have ended their work when it returns.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "trainyard/data/dataset.hpp"
#include "trainyard/model/model.hpp"
#include "trainyard/run/plan.hpp"
#include "trainyard/run/run.hpp"

namespace trainyard {

struct Optimum {
  double loss = 0.0;                 // F*
  std::vector<double> parameters{};  // x*
  /// Whether no other point is as low: there is a λ, over all parameters.
  bool is_unique = false;
};

/// Of the model over the training rows, each by its weight. Throws OptionError, naming "optimum",
/// for models that are not convex, with μ, and for objectives without a minimum; Interrupted when
/// `interrupted` becomes true.
Optimum find_optimum(const ModelOptions& options, const Dataset& train,
                     const std::atomic<bool>& interrupted);

/// What the plan's run asks for; null: nothing. Found once for all runs on the same rows. Throws as
/// find_optimum() does, and for a folder without a model of the same kind.
std::shared_ptr<const Optimum> optimum_of(const Plan& plan, const std::atomic<bool>& interrupted);

/// How far the model is from it.
void measure_distance(const Optimum& optimum, ConstVector model, Metrics& metrics);

/// OptimumFigures, of a model in that precision.
void summarise_optimum(const Optimum& optimum, Scalar scalar, std::span<const Metrics> curve,
                       Summary& summary);

/// By which factor F − F* falls in a pass over the data, as a line through the logarithms of the
/// curve says it, and the standard error of that.
struct LinearRate {
  double factor = 0.0, error = 0.0;
};

/// Over the later half of the evaluations whose `suboptimality` is above `rounding`, up to the
/// first that is not; the start is none of them. Empty of fewer than three.
std::optional<LinearRate> linear_rate(std::span<const Metrics> curve, double rounding);

/// What F − F* is off by from rounding, of a model in that precision: losses are sums of numbers
/// of that precision.
double rounding_of_loss(Scalar scalar, double loss);

}  // namespace trainyard
