// How noisy stochastic gradients are at a model x, and how unlike the workers' data: what the
// theory's constants are there, and what they say of the size of a batch. With N rows, f_r the
// objective of one row (its loss and the whole regulariser), f_i that of worker i (the mean over
// its n_i rows) and F the mean over all rows:
//
//   σ² = Σ_i p_i (1/n_i) Σ_{r of i} ‖∇f_r − ∇f_i‖²   of one row's gradient about its worker's own
//   ς² = Σ_i p_i ‖∇f_i − Σ_j p_j ∇f_j‖²              of the workers' gradients
//
// (Liu & Zhang 2020, Assumption 2, where both are bounds for all x), p_i being what worker i counts
// in what is minimised (--weights): 1/n, or n_i/N. A minibatch of b rows has σ²/b, and without
// replacement (n_i − b)/(n_i − 1) of that.
//
//   Δ = Σ_r ‖∇f_r‖² / ‖Σ_r ∇f_r‖²                    gradient diversity, 1/N where all rows agree
//   B ≤ 1 + δ N Δ                                    with such a minibatch of all workers together
//                                                    E‖Σ_b ∇f_r‖² is at most 1 + δ times what B
//                                                    single rows have, so that a pass over the
//                                                    data is nearly worth one in single rows
//
// (Yin et al., AISTATS 2018); here δ = 1, and Δ at x.
//
// The noise scale S/‖G‖² (McCandlish et al. 2018, appendix A.1) is the batch at which noise and
// gradient weigh alike: below it, twice the batch saves nearly half of the steps, far above it
// none. Where rows are drawn from more of their kind, ‖G‖² and S are estimated without bias by the
// mean squared norms of gradients of two sizes:
//
//   ‖G‖² = (B‖g_B‖² − b‖g_b‖²)/(B − b),   S = (‖g_b‖² − ‖g_B‖²)/(1/b − 1/B)
//
// Here b = 1 and B = N, the two that are furthest apart, which makes the errors least. ‖G‖² is not
// positive where the data cannot tell the gradient from 0: the noise scale is then beyond N.
//
// The means ∇f_i and ∇F are over all rows. Rows one by one are as many as there are, or where that
// is more than 2²⁸ numbers of gradients, so many, but 256 at least and one of each worker: they are
// drawn evenly over each worker's rows, the same at every look, from a stream of their own. What
// they estimate is unbiased, but for the quotients.
//
// All are of the squared unit of a gradient but Δ, B and the noise scale, which are pure numbers or
// rows.
//
// Threads: the calling one, and oneTBB's, which have ended their work when it returns. The figures
// do not depend on how many there are, and nothing that training draws from is drawn from.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "trainyard/base/vector.hpp"
#include "trainyard/data/partition.hpp"

namespace trainyard {

class GracePeriod;  // run/evaluation.hpp
class Model;

/// All are there or none, but for what is said.
struct GradientNoise {
  std::optional<double> row_variance;     // σ²
  std::optional<double> worker_variance;  // ς²
  std::optional<double> diversity;        // Δ; empty where ∇F is 0
  std::optional<double> batch_bound;      // 1 + NΔ; the same
  std::optional<double> signal;           // ‖G‖², which may be below 0
  std::optional<double> noise;            // S
  std::optional<double> scale;            // S/‖G‖², rows; empty where that is not above 0
  std::optional<std::uint64_t> rows;      // taken one by one
};

struct NoiseQuestion {
  const Model& model;
  ConstVector parameters;  // x
  const Dataset& data;
  std::span<const std::vector<std::uint32_t>> parts;  // the rows of each worker
  ShareWeights weights = ShareWeights::workers;
  std::uint64_t seed = 1;                            // of the rows that are drawn
  std::size_t most_numbers = std::size_t{1} << 28U;  // of gradients of single rows
};

/// Takes so many of all rows one by one, and at least one of each worker.
std::size_t rows_one_by_one(std::size_t rows, std::size_t dimension, std::size_t most_numbers);

/// Empty where the grace period ended before the last row.
std::optional<GradientNoise> gradient_noise(const NoiseQuestion& question,
                                            const GracePeriod& grace);

}  // namespace trainyard
