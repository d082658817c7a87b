#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "run/remarks.hpp"

namespace trainyard {

std::optional<std::string> remark_on_squares(OptimizerKind optimizer, Scalar of_model,
                                             const Dataset& train) {
  const bool squares = optimizer == OptimizerKind::adagrad || optimizer == OptimizerKind::adam ||
                       optimizer == OptimizerKind::adamw;
  if (!squares || of_model != Scalar::float32) return std::nullopt;
  if (!train.unchecked_file.empty()) return std::nullopt;  // who has looked at its rows says it
  float largest = 0.0F;
  for (const float value : train.sparse ? train.values.span() : train.dense.span()) {
    largest = std::max(largest, std::abs(value));
  }
  if (std::isfinite(largest * largest)) return std::nullopt;
  return fmt::format(
      "warning: a feature is as large as {:.3g}; where the square of a gradient is beyond a float "
      "({:.3g}), {} leaves the parameter where it is; scaled features are followed",
      largest, std::numeric_limits<float>::max(), optimizer_text(optimizer));
}

}  // namespace trainyard
