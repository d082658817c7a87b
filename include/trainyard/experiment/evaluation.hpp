// Losses and accuracy over a whole data set, with all cores.
#pragma once

#include <span>

#include "trainyard/data/dataset.hpp"
#include "trainyard/model/model.hpp"

namespace trainyard {

/// The sums do not depend on the number of cores: blocks of 512 rows, combined in order.
Tally evaluate_all(const Model& model, ConstVector parameters, const Dataset& data);

}  // namespace trainyard
