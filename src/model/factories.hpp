// One maker for each model; the registry's table names them.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "trainyard/model/model.hpp"

namespace trainyard {

/// Throws UsageError unless there are two classes.
std::unique_ptr<Model> make_logistic(const Penalties& penalties, const Dataset& train);
/// Throws UsageError unless labels are real numbers or of two classes.
std::unique_ptr<Model> make_least_squares(const Penalties& penalties, const Dataset& train);
std::unique_ptr<Model> make_softmax(const Penalties& penalties, const Dataset& train);
/// Throws UsageError unless rows are dense and of an even number of features.
std::unique_ptr<Model> make_quadratic(const Penalties& penalties, const Dataset& train);
/// `hidden`: units of each hidden layer, first to last. REQUIRES: none is zero.
std::unique_ptr<Model> make_mlp(const Penalties& penalties, const Dataset& train,
                                const std::vector<std::size_t>& hidden);

}  // namespace trainyard
