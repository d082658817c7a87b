// How long a minibatch's gradient takes on this machine.
#pragma once

#include <cstddef>

#include "trainyard/base/units.hpp"
#include "trainyard/data/dataset.hpp"
#include "trainyard/model/model.hpp"

namespace trainyard {

/// The median over repetitions of the gradient of `batch` rows, one thread, some 50 ms in all.
Duration measure_minibatch_time(const Model& model, const Dataset& train, std::size_t batch);

}  // namespace trainyard
