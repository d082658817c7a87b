// The arithmetic loops everything else is built from, in one place, each dispatched at run time to
// the best instruction set of the machine (Highway). Spans of one call have equal lengths, unless
// their comment says otherwise, and do not overlap unless they are the same span. None allocates.
//
// A matrix is a span too: tight rows, row-major, its shape told by the lengths beside it.
// Elementwise kernels give an element the same bits wherever it lies in its span, so a vector may
// be worked on in pieces. NaN and infinity always reach the result: training that diverges is seen
// to.
//
// Threads: any; arguments that are written belong to the caller, but for those named _shared,
// which many write at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "trainyard/base/vector.hpp"

namespace trainyard::kernels {

// Vectors of either precision, both of the same. `a` is rounded to it first.

/// y ← y + a x
void axpy(double a, ConstVector x, Vector y);
/// x ← x + a (target − x). Where both are equal x stays what it is, bit for bit, which the sum of
/// (1 − a) x and a target does not: in single precision 1 − a and a do not add up to 1.
void move_towards(double a, ConstVector target, Vector x);
/// sum ← sum + a (x − y); x and y exchanged, the change is the opposite.
void add_difference(double a, ConstVector x, ConstVector y, Vector sum);
/// y ← y + x
void add(ConstVector x, Vector y);
/// y ← xs[0] + xs[1] + …, taken in that order at each coordinate, and all at once: each number of y
/// is written once. One of xs may be y. REQUIRES: 1 ≤ xs.size() ≤ most_summed.
void sum(std::span<const ConstVector> xs, Vector y);
inline constexpr std::size_t most_summed = 64;
/// Whether it has neither a NaN nor an infinity. At the speed of memory.
bool is_finite(ConstVector x);
/// x ← a x
void scale(double a, Vector x);
/// y ← a x
void scaled_copy(double a, ConstVector x, Vector y);
/// x ← x · min(1, most / ‖x‖₂). What is no longer than that keeps its bits; the length is summed in
/// double, in the same order on every machine.
void clip_norm(double most, Vector x);
/// y ← x
void copy(ConstVector x, Vector y);
void set_to_zero(Vector x);

/// result_j ← g_j + λ g_j² (now_j − then_j): catalogue §2.11.
void compensate_delay(double lambda, ConstVector gradient, ConstVector now, ConstVector then,
                      Vector result);
/// compensate_delay() with λ_j = λ / √(mean_square_j + 1e-7).
void compensate_delay_adaptively(double lambda, ConstVector mean_square, ConstVector gradient,
                                 ConstVector now, ConstVector then, Vector result);
/// mean_square_j ← keep · mean_square_j + (1 − keep) g_j²
void average_squares(double keep, ConstVector gradient, Vector mean_square);

/// max_j |x_j − a g_j − from_j|: how far x is from there after a step. Infinite when it is no
/// number.
double distance_after_step(double a, ConstVector gradient, ConstVector x, ConstVector from);

// Steps of the optimizers of runtime/optimizer.hpp, each in one pass; g is scale · gradient.

/// velocity ← momentum · velocity + g, then model ← model − step · velocity
void momentum_step(double momentum, double scale, double step, ConstVector gradient,
                   Vector velocity, Vector model);
/// velocity as in momentum_step(), then model ← model − step · (g + momentum · velocity)
void nesterov_step(double momentum, double scale, double step, ConstVector gradient,
                   Vector velocity, Vector model);
/// squares ← squares + g², then model ← model − step · g / (√squares + 1e-10)
void adagrad_step(double scale, double step, ConstVector gradient, Vector squares, Vector model);

struct AdamStep {
  double beta1, beta2;
  double scale;
  double step;        // γ / (1 − β₁ᵗ)
  double root_scale;  // 1 / √(1 − β₂ᵗ)
  double keep = 1.0;  // 1 − γ · weight decay
};
/// model ← keep · model, mean ← β₁ mean + (1 − β₁) g, squares ← β₂ squares + (1 − β₂) g², then
/// model ← model − step · mean / (root_scale · √squares + 1e-8)
void adam_step(const AdamStep& by, ConstVector gradient, Vector mean, Vector squares, Vector model);

struct LionStep {
  double beta1, beta2;
  double scale;
  double step;        // γ
  double keep = 1.0;  // 1 − γ · weight decay
};
/// model ← keep · model − step · sgn(β₁ mean + (1 − β₁) g), sgn(0) = 0, then mean ← β₂ mean + (1 −
/// β₂) g. What is not finite has no sign: the model becomes NaN there.
void lion_step(const LionStep& by, ConstVector gradient, Vector mean, Vector model);

// Soft thresholding, S(x, t) = x − min(max(x, −t), t), after such a step: x_j is exactly 0 where
// |x_j| ≤ t. Each threshold is ≥ 0.

/// model ← S(model, threshold)
void shrink(double threshold, Vector model);
/// The same after a step along the velocity: what was taken is in the velocity as well, as if the
/// step of that length had taken it.
void shrink_moving(double threshold, double step, Vector velocity, Vector model);
/// The same after adagrad_step(): model ← S(model, threshold / (√squares + 1e-10))
void shrink_by_squares(double threshold, ConstVector squares, Vector model);

// Vectors of floats.

/// Σ a_i b_i
float dot(std::span<const float> a, std::span<const float> b);
/// x_i ← 1 / (1 + exp(-x_i)), of small relative error in both tails
void sigmoid(std::span<float> x);

// Memory that other threads read and write meanwhile (runtime/shared_model.hpp).

/// to ← from, where `from` is shared. Each float is loaded whole.
void copy_shared(std::span<const float> from, std::span<float> to);
/// y ← y + a x, where y is shared, and copy ← the y that was written. Each float is loaded once and
/// stored once, whole, with the bits of axpy; what others store in between, some nanoseconds, is
/// lost.
void axpy_shared(float a, std::span<const float> x, std::span<float> y, std::span<float> copy);

// Matrices.

/// matrix_product() adds up this many terms of an element in one go; longer sums go by blocks, each
/// scaled by alpha and added to C.
inline constexpr std::size_t block_depth = 256;

/// C ← alpha · op(A) · op(B) + beta · C, row-major, op(A) is m×k, op(B) is k×n, C is m×n with tight
/// rows; with beta = 0, C is not read. The one matrix product of the program; single-threaded. An
/// element's bits depend on its row of op(A), its column of op(B) and what C held, not on the
/// shape.
void matrix_product(bool transpose_a, bool transpose_b, std::size_t m, std::size_t n, std::size_t k,
                    float alpha, const float* a, const float* b, float beta, float* c);

/// products_r ← (row r of matrix) · vector. matrix is |products| × |vector|; a row's product does
/// not depend on the rows beside it.
void row_products(std::span<const float> matrix, std::span<const float> vector,
                  std::span<float> products);
/// sum ← start_scale · start + Σ_r weights_r (row r of matrix). matrix is |weights| × |sum|, with
/// at least one row; start may be sum itself.
void weighted_row_sum(std::span<const float> weights, std::span<const float> matrix,
                      float start_scale, std::span<const float> start, std::span<float> sum);

/// A whole step of a linear model on one row.
struct RowStep {
  float y;  // what the row is
  float l2;
  std::size_t regularised;  // l2 is for this many of the weights, from the first one on
  float step_size;
  float loss_weight = 1.0F;
};
/// weights ← weights − step_size · (l2 · weights + loss_weight · residual · row) with residual = −y
/// / (1 + exp(y row·weights)), y being 1 or −1: logistic regression.
void logistic_step(const RowStep& by, std::span<const float> row, std::span<float> weights);
/// logistic_step() with residual = row·weights − y: least squares.
void least_squares_step(const RowStep& by, std::span<const float> row, std::span<float> weights);

/// sums ← Σ_r (row r of matrix). matrix is rows × |sums|.
void column_sums(std::span<const float> matrix, std::span<float> sums);

/// A sparse row: |columns| = |values| nonzeros.
/// product ← Σ_i values_i (row columns_i of matrix), whose rows have |product| floats.
void sparse_product(std::span<const std::uint32_t> columns, std::span<const float> values,
                    std::span<const float> matrix, std::span<float> product);
/// (row columns_i of matrix) ← itself + values_i row, for each i.
void add_sparse_outer(std::span<const std::uint32_t> columns, std::span<const float> values,
                      std::span<const float> row, std::span<float> matrix);

// Layers of a network, minibatch × units.

/// Adds bias to every row of `units`.
void add_bias(std::span<const float> bias, std::span<float> units);
/// Adds bias to every row of `units`, then sets negative units to zero.
void add_bias_relu(std::span<const float> bias, std::span<float> units);
/// gradient_i ← 0 where units_i is zero: the derivative of ReLU, taken as 0 at 0.
void mask_inactive(std::span<const float> units, std::span<float> gradient);

// Cross-entropy over classes.

/// Each row of scores ← scale · (softmax(row) − e_label), the gradient of scale · cross-entropy.
/// scores is |labels| × classes.
void softmax_gradient(std::span<const std::int32_t> labels, float scale, std::span<float> scores);
/// Σ_i exp(row_i − shift); with the greatest score as shift it cannot overflow.
float sum_exp(std::span<const float> row, float shift);

}  // namespace trainyard::kernels
