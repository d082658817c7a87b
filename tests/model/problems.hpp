// Small random problems in both storages, and what the models promise computed the slow way, in
// double and straight from the definitions.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "trainyard/data/batch.hpp"
#include "trainyard/model/model.hpp"

namespace trainyard::test {

/// The same rows twice. About `density` of the entries are not zero; some rows are all zero, but
/// for the intercept where there is one. With one class the labels are real numbers.
struct Problem {
  Dataset dense;
  Dataset sparse;
};
Problem make_problem(std::uint64_t seed, std::size_t rows, std::size_t features, int classes,
                     double density, bool intercept = false);

/// Row numbers as a batch of ranges of the given data, consecutive rows joined.
std::vector<RowRange> batch_of(const Dataset& data, const std::vector<std::size_t>& rows);
std::vector<RowRange> whole(const Dataset& data);

/// F(w) over the given rows of dense data: mean loss + (λ/2)‖weights‖², in double. `name` is that
/// of the model, of the forms "logistic", "least-squares", "softmax", "mlp:4,3".
double reference_objective(const std::string& name, double l2, const Dataset& dense,
                           const std::vector<std::size_t>& rows,
                           std::span<const double> parameters);

/// Central differences of the reference objective.
std::vector<double> reference_gradient(const std::string& name, double l2, const Dataset& dense,
                                       const std::vector<std::size_t>& rows,
                                       std::span<const float> parameters);

/// Parameters of the size the model wants, each normal with the given deviation.
std::vector<float> random_parameters(const Model& model, std::uint64_t seed, double deviation);

/// The model's gradient in fresh memory that held NaN.
std::vector<float> gradient_of(const Model& model, std::span<const float> parameters, Batch batch);

/// Largest difference relative to the largest element.
double relative_error(std::span<const float> found, std::span<const double> expected);

}  // namespace trainyard::test
