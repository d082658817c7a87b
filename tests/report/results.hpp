// A finished run as the reports see it, without running anything.
#pragma once

#include "trainyard/run/run.hpp"

namespace trainyard {

/// Every figure set.
RunResult full_result(const std::string& scheme);
/// No test set, target, staleness or replicas.
RunResult bare_result(const std::string& scheme);

}  // namespace trainyard
