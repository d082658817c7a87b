// A quadratic whose minimum everybody knows: row r of the data is a function f_r(x) = ½ Σ_j h_rj
// (x_j − b_rj)², written h_1 … h_d, b_1 … b_d, and F is their mean: x* = Σ h_r b_r / Σ h_r in every
// coordinate. Every scheme's trajectory on it can be worked out on paper, so its parameters are
// double.
//
// With as many rows as workers, --partition contiguous and --batch 1, each worker has a function of
// its own: what theory calls heterogeneous data.
#include <cmath>

#include <fmt/format.h>

#include "trainyard/base/error.hpp"
#include "trainyard/model/kernels.hpp"

#include "model/batch_rows.hpp"
#include "model/factories.hpp"

namespace trainyard {
namespace {

class Quadratic final : public Model {
 public:
  Quadratic(const Penalties& penalties, std::size_t dimension)
      : dimension_(dimension), penalties_(penalties) {}

  std::size_t dimension() const override { return dimension_; }
  Scalar scalar() const override { return Scalar::float64; }

  void initialize(Vector parameters, std::uint64_t /*seed*/) const override {
    kernels::set_to_zero(parameters);
  }

  void gradient(ConstVector parameters, Batch batch, Vector gradient,
                Workspace& /*workspace*/) const override {
    const std::size_t rows = row_count(batch);
    require(rows > 0, "a gradient over no rows");
    const std::span<const double> x = parameters.doubles();
    const std::span<double> sum = gradient.doubles();
    kernels::set_to_zero(gradient);
    for_each_row(batch, [&](double weight, std::span<const float> h, std::span<const float> b) {
      for (std::size_t j = 0; j < x.size(); ++j) {
        sum[j] += weight * static_cast<double>(h[j]) * (x[j] - static_cast<double>(b[j]));
      }
    });
    for (std::size_t j = 0; j < x.size(); ++j) {
      sum[j] = sum[j] / static_cast<double>(rows) + penalties_.l2 * x[j];
    }
  }

  /// There are no classes, so none is right.
  Tally evaluate(ConstVector parameters, Batch batch, Workspace& /*workspace*/) const override {
    const std::span<const double> x = parameters.doubles();
    Tally tally;
    for_each_row(batch, [&](double weight, std::span<const float> h, std::span<const float> b) {
      for (std::size_t j = 0; j < x.size(); ++j) {
        const double off = x[j] - static_cast<double>(b[j]);
        tally.loss_sum += weight * 0.5 * static_cast<double>(h[j]) * off * off;
      }
    });
    for (const RowRange& range : batch) count_rows(range, tally);
    return tally;
  }

  double penalty(ConstVector parameters) const override {
    double squares = 0.0, absolute = 0.0;
    for (const double x : parameters.doubles()) {
      squares += x * x;
      absolute += std::abs(x);
    }
    return 0.5 * penalties_.l2 * squares + penalties_.l1 * absolute;
  }

  AbsolutePenalty absolute_penalty() const override {
    return absolute_penalty_of(penalties_, {{0, dimension_}});
  }

 private:
  template <typename Visit>
  void for_each_row(Batch batch, const Visit& visit) const {
    for (const RowRange& range : batch) {
      for (std::size_t r = range.first; r < range.first + range.count; ++r) {
        const std::span<const float> row = range.data->dense_row(r);
        visit(static_cast<double>(range.data->weight_of(r)), row.first(dimension_),
              row.subspan(dimension_));
      }
    }
  }

  std::size_t dimension_;
  Penalties penalties_;
};

}  // namespace

std::unique_ptr<Model> make_quadratic(const Penalties& penalties, const Dataset& train) {
  if (train.sparse || train.features == 0 || train.features % 2 != 0) {
    throw OptionError(
        "model", "quadratic",
        fmt::format("found {} data with {} features; expected dense rows of h_1 "
                    "… h_d, b_1 … "
                    "b_d (--dataset FILE.csv, whose first column is a label that is not used)",
                    train.sparse ? "sparse" : "dense", train.features));
  }
  return std::make_unique<Quadratic>(penalties, train.features / 2);
}

}  // namespace trainyard
