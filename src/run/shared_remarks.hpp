// What is worth saying at the end of a run on a shared model.
//
// Threads: the one that made the run.
#pragma once

#include "trainyard/configuration/configuration.hpp"
#include "trainyard/data/dataset.hpp"
#include "trainyard/model/model.hpp"
#include "trainyard/run/notes.hpp"
#include "trainyard/run/run.hpp"
#include "trainyard/scheme/cast.hpp"

namespace trainyard {

/// Where workers mostly write what others have just written, they wait for cache lines, and all of
/// them together may be slower than one. How much data it takes differs from processor to
/// processor, so one is timed alone. Of runs in `wall`.
void remark_whether_sharing_pays(const Configuration& config, const Model& model,
                                 const Dataset& train, const Summary& summary,
                                 const Remark& remark);

/// What steps beyond the range of a model in few bits leave behind.
void remark_ends_of_range(const Cast& cast, ConstVector model, const Remark& remark);

}  // namespace trainyard
