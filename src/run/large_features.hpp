// Features that an optimizer with squares of gradients cannot follow.
#pragma once

#include <optional>
#include <string>

#include "trainyard/base/vector.hpp"
#include "trainyard/data/dataset.hpp"
#include "trainyard/runtime/optimizer.hpp"

namespace trainyard {

/// What to say where a feature is finite and its square is not. Adagrad and Adam divide a gradient,
/// of the size of the feature, by the root of summed squares: a square that is infinite leaves the
/// parameter where it is, without a word. Empty where that cannot be.
std::optional<std::string> remark_on_squares(OptimizerKind optimizer, Scalar of_model,
                                             const Dataset& train);

}  // namespace trainyard
