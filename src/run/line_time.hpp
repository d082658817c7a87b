// What a cache line of a shared model takes from core to core in a run's simulated time
// (runtime/shared_lines.hpp).
//
// Threads: any; functions of their arguments, but for the measurement, which is made once and takes
// the machine's cores.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "trainyard/configuration/configuration.hpp"
#include "trainyard/run/notes.hpp"
#include "trainyard/run/plan.hpp"
#include "trainyard/run/run.hpp"
#include "trainyard/runtime/shared_lines.hpp"

namespace trainyard {

/// Whether several workers of the run share models whose lines take time.
bool lines_take_time(const Plan& plan);

/// nullptr where none does.
std::unique_ptr<SharedLines> shared_lines(const Plan& plan);

/// Measures it here where that is asked for and one of the schemes needs it, and says what came
/// out, or that lines are free. `c` knows its clock.
void resolve_line_time(Configuration& c, const std::vector<std::string>& schemes,
                       const Remark& remark);

/// Where a part of the run's time that can be seen went to lines: by what that was reckoned.
void remark_on_lines(const Plan& plan, const Summary& summary, const Remark& remark);

}  // namespace trainyard
