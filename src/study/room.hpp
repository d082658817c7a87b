// How much memory a run needs.
#pragma once

#include "trainyard/model/model.hpp"
#include "trainyard/study/comparison.hpp"

namespace trainyard {

/// A generous estimate for all its ranks together. REQUIRES: the case is resolved.
double bytes_of_run(const Case& one, const Model& model);

}  // namespace trainyard
