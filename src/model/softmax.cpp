// Softmax (multinomial logistic) regression without intercept: scores = x W, loss = cross-entropy.
//
// W is stored features × classes, row-major: a nonzero of a sparse row then meets its weights for
// all classes side by side, one or two cache lines, where classes × features would touch one line a
// class.
#include <algorithm>
#include <type_traits>
#include <utility>

#include "trainyard/model/kernels.hpp"

#include "model/batch_rows.hpp"
#include "model/factories.hpp"
#include "model/input_matrix.hpp"
#include "model/sparse_descent.hpp"
#include "model/sparse_kernels.hpp"
#include "model/sparse_update.hpp"

namespace trainyard {
namespace {

using SparseRow = Dataset::SparseRow;

class SoftmaxSparseUpdate final : public Model::SparseUpdate {
 public:
  SoftmaxSparseUpdate(std::size_t classes, std::size_t columns, RowPenalties penalties)
      : classes_(classes), dimension_(columns * classes), penalties_(std::move(penalties)) {}

  std::size_t residual_count(std::size_t rows) const override { return rows * classes_; }

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
    return std::make_unique<SoftmaxSparseUpdate>(classes_, stands_for.size(),
                                                 penalties_.of_columns(stands_for));
  }

 private:
  template <typename Weights>
  void read_by(Weights weights, Batch batch, std::span<float> residuals) const {
    float* scores = residuals.data();
    for (const RowRange& range : batch) {
      for (std::size_t r = 0; r < range.count; ++r, scores += classes_) {
        read_row(range.data->sparse_row(range.first + r), weights, scores);
      }
    }
    scores_to_residuals(batch, classes_, residuals);
  }

  // A number of classes up to four is known to the compiler. Vectors cost more there: a vector's
  // load mostly spans two cache lines, also where its mask lets through the first only. One more
  // class than these four, and two lines are common anyway.
  template <typename Weights>
  void read_row(const SparseRow& row, Weights weights, float* scores) const {
    if (classes_ == 2) return read_few<2>(row, weights, scores);
    if (classes_ == 3) return read_few<3>(row, weights, scores);
    if (classes_ == 4) return read_few<4>(row, weights, scores);
    if constexpr (std::is_same_v<Weights, ReadFloats> && shared_floats_take_vectors) {
      const std::span<const float> matrix{weights.values, dimension_};
      kernels::sparse_product(row.columns, row.values, matrix, {scores, classes_});
    } else {
      read_many(row, weights, scores);
    }
  }

  // Each score is a chain of additions of four cycles each; two for each class run side by side.
  template <std::size_t Classes, typename Weights>
  static void read_few(const SparseRow& row, Weights weights, float* scores) {
    const std::size_t size = row.columns.size();
    float even[Classes] = {}, odd[Classes] = {};
    const auto add = [&](std::size_t i, float* sums) {
      const std::size_t first = row.columns[i] * Classes;
      const float value = row.values[i];
      for (std::size_t c = 0; c < Classes; ++c) sums[c] += value * weights.load(first + c);
    };
    std::size_t i = 0;
    for (; i + 2 <= size; i += 2) {
      add(i, even);
      add(i + 1, odd);
    }
    if (i < size) add(i, even);
    for (std::size_t c = 0; c < Classes; ++c) scores[c] = even[c] + odd[c];
  }

  template <typename Weights>
  void read_many(const SparseRow& row, Weights weights, float* scores) const {
    std::fill_n(scores, classes_, 0.0F);
    for (std::size_t i = 0; i < row.columns.size(); ++i) {
      const std::size_t first = row.columns[i] * classes_;
      const float value = row.values[i];
      for (std::size_t c = 0; c < classes_; ++c) scores[c] += value * weights.load(first + c);
    }
  }

  template <typename Weights>
  void write_by(Weights weights, Batch batch, std::span<const float> residuals,
                float step_size) const {
    const float scale = step_size / static_cast<float>(row_count(batch));
    const bool shrinks = !penalties_.shrink.empty();
    const float* residual = residuals.data();
    for (const RowRange& range : batch) {
      for (std::size_t r = 0; r < range.count; ++r, residual += classes_) {
        const SparseRow row = range.data->sparse_row(range.first + r);
        if (shrinks) {
          write_shrunk(row, residual, step_size, scale, weights);
        } else {
          write_row(row, residual, step_size, scale, weights);
        }
      }
    }
  }

  template <typename Weights>
  void write_shrunk(const SparseRow& row, const float* residual, float step_size, float scale,
                    Weights weights) const {
    for (std::size_t i = 0; i < row.columns.size(); ++i) {
      const std::uint32_t column = row.columns[i];
      const float step = step_size * row.values[i];
      for (std::size_t c = 0; c < classes_; ++c) {
        const float change = step * residual[c];
        weights.replace(column * classes_ + c,
                        [&](float old) { return penalties_.stepped(old, change, column, scale); });
      }
    }
  }

  template <typename Weights>
  void write_row(const SparseRow& row, const float* residual, float step_size, float pull_scale,
                 Weights weights) const {
    const auto by_number = [&](auto classes) {
      write_numbers(row, residual, step_size, pull_scale, weights, classes);
    };
    if (classes_ == 2) return by_number(std::integral_constant<std::size_t, 2>{});
    if (classes_ == 3) return by_number(std::integral_constant<std::size_t, 3>{});
    if (classes_ == 4) return by_number(std::integral_constant<std::size_t, 4>{});
    if constexpr (std::is_same_v<Weights, LoadAndStore> && shared_floats_take_vectors) {
      kernels::subtract_sparse_outer({.columns = row.columns,
                                      .values = row.values,
                                      .step_size = step_size,
                                      .pulls = penalties_.pull,
                                      .pull_scale = pull_scale},
                                     {residual, classes_}, weights.values);
    } else {
      by_number(classes_);
    }
  }

  /// `classes`: a number, or a type that is one.
  template <typename Weights, typename Classes>
  void write_numbers(const SparseRow& row, const float* residual, float step_size, float pull_scale,
                     Weights weights, Classes classes) const {
    const float* const pulls = penalties_.pull.data();
    const bool regularised = !penalties_.pull.empty();
    for (std::size_t i = 0; i < row.columns.size(); ++i) {
      const std::size_t first = row.columns[i] * classes;
      const float step = step_size * row.values[i];
      const float pull = regularised ? std::min(pull_scale * pulls[row.columns[i]], 1.0F) : 0.0F;
      for (std::size_t c = 0; c < classes; ++c) {
        const float change = step * residual[c];
        weights.subtract(first + c, [=](float old) { return change + pull * old; });
      }
    }
  }

  std::size_t classes_;
  std::size_t dimension_;
  RowPenalties penalties_;
};

class Softmax final : public Model {
 public:
  Softmax(const Penalties& penalties, const Dataset& train)
      : features_(train.features),
        classes_(static_cast<std::size_t>(train.classes)),
        regularised_(regularised_features(train) * classes_),
        penalties_(penalties) {
    if (!train.sparse) return;
    update_ =
        std::make_unique<SoftmaxSparseUpdate>(classes_, features_, RowPenalties(penalties, train));
  }

  std::size_t dimension() const override { return features_ * classes_; }
  std::vector<TensorShape> tensors() const override { return {{features_, classes_}}; }

  void initialize(Vector parameters, std::uint64_t /*seed*/) const override {
    kernels::set_to_zero(parameters);
  }

  void gradient(ConstVector parameters, Batch batch, Vector gradient,
                Workspace& workspace) const override {
    const InputMatrix input(batch, workspace, input_slot);
    const std::span<float> scores = workspace.floats(score_slot, row_count(batch) * classes_);
    input.times(parameters.floats(), classes_, scores);
    scores_to_residuals(batch, classes_, scores);
    input.weight_gradient(scores, classes_, static_cast<float>(penalties_.l2),
                          parameters.floats().first(regularised_), gradient.floats());
  }

  void descend(Vector parameters, Batch batch, double step_size,
               Workspace& workspace) const override {
    if (penalties_.l2 != 0.0 || !touches_few(batch, features_)) {
      Model::descend(parameters, batch, step_size, workspace);
      return;
    }
    const InputMatrix input(batch, workspace, input_slot);
    const std::span<float> scores = workspace.floats(score_slot, row_count(batch) * classes_);
    const std::span<float> gradient = workspace.gradient(scalar(), dimension()).floats();
    input.times(parameters.floats(), classes_, scores);
    scores_to_residuals(batch, classes_, scores);
    clear_touched(batch, classes_, gradient);
    input.add_sparse_weight_gradient(scores, classes_, gradient);
    descend_touched(batch, classes_, step_size, gradient, parameters.floats(), workspace,
                    input_slot);
  }

  Tally evaluate(ConstVector parameters, Batch batch, Workspace& workspace) const override {
    Tally tally;
    for_each_tile(batch, [&](const RowRange& tile) {
      const InputMatrix input({&tile, 1}, workspace, input_slot);
      const std::span<float> scores = workspace.floats(score_slot, tile.count * classes_);
      input.times(parameters.floats(), classes_, scores);
      tally_scores(tile, classes_, scores, tally);
    });
    return tally;
  }

  std::size_t outputs() const override { return classes_; }

  void scores(ConstVector parameters, Batch batch, std::span<float> scores,
              Workspace& workspace) const override {
    for_each_tile(batch, [&](const RowRange& tile) {
      const InputMatrix input({&tile, 1}, workspace, input_slot);
      input.times(parameters.floats(), classes_, scores.first(tile.count * classes_));
      scores = scores.subspan(tile.count * classes_);
    });
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
  static constexpr std::size_t input_slot = 0;
  static constexpr std::size_t score_slot = 1;

  std::size_t features_;
  std::size_t classes_;
  std::size_t regularised_;  // weights, the first so many
  Penalties penalties_;
  std::unique_ptr<SoftmaxSparseUpdate> update_;
};

}  // namespace

std::unique_ptr<Model> make_softmax(const Penalties& penalties, const Dataset& train) {
  return std::make_unique<Softmax>(penalties, train);
}

}  // namespace trainyard
