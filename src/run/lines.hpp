// The cache lines of a run's shared models: what one takes from core to core in simulated time
// (runtime/shared_lines.hpp), and the slices of hot ones that workers have (runtime/hot_lines.hpp).
//
// Threads: any; functions of their arguments, but for the measurement, which is made once and takes
// the machine's cores.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "trainyard/configuration/configuration.hpp"
#include "trainyard/data/dataset.hpp"
#include "trainyard/model/model.hpp"
#include "trainyard/run/notes.hpp"
#include "trainyard/run/plan.hpp"
#include "trainyard/run/run.hpp"
#include "trainyard/runtime/hot_lines.hpp"
#include "trainyard/runtime/shared_lines.hpp"
#include "trainyard/scheme/cast.hpp"

#include "run/objects.hpp"

namespace trainyard {

/// Whether several workers of the run share models whose lines take time.
bool lines_take_time(const Plan& plan);

/// nullptr where none does.
std::unique_ptr<SharedLines> shared_lines(const Plan& plan);

/// Measures it here where that is asked for and one of the schemes needs it, and says what came
/// out, or that lines are free. `c` knows its clock.
void resolve_line_time(Configuration& c, std::span<const RunObjects> all, const Remark& remark);

/// Says, where a visible part of the run's time went to lines, by what that was reckoned.
void remark_on_lines(const Plan& plan, const Summary& summary, const Remark& remark);

/// The hot lines of a cast with slices; empty where it has none. Where nobody said after how many
/// uses they are exchanged, as many as do no harm at the configuration's step size.
HotLines hot_lines_for(const Cast& cast, const Configuration& c, const Dataset& train,
                       const Model& model);

/// Says after how many uses, where nobody chose it; or that no line is hot, so that the run is
/// hogwild's.
void remark_on_slices(const Plan& plan, const Remark& remark);

}  // namespace trainyard
