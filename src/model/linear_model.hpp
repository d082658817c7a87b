// The common part of logistic regression and least squares: a row has one number x·w, its margin,
// and the loss is a function of it. The gradient is then the sum of residual-weighted rows, a row's
// residual being ∂loss/∂margin.
//
// What differs is the Loss. It is known when this is compiled, so that a sparse step of one row, of
// the order of 100 ns, has no call into it. A Loss has, for the rows of a range,
//   static void to_residuals(const RowRange&, float scale, std::span<float> margins);
//     margins ← residuals, each ∂loss/∂margin · scale
//   static void add_to(Tally&, const RowRange&, std::span<const float> margins);
//     adds their losses and hits, each by its row's weight
//   static float first_y(const RowRange&);
//     what kernels::RowStep calls y, of their first row
//   static void step(const kernels::RowStep&, row, weights);
//     the kernel of a step on one dense row
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "trainyard/base/error.hpp"
#include "trainyard/model/kernels.hpp"
#include "trainyard/model/row_weights.hpp"

#include "model/batch_rows.hpp"
#include "model/sparse_descent.hpp"
#include "model/sparse_update.hpp"

namespace trainyard {

// The sum of a sparse row is a chain of additions of four cycles each; eight chains run side by
// side, so that the weights are fetched as fast as the nearest cache gives them.
template <typename Weights>
float sparse_margin(const Dataset::SparseRow& row, Weights weights) {
  const std::uint32_t* const columns = row.columns.data();
  const float* const values = row.values.data();
  const std::size_t size = row.columns.size();
  const auto product = [=](std::size_t i) { return values[i] * weights.load(columns[i]); };
  float sum0 = 0.0F, sum1 = 0.0F, sum2 = 0.0F, sum3 = 0.0F;
  float sum4 = 0.0F, sum5 = 0.0F, sum6 = 0.0F, sum7 = 0.0F;
  std::size_t i = 0;
  for (; i + 8 <= size; i += 8) {
    sum0 += product(i);
    sum1 += product(i + 1);
    sum2 += product(i + 2);
    sum3 += product(i + 3);
    sum4 += product(i + 4);
    sum5 += product(i + 5);
    sum6 += product(i + 6);
    sum7 += product(i + 7);
  }
  for (; i < size; ++i) sum0 += product(i);
  return ((sum0 + sum1) + (sum2 + sum3)) + ((sum4 + sum5) + (sum6 + sum7));
}

/// margins[r] = x_r·w of the range's row r.
inline void take_margins(const RowRange& range, std::span<const float> weights,
                         std::span<float> margins) {
  if (!range.data->sparse) {
    kernels::row_products(dense_rows(range), weights, margins);
    return;
  }
  for (std::size_t r = 0; r < range.count; ++r) {
    margins[r] = sparse_margin(range.data->sparse_row(range.first + r), ReadFloats{weights.data()});
  }
}

/// residuals[i] = ω ∂loss/∂margin / |batch| of the batch's row i.
template <typename Loss>
void take_residuals(std::span<const float> weights, Batch batch, std::span<float> residuals) {
  const float scale = 1.0F / static_cast<float>(row_count(batch));
  std::size_t done = 0;
  for (const RowRange& range : batch) {
    const std::span<float> part = residuals.subspan(done, range.count);
    take_margins(range, weights, part);
    Loss::to_residuals(range, scale, part);
    done += range.count;
  }
  weigh_rows(batch, 1, residuals);
}

template <typename Loss>
class LinearSparseUpdate final : public Model::SparseUpdate {
 public:
  explicit LinearSparseUpdate(RowPenalties penalties) : penalties_(std::move(penalties)) {}

  std::size_t residual_count(std::size_t rows) const override { return rows; }

  void read(std::span<const float> parameters, Batch batch,
            std::span<float> residuals) const override {
    read_by(ReadFloats{parameters.data()}, batch, residuals);
  }

  void write(std::span<float> parameters, Batch batch, std::span<const float> residuals,
             float step_size) const override {
    write_by(LoadAndStore{parameters.data()}, batch, residuals, step_size);
  }

  void add(std::span<float> parameters, Batch batch, std::span<const float> residuals,
           float step_size) const override {
    write_by(CompareAndSwap{parameters.data()}, batch, residuals, step_size);
  }

  void read(FixedPointMemory parameters, Batch batch, std::span<float> residuals) const override {
    with_number(parameters.format, [&]<typename Number>(Number) {
      read_by(ReadNumbers<Number>(parameters), batch, residuals);
    });
  }

  void write(FixedPointMemory parameters, Batch batch, std::span<const float> residuals,
             float step_size, XorShift& rounding) const override {
    with_number(parameters.format, [&]<typename Number>(Number) {
      write_by(RoundedNumbers<Number>(parameters, rounding), batch, residuals, step_size);
    });
  }

  std::unique_ptr<SparseUpdate> for_columns(
      std::span<const std::uint32_t> stands_for) const override {
    return std::make_unique<LinearSparseUpdate>(penalties_.of_columns(stands_for));
  }

 private:
  template <typename Weights>
  static void read_by(Weights weights, Batch batch, std::span<float> residuals) {
    const float scale = 1.0F / static_cast<float>(row_count(batch));
    std::size_t done = 0;
    for (const RowRange& range : batch) {
      const std::span<float> part = residuals.subspan(done, range.count);
      for (std::size_t r = 0; r < range.count; ++r) {
        part[r] = sparse_margin(range.data->sparse_row(range.first + r), weights);
      }
      Loss::to_residuals(range, scale, part);
      done += range.count;
    }
    weigh_rows(batch, 1, residuals);
  }

  template <typename Weights>
  void write_by(Weights weights, Batch batch, std::span<const float> residuals,
                float step_size) const {
    const float scale = step_size / static_cast<float>(row_count(batch));
    const bool shrinks = !penalties_.shrink.empty();
    std::size_t next = 0;
    for (const RowRange& range : batch) {
      for (std::size_t r = 0; r < range.count; ++r) {
        const Dataset::SparseRow row = range.data->sparse_row(range.first + r);
        const float step = step_size * residuals[next++];
        if (shrinks) {
          write_row_shrunk(row, step, scale, weights);
        } else if (penalties_.pull.empty()) {
          write_row(row, step, weights);
        } else {
          write_row_pulled(row, step, scale, weights);
        }
      }
    }
  }

  template <typename Weights>
  static void write_row(const Dataset::SparseRow& row, float step, Weights weights) {
    const float* const values = row.values.data();
    change_each(row, weights, [=](std::size_t i, std::uint32_t) {
      const float change = step * values[i];
      return [=](float) { return change; };
    });
  }

  template <typename Weights>
  void write_row_pulled(const Dataset::SparseRow& row, float step, float scale,
                        Weights weights) const {
    const float* const values = row.values.data();
    const float* const pulls = penalties_.pull.data();
    change_each(row, weights, [=](std::size_t i, std::uint32_t column) {
      const float pull = std::min(scale * pulls[column], 1.0F);
      const float change = step * values[i];
      return [=](float old) { return change + pull * old; };
    });
  }

  template <typename Weights>
  void write_row_shrunk(const Dataset::SparseRow& row, float step, float scale,
                        Weights weights) const {
    for (std::size_t i = 0; i < row.columns.size(); ++i) {
      const std::uint32_t column = row.columns[i];
      const float change = step * row.values[i];
      weights.replace(column,
                      [&](float old) { return penalties_.stepped(old, change, column, scale); });
    }
  }

  /// w_j ← w_j − change_of(i, j)(w_j) for the i-th column j of the row.
  template <typename Weights, typename ChangeOf>
  static void change_each(const Dataset::SparseRow& row, Weights weights,
                          const ChangeOf& change_of) {
    const std::uint32_t* const columns = row.columns.data();
    const std::size_t size = row.columns.size();
    std::size_t i = 0;
    if constexpr (requires { weights.store(0, 0.0F); }) {
      // Columns of a row differ, so four may be on their way at once.
      for (; i + 4 <= size; i += 4) {
        const std::uint32_t j0 = columns[i], j1 = columns[i + 1], j2 = columns[i + 2],
                            j3 = columns[i + 3];
        const float w0 = weights.load(j0), w1 = weights.load(j1), w2 = weights.load(j2),
                    w3 = weights.load(j3);
        weights.store(j0, w0 - change_of(i, j0)(w0));
        weights.store(j1, w1 - change_of(i + 1, j1)(w1));
        weights.store(j2, w2 - change_of(i + 2, j2)(w2));
        weights.store(j3, w3 - change_of(i + 3, j3)(w3));
      }
    }
    for (; i < size; ++i) weights.subtract(columns[i], change_of(i, columns[i]));
  }

  RowPenalties penalties_;
};

template <typename Loss>
class LinearModel final : public Model {
 public:
  LinearModel(const Penalties& penalties, const Dataset& train)
      : features_(train.features),
        regularised_(regularised_features(train)),
        penalties_(penalties) {
    if (!train.sparse) return;
    update_ = std::make_unique<LinearSparseUpdate<Loss>>(RowPenalties(penalties, train));
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
    take_residuals<Loss>(parameters.floats(), batch, residuals);
    if (is_sparse(batch)) {
      set_to_penalty_gradient(penalties_.l2, parameters.floats().first(regularised_),
                              gradient.floats());
      add_sparse_rows(batch, residuals, gradient.floats());
    } else {
      set_to_dense_rows(batch, residuals, parameters.floats(), gradient.floats());
    }
  }

  void descend(Vector parameters, Batch batch, double step_size,
               Workspace& workspace) const override {
    if (penalties_.l2 == 0.0 && touches_few(batch, features_)) {
      const std::span<float> residuals = workspace.floats(0, row_count(batch));
      const std::span<float> gradient = workspace.gradient(scalar(), features_).floats();
      take_residuals<Loss>(parameters.floats(), batch, residuals);
      clear_touched(batch, 1, gradient);
      add_sparse_rows(batch, residuals, gradient);
      descend_touched(batch, 1, step_size, gradient, parameters.floats(), workspace, 1);
      return;
    }
    if (is_sparse(batch) || row_count(batch) != 1) {
      Model::descend(parameters, batch, step_size, workspace);
      return;
    }
    const RowRange& row = batch.front();
    Loss::step({.y = Loss::first_y(row),
                .l2 = static_cast<float>(penalties_.l2),
                .regularised = regularised_,
                .step_size = static_cast<float>(step_size),
                .loss_weight = row.data->weight_of(row.first)},
               dense_rows(row), parameters.floats());
  }

  Tally evaluate(ConstVector parameters, Batch batch, Workspace& workspace) const override {
    Tally tally;
    for (const RowRange& range : batch) {
      const std::span<float> margins = workspace.floats(0, range.count);
      take_margins(range, parameters.floats(), margins);
      Loss::add_to(tally, range, margins);
      count_rows(range, tally);
    }
    return tally;
  }

  std::size_t outputs() const override { return 1; }

  void scores(ConstVector parameters, Batch batch, std::span<float> scores,
              Workspace& /*workspace*/) const override {
    for (const RowRange& range : batch) {
      take_margins(range, parameters.floats(), scores.first(range.count));
      scores = scores.subspan(range.count);
    }
  }

  double penalty(ConstVector parameters) const override {
    return penalty_of(penalties_, parameters.floats().first(regularised_));
  }

  const SparseUpdate* sparse_update() const override { return update_.get(); }
  Regulariser regulariser() const override { return {penalties_.l2, regularised_}; }
  AbsolutePenalty absolute_penalty() const override {
    return absolute_penalty_of(penalties_, {{0, regularised_}});
  }

 private:
  static void add_sparse_rows(Batch batch, std::span<const float> residuals,
                              std::span<float> gradient) {
    std::size_t next = 0;
    for (const RowRange& range : batch) {
      for (std::size_t r = 0; r < range.count; ++r) {
        const Dataset::SparseRow row = range.data->sparse_row(range.first + r);
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
    float start_scale = static_cast<float>(penalties_.l2);
    std::span<const float> start = parameters;
    if (regularised_ < features_) {
      set_to_penalty_gradient(penalties_.l2, parameters.first(regularised_), gradient);
      start_scale = 1.0F;
      start = gradient;
    }
    for (const RowRange& range : batch) {
      kernels::weighted_row_sum(residuals.first(range.count), dense_rows(range), start_scale, start,
                                gradient);
      residuals = residuals.subspan(range.count);
      start_scale = 1.0F;
      start = gradient;
    }
  }

  std::size_t features_;
  std::size_t regularised_;  // weights, the first so many
  Penalties penalties_;
  std::unique_ptr<LinearSparseUpdate<Loss>> update_;
};

}  // namespace trainyard
