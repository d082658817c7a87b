// The figures of gradient noise (run/gradient_noise.hpp), of graphs (topology/transient.hpp) and of
// the optimum (run/optimum.hpp), as figures.hpp describes the rows of the table.
#pragma once

#include "run/figure_row.hpp"
#include "run/figure_text.hpp"

namespace trainyard::figure_table {

template <auto member>
FigureValue noise_of(const Summary& s) {
  return value_of(s.gradient_noise.*member);
}

template <auto member>
std::string noise_line(const Summary& s) {
  return s.gradient_noise.*member ? fmt::format("{:.4g}", *(s.gradient_noise.*member)) : "";
}

/// With how many rows it was taken from.
inline std::string row_variance_line(const Summary& s) {
  const GradientNoise& noise = s.gradient_noise;
  if (!noise.row_variance) return "";
  const std::string rows = *noise.rows < s.rows
                               ? fmt::format("{} of {} rows one by one", *noise.rows, s.rows)
                               : fmt::format("all {} rows one by one", s.rows);
  return fmt::format("{:.4g}; from {}", *noise.row_variance, rows);
}

inline std::string batch_bound_line(const Summary& s) {
  const auto bound = s.gradient_noise.batch_bound;
  return bound ? fmt::format("{:.4g} rows", *bound) : "";
}

/// Where the gradient cannot be told from 0 there is no quotient.
inline std::string noise_scale_line(const Summary& s) {
  const GradientNoise& noise = s.gradient_noise;
  if (noise.scale) return fmt::format("{:.4g} rows", *noise.scale);
  return noise.noise ? fmt::format("beyond the {} rows there are", s.rows) : "";
}

inline constexpr StandsBefore before_the_rest{
    .json = "samples_per_second", .statistics = "samples_per_second", .run_table = "model_hash"};

/// In the order of CSV, behind the other rows.
inline constexpr Figure noise_rows[] = {
    {.key = "row_variance",
     .path = "gradient_noise.row_variance",
     .heading = "σ² of a row's gradient",
     .of = noise_of<&GradientNoise::row_variance>,
     .shown = everywhere,
     .before = before_the_rest,
     .text = significant<3>,
     .line = row_variance_line,
     .column = {.heading = "σ²",
                .legend = "σ²           variance of one row's gradient about its worker's own, at "
                          "the end; a minibatch of b rows\n             has a b-th\n"},
     .needs_asking = true},
    {.key = "worker_variance",
     .path = "gradient_noise.worker_variance",
     .heading = "ς² of workers' gradients",
     .of = noise_of<&GradientNoise::worker_variance>,
     .shown = everywhere,
     .before = before_the_rest,
     .text = significant<3>,
     .line = noise_line<&GradientNoise::worker_variance>,
     .column = {.heading = "ς²",
                .legend = "ς²           variance of the workers' gradients, each over all its "
                          "rows\n"},
     .needs_asking = true},
    {.key = "gradient_diversity",
     .path = "gradient_noise.diversity",
     .heading = "gradient diversity",
     .of = noise_of<&GradientNoise::diversity>,
     .shown = measured | run_table,
     .before = before_the_rest,
     .text = significant<3>,
     .line = noise_line<&GradientNoise::diversity>,
     .needs_asking = true},
    {.key = "batch_bound",
     .path = "gradient_noise.batch_bound",
     .heading = "its bound on the batch",
     .of = noise_of<&GradientNoise::batch_bound>,
     .shown = measured | run_table,
     .before = before_the_rest,
     .text = significant<3>,
     .line = batch_bound_line,
     .needs_asking = true},
    {.key = "noise_scale_signal",
     .path = "gradient_noise.signal",
     .of = noise_of<&GradientNoise::signal>,
     .shown = measured,
     .before = before_the_rest,
     .needs_asking = true},
    {.key = "noise_scale_noise",
     .path = "gradient_noise.noise",
     .of = noise_of<&GradientNoise::noise>,
     .shown = measured,
     .before = before_the_rest,
     .needs_asking = true},
    {.key = "noise_scale",
     .path = "gradient_noise.scale",
     .heading = "gradient noise scale",
     .of = noise_of<&GradientNoise::scale>,
     .shown = everywhere,
     .before = before_the_rest,
     .text = significant<3>,
     .line = noise_scale_line,
     .column = {.heading = "noise scale",
                .legend = "noise scale  S/‖G‖², rows of all workers' minibatches together at which "
                          "noise and gradient weigh\n             alike; - where the data cannot "
                          "tell the gradient from 0\n"},
     .needs_asking = true},
    {.key = "gradient_rows",
     .path = "gradient_noise.rows",
     .of = noise_of<&GradientNoise::rows>,
     .shown = files,
     .before = before_the_rest},
    {.key = "transient_iterations",
     .heading = "transient",
     .of = member_of<&S::transient_iterations>,
     .shown = measured | comparison_table,
     .before = before_the_rest,
     .text = significant<2>,
     .column = {.legend =
                    "transient    the order of the steps before its rate is parallel SGD's, "
                    "n³ρ⁴/(1 − ρ)² of its graph,\n             times L(f(x⁰) − f*)/σ², σ² of a "
                    "minibatch; of data alike: on others gossip takes longer\n"},
     .needs_asking = true},
    {.key = "optimum_loss",
     .path = "optimum.loss",
     .heading = "loss at the optimum",
     .of = member_of<&S::optimum_loss>,
     .shown = measured | run_table,
     .before = before_the_rest,
     .text = decimals<10>,
     .line = decimals_or_none<&S::optimum_loss, 10>,
     .needs_asking = true},
    {.key = "suboptimality",
     .path = "optimum.suboptimality",
     .heading = "above the optimum",
     .of = member_of<&S::suboptimality>,
     .shown = everywhere,
     .before = before_the_rest,
     .text = significant<3>,
     .line = text_or_none<&S::suboptimality>,
     .column = {.heading = "above opt.",
                .legend = "above opt.   training loss at the end less the least there is "
                          "(--optimum)\n"},
     .needs_asking = true},
    {.key = "optimum_distance",
     .path = "optimum.distance",
     .heading = "distance from it",
     .of = member_of<&S::optimum_distance>,
     .shown = measured | run_table,
     .before = before_the_rest,
     .text = significant<3>,
     .line = text_or_none<&S::optimum_distance>,
     .needs_asking = true},
    {.key = "linear_rate",
     .path = "optimum.linear_rate",
     .heading = "linear rate",
     .of = member_of<&S::linear_rate>,
     .shown = everywhere,
     .before = before_the_rest,
     .text = significant<4>,
     .line = linear_rate_line,
     .column = {.heading = "rate",
                .legend = "rate         what a pass over the data leaves of it, by a line through "
                          "the later half of its\n             logarithms\n"},
     .needs_asking = true},
    {.key = "linear_rate_error",
     .path = "optimum.linear_rate_error",
     .of = member_of<&S::linear_rate_error>,
     .shown = measured,
     .before = before_the_rest,
     .needs_asking = true},
};

}  // namespace trainyard::figure_table
