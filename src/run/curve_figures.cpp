#include "trainyard/run/curve_figures.hpp"

#include <algorithm>
#include <iterator>

namespace trainyard {

namespace curve_table {

using M = Metrics;
using G = GradientNoise;
using enum CurveAxis;

/// In the order of JSON.
constexpr CurveFigure rows[] = {
    {.key = "step",
     .member = &M::step,
     .axis = over,
     .label = "steps of a worker",
     .before = "train_loss"},
    {.key = "epoch", .member = &M::epoch, .axis = over, .label = "passes over the data"},
    {.key = "seconds",
     .member = &M::seconds,
     .axis = over,
     .label = "time of the run",
     .format = "duration",
     .before = "epoch"},
    {.key = "samples", .member = &M::samples},
    {.key = "bytes_sent",
     .member = &M::bytes_sent,
     .axis = over,
     .label = "bytes sent, all ranks",
     .format = "bytes"},
    {.key = "train_loss", .member = &M::train_loss, .axis = shown, .label = "training loss"},
    {.key = "test_loss", .member = &M::test_loss, .axis = shown, .label = "test loss"},
    {.key = "test_accuracy",
     .member = &M::test_accuracy,
     .axis = shown,
     .label = "test accuracy",
     .format = "percent"},
    {.key = "validation_loss",
     .member = &M::validation_loss,
     .axis = shown,
     .label = "validation loss"},
    {.key = "validation_accuracy",
     .member = &M::validation_accuracy,
     .axis = shown,
     .label = "validation accuracy",
     .format = "percent"},
    {.key = "test_metric", .member = &M::test_metric, .axis = shown, .label = "test metric"},
    {.key = "validation_metric",
     .member = &M::validation_metric,
     .axis = shown,
     .label = "validation metric"},
    {.key = "consensus_distance",
     .member = &M::consensus_distance,
     .axis = shown,
     .label = "consensus distance",
     .before = "row_variance"},
    {.key = "squared_gradient_norm",
     .member = &M::squared_gradient_norm,
     .axis = shown,
     .label = "squared gradient norm",
     .before = "consensus_distance"},
    {.key = "train_r_squared",
     .member = &M::train_r_squared,
     .axis = shown,
     .label = "R² on training rows"},
    {.key = "test_r_squared",
     .member = &M::test_r_squared,
     .axis = shown,
     .label = "R² on test rows"},
    {.key = "row_variance",
     .member = &G::row_variance,
     .axis = shown,
     .label = "σ², variance of one row's gradient"},
    {.key = "worker_variance",
     .member = &G::worker_variance,
     .axis = shown,
     .label = "ς², variance of the workers' gradients"},
    {.key = "gradient_diversity",
     .member = &G::diversity,
     .axis = shown,
     .label = "gradient diversity"},
    {.key = "batch_bound", .member = &G::batch_bound},
    {.key = "noise_scale_signal", .member = &G::signal},
    {.key = "noise_scale_noise", .member = &G::noise},
    {.key = "noise_scale",
     .member = &G::scale,
     .axis = shown,
     .label = "gradient noise scale, rows"},
    {.key = "suboptimality",
     .member = &M::suboptimality,
     .axis = shown,
     .label = "training loss above its minimum"},
    {.key = "optimum_distance",
     .member = &M::optimum_distance,
     .axis = shown,
     .label = "distance from the optimum"},
};

constexpr bool stands_before_a_row(const CurveFigure& figure) {
  return figure.before.empty() ||
         std::ranges::find(rows, figure.before, &CurveFigure::key) != std::ranges::end(rows);
}

static_assert(std::ranges::all_of(rows, stands_before_a_row));

}  // namespace curve_table

std::span<const CurveFigure> curve_figures() {
  return curve_table::rows;
}

std::vector<const CurveFigure*> curve_figures_on(CurveAxis axis) {
  std::vector<const CurveFigure*> order;
  for (const CurveFigure& figure : curve_table::rows) order.push_back(&figure);
  for (const CurveFigure& figure : curve_table::rows) {
    if (figure.before.empty()) continue;
    std::erase(order, &figure);
    order.insert(std::ranges::find(order, figure.before, &CurveFigure::key), &figure);
  }
  std::erase_if(order, [axis](const CurveFigure* figure) { return figure->axis != axis; });
  return order;
}

}  // namespace trainyard
