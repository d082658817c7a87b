// How long a minibatch takes on this machine, and how long coding a vector does.
//
// Threads: one at a time, with nothing else at work on the machine: it measures.
#pragma once

#include <cstddef>

#include "trainyard/base/units.hpp"
#include "trainyard/data/dataset.hpp"
#include "trainyard/model/model.hpp"
#include "trainyard/runtime/coder.hpp"
#include "trainyard/runtime/optimizer.hpp"

namespace trainyard {

/// The median over repetitions of the gradient of `batch` rows, clipped if the optimizer says so,
/// and of muon's step along it, which may take longer than the gradient; other optimizers' take a
/// small part of it. One thread, some 50 ms in all.
Duration measure_minibatch_time(const Model& model, const Dataset& train, std::size_t batch,
                                const OptimizerOptions& optimizer);

/// Measures a whole step of a Hogwild worker that is alone: on sparse linear models it touches only
/// the coordinates of its rows.
Duration measure_lone_step_time(const Model& model, const Dataset& train, std::size_t batch);

/// Measures what a codec takes on this thread for each number of a vector with these shapes: normal
/// ones, as gradients are. REQUIRES: the shapes are not empty.
CodingTime measure_coding_time(const Codec& codec, Scalar scalar, TensorShapes shapes);

}  // namespace trainyard
