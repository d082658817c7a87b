// Logistic regression: loss(w; x, y) = log(1 + exp(-y x·w)), y = +1 for class 1 and -1 for class 0.
// With margin m = x·w, ∂loss/∂m = -y / (1 + exp(y m)).
#include <algorithm>
#include <cmath>

#include "trainyard/base/error.hpp"
#include "trainyard/model/kernels.hpp"

#include "model/batch_rows.hpp"
#include "model/factories.hpp"
#include "model/linear_model.hpp"

namespace trainyard {
namespace {

/// ∂loss/∂margin = -y / (1 + exp(y m)): neither tail cancels, and an exponential that overflows
/// gives the right zero.
float residual_at(float margin, Label label) {
  const float y = sign_of(label);
  return -y / (1.0F + std::exp(y * margin));
}

/// log(1 + exp(-y m)) = max(z, 0) + log(1 + exp(-|z|)) with z = -y m: exact at any margin.
float loss_at(float margin, Label label) {
  const float z = label == 1 ? -margin : margin;
  return std::max(z, 0.0F) + std::log1p(std::exp(-std::abs(z)));
}

struct LogisticLoss {
  static void to_residuals(const RowRange& range, float scale, std::span<float> margins) {
    const std::span<const Label> labels = labels_of(range);
    // A vector's sigmoid takes 20 ns however few its lanes, a scalar's 5: for a sparse step of one
    // row of 60 nonzeros that is 1.43 or 1.18 ns a nonzero.
    constexpr std::size_t worth_a_vector = 5;
    if (labels.size() < worth_a_vector) {
      for (std::size_t r = 0; r < labels.size(); ++r) {
        margins[r] = scale * residual_at(margins[r], labels[r]);
      }
      return;
    }
    for (std::size_t r = 0; r < labels.size(); ++r) margins[r] *= -sign_of(labels[r]);
    kernels::sigmoid(margins);
    for (std::size_t r = 0; r < labels.size(); ++r) margins[r] *= -sign_of(labels[r]) * scale;
  }

  static void add_to(Tally& tally, const RowRange& range, std::span<const float> margins) {
    const std::span<const Label> labels = labels_of(range);
    for (std::size_t r = 0; r < range.count; ++r) {
      const bool hit = (margins[r] > 0.0F) == (labels[r] == 1);
      add_row(range, r, static_cast<double>(loss_at(margins[r], labels[r])), hit, tally);
    }
  }

  static float first_y(const RowRange& range) { return sign_of(labels_of(range).front()); }
  static constexpr auto step = kernels::logistic_step;
};

}  // namespace

std::unique_ptr<Model> make_logistic(const Penalties& penalties, const Dataset& train) {
  if (train.classes != 2) {
    throw UsageError("model 'logistic' needs two classes, the data set has " +
                     std::to_string(train.classes) + "; accepted here: softmax, mlp:H1,H2,…");
  }
  return std::make_unique<LinearModel<LogisticLoss>>(penalties, train);
}

}  // namespace trainyard
