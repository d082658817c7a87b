// Names of counts that one leg of a run leaves to the next (RunState::count()), where who counts
// and who goes on from there are not the same.
#pragma once

#include <string_view>

namespace trainyard {

/// Of a worker: the steps that it has done. The pacer counts them.
inline constexpr std::string_view steps_name = "steps";

}  // namespace trainyard
