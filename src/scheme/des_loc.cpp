// DES-LOC: local steps whose optimizer's moments are averaged, too, each in its own time (Iacob et
// al. 2025, Algorithm 1; catalogue §4.1). Of Adam local-sgd averages parameters alone; local Adam
// (Cheng & Glasgow 2025) averages both moments with them, which is three times the bytes. But what
// keeps β of itself at each step changes by half in ln ½ / ln β steps, 7 for β₁ = 0.9 and 693 for
// β₂ = 0.999: moments need fewer averages than parameters.
//   x_i, u_i, v_i ← a step of the optimizer with g_i(x_i);
//   x_i ← (1/n) Σ_j x_j after each K_x steps,
//   u_i ← (1/n) Σ_j u_j after each K_u, and v_i ← (1/n) Σ_j v_j after each K_v.
// u is Adam's m, or the velocity of sgd and nesterov; v is Adam's mean of squares, or Adagrad's
// sum. K_u = 3 K_x and K_v = 6 K_x, the paper's, send half of what local Adam does, which is
// K_x = K_u = K_v. Where moments are never averaged it is local-sgd; and with momentum, for
// K_u = K_x. K_x = K_u = K_v = 1 keeps all workers alike, and still is not Adam on the mean
// gradient: v is the mean of the squares, and not the square of the mean.
//
// The paper has an average at the beginning of the step after it, when that step's gradient has
// been taken; here it ends a step, as in implementations for PyTorch, and gradients are the
// average's. Of plain SGD, which keeps nothing, only parameters are averaged.
//
// A worker that has not had a gradient at some parameter yet, as of a rare word, has v_i = 0 there.
// If u_i becomes the mean of the others', and v_i does not, Adam divides it by 10⁻⁸: on sparse rows
// the paper's periods lead far away. There u_i stays 0 here, as of 1-bit Adam's parameters without
// a second moment, and the run says of how many.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include <fmt/format.h>

#include "trainyard/collective/all_reduce.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "scheme/local_average.hpp"
#include "scheme/shared_hyperparameters.hpp"

namespace trainyard {

namespace {

constexpr double longest_period = 1e12;

/// u ← 0 where v = 0. Returns at how many parameters it was not.
std::size_t hold_without_squares(const OptimizerMoments& moments) {
  return with_scalar(moments.first.scalar(), [&]<typename T>(T) {
    const std::span<T> means = moments.first.as<T>(), squares = moments.second.as<T>();
    std::size_t count = 0;
    for (std::size_t j = 0; j < means.size(); ++j) {
      if (squares[j] != T{0} || means[j] == T{0}) continue;
      means[j] = T{0};
      ++count;
    }
    return count;
  });
}

void remark_without_squares(Worker& worker, std::size_t count) {
  worker.remark(fmt::format(
      "note: when des-loc first averaged first moments, worker 0 had had no gradient at {} of {} "
      "parameters: it does not move them until it has, or until second moments are averaged "
      "(--second-moment-period as --first-moment-period averages both together)",
      count, worker.replica().size()));
}

void work(Worker& worker) {
  const auto period_of = [&](const char* name) {
    return static_cast<std::uint64_t>(worker.hyperparameter(name));
  };
  const std::uint64_t k_x = period_of("period");
  const std::uint64_t k_u = period_of("first-moment-period");
  const std::uint64_t k_v = period_of("second-moment-period");
  while (worker.next_step()) {
    worker.descend();
    const std::uint64_t done = worker.step() + 1;
    const auto average_after = [&](std::uint64_t period, Vector vector) {
      if (vector.empty() || done % period != 0) return;
      all_reduce_mean(worker.comm(), vector, collective_of(worker));
    };
    const OptimizerMoments moments = worker.moments();
    average_after(k_x, worker.replica());
    average_after(k_u, moments.first);
    average_after(k_v, moments.second);
    if (done % k_u != 0 || moments.first.empty() || moments.second.empty()) continue;
    const std::size_t count = hold_without_squares(moments);
    if (count > 0 && done == k_u) remark_without_squares(worker, count);
  }
}

HyperparameterInfo first_moment_info() {
  return {.name = "first-moment-period",
          .argument = "STEPS",
          .help =
              "steps between two averages of the optimizer's means of gradients; 3 times "
              "--period if not given",
          .fallback = 30,
          .low = 1,
          .high = longest_period,
          .whole = true,
          .cycle = true,
          .run_fallback = [](int /*workers*/, const Hyperparameters& before) {
            return std::min(longest_period, 3.0 * hyperparameter(before, "period"));
          }};
}

HyperparameterInfo second_moment_info() {
  return {.name = "second-moment-period",
          .argument = "STEPS",
          .help =
              "steps between two averages of its means of squared gradients; 6 times --period "
              "if not given",
          .fallback = 60,
          .low = 1,
          .high = longest_period,
          .whole = true,
          .cycle = true,
          .run_fallback = [](int /*workers*/, const Hyperparameters& before) {
            return std::min(longest_period, 6.0 * hyperparameter(before, "period"));
          }};
}

}  // namespace

Scheme des_loc_scheme() {
  return {
      .name = "des-loc",
      .summary =
          "local-sgd that averages what the optimizer keeps, too, and less often than the "
          "parameters",
      .step = "γ × own gradient; the average is a step of γ × mean over workers",
      .cost = {.formula = "c, and every τ steps the time of the collective; again for each moment "
                          "on its own period",
               .rate = "as local-sgd",
               .time = time_with_averages},
      .source = "Iacob et al. 2025, Algorithm 1; catalogue 4.1",
      .family = SchemeFamily::local_updates,
      .order = {.members_may_change = true, .rows_by_speed = RowsBySpeed::replicas},
      .takes = {"collective"},
      .hyperparameters = {period_info, first_moment_info(), second_moment_info()},
      .worker = work,
      .server = serve_collective};
}

}  // namespace trainyard
