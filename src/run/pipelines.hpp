// How a run's workers form pipelines where it leaves that open.
#pragma once

#include <functional>
#include <string>

#include "trainyard/configuration/configuration.hpp"
#include "trainyard/data/catalog.hpp"
#include "trainyard/scheme/scheme.hpp"

namespace trainyard {

/// Sets the hyperparameters "stages" and "microbatches" of a scheme that has them: as many stages
/// as divide the workers and the model has layers for, or the groups of "tensor-size" workers and
/// pairs of layers, and as many microbatches as the scheme usually has, or rows. `say` is told
/// where a model has no layers to cut. Throws OptionError where more microbatches are asked for
/// than there are rows, or for groups that do not divide the workers.
void resolve_pipelines(Configuration& c, const Scheme& scheme, const LoadedData& data,
                       const std::function<void(const std::string&)>& say);

/// The greatest number of stages that divides so many workers, or groups of them, and has layers:
/// so many together, but for the last.
int most_stages(int groups, int together, const Model& model);

}  // namespace trainyard
