// Linear regression by least squares: loss(w; x, y) = ½ (x·w − y)², y the row's target, a real
// number. Of data with two classes y is +1 for class 1 and −1 for class 0, and the sign of x·w says
// the class. The residual is x·w − y.
//
// A residual is the difference of two floats, so that near the optimum a gradient is exact to about
// 6e-8 of the targets' size and no better.
#include <fmt/format.h>

#include "trainyard/base/error.hpp"
#include "trainyard/model/kernels.hpp"

#include "model/batch_rows.hpp"
#include "model/factories.hpp"
#include "model/linear_model.hpp"

namespace trainyard {
namespace {

/// visit(r, y of the range's row r) for each row. The kind of labels is asked for once a range.
template <typename Visit>
void for_each_target(const RowRange& range, const Visit& visit) {
  if (range.data->targets.empty()) {
    const std::span<const Label> labels = labels_of(range);
    for (std::size_t r = 0; r < range.count; ++r) visit(r, sign_of(labels[r]));
  } else {
    const float* targets = range.data->targets.data() + range.first;
    for (std::size_t r = 0; r < range.count; ++r) visit(r, targets[r]);
  }
}

struct SquaredLoss {
  static void to_residuals(const RowRange& range, float scale, std::span<float> margins) {
    for_each_target(range, [&](std::size_t r, float y) { margins[r] = scale * (margins[r] - y); });
  }

  /// A real number is never hit, so that none of them is correct.
  static void add_to(Tally& tally, const RowRange& range, std::span<const float> margins) {
    const bool classes = range.data->targets.empty();
    for_each_target(range, [&](std::size_t r, float y) {
      const double off = static_cast<double>(margins[r]) - static_cast<double>(y);
      add_row(range, r, 0.5 * off * off, classes && (margins[r] > 0.0F) == (y > 0.0F), tally);
    });
  }

  static float first_y(const RowRange& range) {
    if (range.data->targets.empty()) return sign_of(labels_of(range).front());
    return range.data->targets[range.first];
  }
  static constexpr auto step = kernels::least_squares_step;
};

}  // namespace

std::unique_ptr<Model> make_least_squares(const Penalties& penalties, const Dataset& train) {
  if (train.targets.empty() && train.classes != 2) {
    throw OptionError("model", "least-squares",
                      fmt::format("it takes real numbers as labels, or two classes; the data set "
                                  "has {}; accepted here: softmax, mlp:H1,H2,…",
                                  train.classes));
  }
  return std::make_unique<LinearModel<SquaredLoss>>(penalties, train);
}

}  // namespace trainyard
