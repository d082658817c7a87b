// The slices of hot lines that workers of a run have (runtime/hot_lines.hpp).
//
// Threads: any; functions of their arguments.
#pragma once

#include "trainyard/configuration/configuration.hpp"
#include "trainyard/data/dataset.hpp"
#include "trainyard/model/model.hpp"
#include "trainyard/run/notes.hpp"
#include "trainyard/run/plan.hpp"
#include "trainyard/runtime/hot_lines.hpp"
#include "trainyard/scheme/cast.hpp"

namespace trainyard {

/// Those that a cast with slices has; empty where it has none. Where nobody said after how many
/// uses they are exchanged, as many as do no harm at the configuration's step size.
HotLines hot_lines_for(const Cast& cast, const Configuration& c, const Dataset& train,
                       const Model& model);

/// Where nobody said it, after how many; or that no line is hot, so that the run is hogwild's.
void remark_on_slices(const Plan& plan, const Remark& remark);

}  // namespace trainyard
