// What a comparison of ways to share one machine's memory found, for people and for programs.
//
// Threads: any; functions of their arguments.
#pragma once

#include <string>

#include "trainyard/study/thread_times.hpp"

namespace trainyard {

std::string thread_times_text(const ThreadTimes& times);
/// {"machine", "cores", "target", "seeds", "most_passes", "at_start", "interrupted", "left_out",
/// "sentence": what the text begins with, "ways": [{"way", "threads", "step_size", "rows_per_s",
/// "passes", "seconds", "half_width_s", "unheard"}, …]}, the soonest first; null for passes and
/// seconds of one that did not come there with all seeds.
std::string thread_times_json(const ThreadTimes& times);

}  // namespace trainyard
