// The output of `run` and `compare`, in the --format that was asked for.
//
// Threads: any; functions of their arguments.
#pragma once

#include <string>
#include <vector>

#include "trainyard/study/comparison.hpp"

namespace trainyard::app {

/// REQUIRES: one result.
std::string run_text(const std::vector<RunResult>& results, const std::string& format);

std::string comparison_text(const Compared& compared, const ComparisonOptions& options,
                            const std::string& format);

}  // namespace trainyard::app
