// Logistic regression without intercept: loss(w; x, y) = log(1 + exp(-y x·w)), y = +1 for class 1
// and -1 for class 0. With margin m = x·w, ∂loss/∂m = -y / (1 + exp(y m)): one number a row, the
// residual, and the gradient is the sum of residual-weighted rows.
#include <algorithm>
#include <cmath>

#include "trainyard/base/error.hpp"
#include "trainyard/model/kernels.hpp"

#include "model/batch_rows.hpp"
#include "model/factories.hpp"
#include "model/sparse_update.hpp"

namespace trainyard {
namespace {

using SparseRow = Dataset::SparseRow;

// The sum of a sparse row is a chain of additions of four cycles each; four chains run side by
// side.
float sparse_margin(const SparseRow& row, const float* weights) {
  const std::uint32_t* columns = row.columns.data();
  const float* values = row.values.data();
  const std::size_t size = row.columns.size();
  float sum0 = 0.0F, sum1 = 0.0F, sum2 = 0.0F, sum3 = 0.0F;
  std::size_t i = 0;
  for (; i + 4 <= size; i += 4) {
    sum0 += values[i] * load_relaxed(weights[columns[i]]);
    sum1 += values[i + 1] * load_relaxed(weights[columns[i + 1]]);
    sum2 += values[i + 2] * load_relaxed(weights[columns[i + 2]]);
    sum3 += values[i + 3] * load_relaxed(weights[columns[i + 3]]);
  }
  for (; i < size; ++i) sum0 += values[i] * load_relaxed(weights[columns[i]]);
  return (sum0 + sum1) + (sum2 + sum3);
}

void take_margins(const RowRange& range, std::span<const float> weights, std::span<float> margins) {
  if (!range.data->sparse) {
    kernels::row_products(dense_rows(range), weights, margins);
    return;
  }
  for (std::size_t r = 0; r < range.count; ++r) {
    margins[r] = sparse_margin(range.data->sparse_row(range.first + r), weights.data());
  }
}

/// y of the formulas. Computed, for labels are too random for a branch.
float sign_of(Label label) {
  return static_cast<float>(2 * label - 1);
}

/// ∂loss/∂margin = -y / (1 + exp(y m)): neither tail cancels, and an exponential that overflows
/// gives the right zero.
float residual_at(float margin, Label label) {
  const float y = sign_of(label);
  return -y / (1.0F + std::exp(y * margin));
}

/// margins ← residuals, each ∂loss/∂margin · scale.
void margins_to_residuals(std::span<const Label> labels, float scale, std::span<float> margins) {
  // A vector's sigmoid takes 20 ns however few its lanes, a scalar's 5: for a sparse step of one
  // row of 60 nonzeros that is 1.43 or 1.18 ns a nonzero.
  constexpr std::size_t worth_a_vector = 5;
  if (labels.size() < worth_a_vector) {
    for (std::size_t r = 0; r < labels.size(); ++r) {
      margins[r] = scale * residual_at(margins[r], labels[r]);
    }
    return;
  }
  for (std::size_t r = 0; r < labels.size(); ++r) {
    if (labels[r] == 1) margins[r] = -margins[r];
  }
  kernels::sigmoid(margins);
  for (std::size_t r = 0; r < labels.size(); ++r) {
    margins[r] *= labels[r] == 1 ? -scale : scale;
  }
}

/// residuals[i] = ∂loss/∂margin / |batch| of the batch's row i.
void take_residuals(std::span<const float> weights, Batch batch, std::span<float> residuals) {
  const float scale = 1.0F / static_cast<float>(row_count(batch));
  std::size_t done = 0;
  for (const RowRange& range : batch) {
    const std::span<float> part = residuals.subspan(done, range.count);
    take_margins(range, weights, part);
    margins_to_residuals(labels_of(range), scale, part);
    done += range.count;
  }
}

/// log(1 + exp(-y m)) = max(z, 0) + log(1 + exp(-|z|)) with z = -y m: exact at any margin.
float loss_at(float margin, Label label) {
  const float z = label == 1 ? -margin : margin;
  return std::max(z, 0.0F) + std::log1p(std::exp(-std::abs(z)));
}

class LogisticSparseUpdate final : public Model::SparseUpdate {
 public:
  LogisticSparseUpdate(double l2, const Dataset& train)
      : pull_(inverse_frequency_pull(l2, train)) {}

  std::size_t residual_count(std::size_t rows) const override { return rows; }

  void read(std::span<const float> parameters, Batch batch,
            std::span<float> residuals) const override {
    take_residuals(parameters, batch, residuals);
  }

  void write(std::span<float> parameters, Batch batch, std::span<const float> residuals,
             float step_size) const override {
    write_by<LoadAndStore>(parameters.data(), batch, residuals, step_size);
  }

  void add(std::span<float> parameters, Batch batch, std::span<const float> residuals,
           float step_size) const override {
    write_by<CompareAndSwap>(parameters.data(), batch, residuals, step_size);
  }

 private:
  template <typename Way>
  void write_by(float* weights, Batch batch, std::span<const float> residuals,
                float step_size) const {
    const float pull_scale = step_size / static_cast<float>(row_count(batch));
    std::size_t next = 0;
    for (const RowRange& range : batch) {
      for (std::size_t r = 0; r < range.count; ++r) {
        const SparseRow row = range.data->sparse_row(range.first + r);
        const float step = step_size * residuals[next++];
        if (pull_.empty()) {
          write_row<Way>(row, step, weights);
        } else {
          write_row_regularised<Way>(row, step, pull_scale, weights);
        }
      }
    }
  }

  template <typename Way>
  static void write_row(const SparseRow& row, float step, float* weights) {
    for (std::size_t i = 0; i < row.columns.size(); ++i) {
      const float change = step * row.values[i];
      Way::update(weights[row.columns[i]], [=](float old) { return old - change; });
    }
  }

  template <typename Way>
  void write_row_regularised(const SparseRow& row, float step, float pull_scale,
                             float* weights) const {
    for (std::size_t i = 0; i < row.columns.size(); ++i) {
      const float pull = std::min(pull_scale * pull_[row.columns[i]], 1.0F);
      const float change = step * row.values[i];
      Way::update(weights[row.columns[i]], [=](float old) { return old - (change + pull * old); });
    }
  }

  std::vector<float> pull_;
};

class Logistic final : public Model {
 public:
  Logistic(double l2, const Dataset& train) : features_(train.features), l2_(l2) {
    if (train.sparse) update_ = std::make_unique<LogisticSparseUpdate>(l2, train);
  }

  std::size_t dimension() const override { return features_; }

  void initialize(Vector parameters, std::uint64_t /*seed*/) const override {
    kernels::set_to_zero(parameters);
  }

  void gradient(ConstVector parameters, Batch batch, Vector gradient,
                Workspace& workspace) const override {
    const std::size_t rows = row_count(batch);
    require(rows > 0, "a gradient over no rows");
    const std::span<float> residuals = workspace.floats(0, rows);
    take_residuals(parameters.floats(), batch, residuals);
    if (is_sparse(batch)) {
      kernels::scaled_copy(l2_, parameters, gradient);
      add_sparse_rows(batch, residuals, gradient.floats());
    } else {
      set_to_dense_rows(batch, residuals, parameters.floats(), gradient.floats());
    }
  }

  void descend(Vector parameters, Batch batch, double step_size,
               Workspace& workspace) const override {
    if (is_sparse(batch) || row_count(batch) != 1) {
      Model::descend(parameters, batch, step_size, workspace);
      return;
    }
    const RowRange& row = batch.front();
    kernels::logistic_step(dense_rows(row), sign_of(labels_of(row).front()),
                           static_cast<float>(l2_), static_cast<float>(step_size),
                           parameters.floats());
  }

  Tally evaluate(ConstVector parameters, Batch batch, Workspace& workspace) const override {
    Tally tally;
    for (const RowRange& range : batch) {
      const std::span<float> margins = workspace.floats(0, range.count);
      take_margins(range, parameters.floats(), margins);
      const std::span<const Label> labels = labels_of(range);
      for (std::size_t r = 0; r < range.count; ++r) {
        tally.loss_sum += static_cast<double>(loss_at(margins[r], labels[r]));
        tally.correct += (margins[r] > 0.0F) == (labels[r] == 1) ? 1 : 0;
      }
      tally.rows += range.count;
    }
    return tally;
  }

  double penalty(ConstVector parameters) const override {
    return squared_penalty(l2_, parameters.floats());
  }

  const SparseUpdate* sparse_update() const override { return update_.get(); }

 private:
  static void add_sparse_rows(Batch batch, std::span<const float> residuals,
                              std::span<float> gradient) {
    std::size_t next = 0;
    for (const RowRange& range : batch) {
      for (std::size_t r = 0; r < range.count; ++r) {
        const SparseRow row = range.data->sparse_row(range.first + r);
        const float residual = residuals[next++];
        for (std::size_t i = 0; i < row.columns.size(); ++i) {
          gradient[row.columns[i]] += residual * row.values[i];
        }
      }
    }
  }

  /// gradient ← λ parameters + Σ residual · row, the first sum begun in the first range.
  void set_to_dense_rows(Batch batch, std::span<const float> residuals,
                         std::span<const float> parameters, std::span<float> gradient) const {
    float start_scale = static_cast<float>(l2_);
    std::span<const float> start = parameters;
    for (const RowRange& range : batch) {
      kernels::weighted_row_sum(residuals.first(range.count), dense_rows(range), start_scale, start,
                                gradient);
      residuals = residuals.subspan(range.count);
      start_scale = 1.0F;
      start = gradient;
    }
  }

  std::size_t features_;
  double l2_;
  std::unique_ptr<LogisticSparseUpdate> update_;
};

}  // namespace

std::unique_ptr<Model> make_logistic(double l2, const Dataset& train) {
  if (train.classes != 2) {
    throw UsageError("model 'logistic' needs two classes, the data set has " +
                     std::to_string(train.classes) + "; accepted here: softmax, mlp:H1,H2,…");
  }
  return std::make_unique<Logistic>(l2, train);
}

}  // namespace trainyard
