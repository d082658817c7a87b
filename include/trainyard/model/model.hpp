// A model to be trained: an objective F(w) = mean loss over rows + (λ/2)‖w‖² + μ‖w‖₁, the gradient
// of all but its last term over a minibatch, and for sparse linear models an update that touches
// only the sample's coordinates.
// Where rows have weights ω (Dataset::weights) the mean is (1/n) Σ ω_r loss_r.
//
// Parameters belong to the caller; they are float32, but for the quadratic, whose are double. A
// Model holds no mutable state: any number of ranks call it at once, each with its own Workspace.
//
// Threads: a model is read by all ranks at once; each brings its own parameters and Workspace.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trainyard/base/aligned_buffer.hpp"
#include "trainyard/base/vector.hpp"
#include "trainyard/data/batch.hpp"
#include "trainyard/model/fixed_point.hpp"
#include "trainyard/model/tensor_shape.hpp"

namespace trainyard {

/// Scratch memory of one rank. Buffers grow on first use and are kept, so the steady state of a run
/// allocates nothing.
class Workspace {
 public:
  /// The first `size` floats of buffer number `slot`, contents undefined after growth. Stays valid
  /// until more is asked of the same slot.
  std::span<float> floats(std::size_t slot, std::size_t size);

  /// One more such buffer, for a whole gradient.
  Vector gradient(Scalar scalar, std::size_t size);

 private:
  std::vector<AlignedBuffer<float>> slots_;
  VectorBuffer gradient_;
};

/// Sums over rows, losses accumulated in double. A row counts by its weight, 1 where it has none.
struct Tally {
  double loss_sum = 0.0;  // without the regulariser
  double correct = 0.0;   // 0 where labels are real numbers
  std::size_t rows = 0;
  double weight = 0.0;  // of all rows
};

/// Consecutive parameters of a model.
struct ParameterRange {
  std::size_t first = 0, count = 0;

  bool operator==(const ParameterRange&) const = default;
};

/// (λ/2)‖w‖² over the first `weights` parameters: what is beyond them is not regularised.
struct Regulariser {
  double l2 = 0.0;  // λ ≥ 0
  std::size_t weights = 0;
};

/// The regularisers' weights: (λ/2)‖w‖² + μ‖w‖₁, of the same parameters.
struct Penalties {
  double l2 = 0.0;  // λ ≥ 0
  double l1 = 0.0;  // μ ≥ 0
};

/// μ‖w‖₁. It has no gradient where a weight is 0, where it is to hold weights fast: it is no part
/// of gradient(), and who makes a step shrinks the weights after it, by kernels::shrink() and its
/// like (runtime/optimizer.hpp).
struct AbsolutePenalty {
  double l1 = 0.0;                        // μ ≥ 0
  std::vector<ParameterRange> weights{};  // which parameters w are; none where μ = 0
};

class LayeredModel;  // layered_model.hpp

class Model {
 public:
  virtual ~Model() = default;

  /// Number of parameters.
  virtual std::size_t dimension() const = 0;

  /// Their precision. All vectors below are of it, and of dimension() numbers.
  virtual Scalar scalar() const { return Scalar::float32; }

  /// The starting point: zeros for linear models, He et al. 2015 for MLPs.
  virtual void initialize(Vector parameters, std::uint64_t seed) const = 0;

  /// gradient = (1/|batch|) Σ_{r in batch} ω_r ∇loss_r(parameters) + λ·parameters (weights only,
  /// neither biases nor the weights of an intercept, Dataset::intercept, are regularised).
  /// Overwrites `gradient`.
  virtual void gradient(ConstVector parameters, Batch batch, Vector gradient,
                        Workspace& workspace) const = 0;

  /// parameters ← parameters − step_size · gradient, the bits of gradient() and kernels::axpy(),
  /// but without laying the gradient down where the model can do without. Nothing is shrunk for μ.
  virtual void descend(Vector parameters, Batch batch, double step_size,
                       Workspace& workspace) const;

  /// Losses and hits over the batch at `parameters`. A tie in accuracy goes to the lowest class; a
  /// margin of exactly zero counts as the negative class.
  virtual Tally evaluate(ConstVector parameters, Batch batch, Workspace& workspace) const = 0;

  /// Numbers a row that a prediction is made of. One of logistic regression, x·w, whose sigmoid is
  /// the probability of class 1; one of least squares, x·w; one a class of softmax regression and
  /// of networks, whose softmax are the classes' probabilities; none of a model that predicts
  /// nothing.
  virtual std::size_t outputs() const { return 0; }
  /// scores[r × outputs() + o] = output o of the batch's row r. REQUIRES: outputs() > 0.
  virtual void scores(ConstVector parameters, Batch batch, std::span<float> scores,
                      Workspace& workspace) const;

  /// (λ/2)‖weights‖² + μ‖weights‖₁, of those that are regularised.
  virtual double penalty(ConstVector parameters) const = 0;

  /// The matrices that the parameters are, one after the other; a layer's weights are inputs ×
  /// outputs, what is a vector is one column.
  virtual std::vector<TensorShape> tensors() const { return {{dimension(), 1}}; }

  // Sparse updates. Only on sparse linear models; the others return nullptr.
  class SparseUpdate;
  virtual const SparseUpdate* sparse_update() const { return nullptr; }
  /// For sparse linear models: λ · parameter, which is all of gradient() at parameters that no row
  /// of the batch touches. Says nothing for other models.
  virtual Regulariser regulariser() const { return {}; }
  /// Of every model.
  virtual AbsolutePenalty absolute_penalty() const { return {}; }

  /// Its layers one by one. Only of models that are a chain of them; the others return nullptr.
  virtual const LayeredModel* layered() const { return nullptr; }
};

/// One SGD step in two halves that touch only the coordinates of the batch's rows.
///
/// read() takes every margin x_r·w and leaves ω_r ∂loss_r/∂margin / |batch| in `residuals`; write()
/// then does, row by row in the batch's order, for each j with x_rj ≠ 0
///   w_j ← S(w_j − γ ( residual_r x_rj + (λ / (|batch| p_j)) w_j ), γ μ / (|batch| p_j))
/// where S(w, t) = w − min(max(w, −t), t) is soft thresholding and p_j is the fraction of training
/// rows in which feature j occurs: a row brings the regulariser of j with probability p_j, so that
/// its expectation over rows is exactly λ w_j. (The same for μ is the truncated gradient of
/// Langford, Li & Zhang, JMLR 2009, §3, without an upper θ: a weight is shrunk once in 1/p_j rows,
/// on average, for as many.) An intercept's p_j counts as infinite: its weight is not regularised.
/// (Features that never occur keep their starting value, zero, which is also their optimum. With
/// several classes the same holds for the residual and weight of each.)
///
/// The regulariser's part of one row is at most w_j itself, γλ / (|batch| p_j) ≤ 1: without that a
/// feature of 1 row in 10,000 with λ = 1e-3, γ = 1 would have its weight multiplied by −9 at each
/// occurrence. Only where the cap bites, which takes p_j < γλ / |batch|, is the expectation less.
///
/// Parameters are read and written one at a time as relaxed atomics, so other threads may do the
/// same at once (Hogwild, Niu et al. 2011). On x86 that is a plain move; a concurrent write may be
/// lost. add() is write() without that loss, by compare-and-swap; where nobody else writes, both
/// give the same bits.
class Model::SparseUpdate {
 public:
  virtual ~SparseUpdate() = default;
  /// Number of floats in `residuals` for a batch of `rows` rows (rows × outputs).
  virtual std::size_t residual_count(std::size_t rows) const = 0;
  virtual void read(std::span<const float> parameters, Batch batch,
                    std::span<float> residuals) const = 0;
  virtual void write(std::span<float> parameters, Batch batch, std::span<const float> residuals,
                     float step_size) const = 0;
  virtual void add(std::span<float> parameters, Batch batch, std::span<const float> residuals,
                   float step_size) const = 0;

  /// For parameters in 8 or 16 bits, which are rounded when they are written.
  virtual void read(FixedPointMemory parameters, Batch batch, std::span<float> residuals) const = 0;
  virtual void write(FixedPointMemory parameters, Batch batch, std::span<const float> residuals,
                     float step_size, XorShift& rounding) const = 0;

  /// An update for rows whose column j stands for the model's column stands_for[j]: λ / p_j is that
  /// of the model's column, the parameters are those at j.
  virtual std::unique_ptr<SparseUpdate> for_columns(
      std::span<const std::uint32_t> stands_for) const = 0;
};

struct ModelOptions {
  std::string name = "logistic";  // "logistic", "least-squares", "softmax", "mlp:256,128"
  double l2 = 0.0;                // λ ≥ 0
  double l1 = 0.0;                // μ ≥ 0
};

/// Builds the model for a training set (its features, classes and storage; sparse linear models
/// also count p_j over it). Throws UsageError for an unknown name, for sizes that are no positive
/// numbers, and where the model does not take the data's labels (logistic and least-squares take
/// two classes, and only least-squares and the quadratic real numbers) or their intercept (networks
/// and the quadratic take none).
std::unique_ptr<Model> make_model(const ModelOptions& options, const Dataset& train);

/// One row for each model, for `list models`.
struct ModelInfo {
  std::string name;     // as typed, "mlp:H1,H2,…"
  std::string summary;  // one line
};
const std::vector<ModelInfo>& models();

}  // namespace trainyard
