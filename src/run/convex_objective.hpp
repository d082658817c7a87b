// F of a linear model over all training rows in double precision, with its gradient and products
// with its Hessian: what find_optimum() asks of it (trainyard/run/optimum.hpp). A text of its own,
// as the models' kernels are in float: they would not come nearer to the optimum than 1e-8.
//
// Threads: one; it uses oneTBB's. Sums do not depend on their number.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "trainyard/base/function_ref.hpp"
#include "trainyard/data/dataset.hpp"
#include "trainyard/model/model.hpp"

namespace trainyard {

class ConvexObjective {
 public:
  using Doubles = std::vector<double>;

  static bool is_there_for(std::string_view model);

  /// `train` outlives it. REQUIRES: it is there for that model.
  ConvexObjective(const ModelOptions& options, const Dataset& train);

  std::size_t dimension() const { return train_.features * outputs_; }

  /// F at `x`, which gradient() and the others speak of from then on.
  double set(const Doubles& x);
  /// ∇F at `x`. REQUIRES: it was set.
  void gradient(const Doubles& x, Doubles& sum) const;
  /// sum ← ∇²F v.
  void hessian_times(const Doubles& v, Doubles& sum) const;
  void hessian_diagonal(Doubles& sum) const;

 private:
  enum class Loss { logistic, least_squares, softmax };
  using OfRow = FunctionRef<void(std::size_t row, Doubles& sum, Doubles& scratch)>;

  static Loss loss_of(std::string_view model);
  double loss_of_row(std::size_t row, std::span<const double> scores);
  std::span<double> residuals(std::size_t row) {
    return {residuals_.data() + row * outputs_, outputs_};
  }
  std::span<const double> residuals(std::size_t row) const {
    return {residuals_.data() + row * outputs_, outputs_};
  }
  std::span<const double> chances(std::size_t row) const {
    return {chances_.data() + row * outputs_, outputs_};
  }
  /// How much a row counts: ω/n.
  double share(std::size_t row) const {
    return static_cast<double>(train_.weight_of(row)) / static_cast<double>(train_.rows);
  }
  void take_scores(std::size_t row, const Doubles& x, std::span<double> scores) const;
  void add_row(std::size_t row, std::span<const double> factors, Doubles& sum) const;
  void sum_over_rows(Doubles& sum, OfRow add) const;
  void add_penalty(const Doubles& v, Doubles& sum) const;

  const Dataset& train_;
  const Loss loss_;
  const std::size_t outputs_;      // scores of a row
  const std::size_t regularised_;  // so many parameters are, the first ones
  const double l2_;
  Doubles residuals_;  // of each row, ∂loss/∂scores
  /// Of each row: of softmax the classes' probabilities, else the loss's second derivative.
  Doubles chances_;
};

}  // namespace trainyard
