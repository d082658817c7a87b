// The answer to a question of the lab.
//
// Threads: any; two calls share nothing but the account of the program's memory.
#pragma once

#include <atomic>
#include <string>

#include "web/lab_question.hpp"

namespace trainyard {

/// The JSON that `compare --json` prints of the same comparison, with the first steps' messages of
/// each run; of what there is so far where it is interrupted. `alone`: it may use all cores.
///
/// Throws UsageError for a question beyond the lab's bounds, Interrupted where there is nothing.
std::string lab_answer(LabQuestion& question, const LoadedData& data,
                       const std::atomic<bool>& interrupted, bool alone);

}  // namespace trainyard
