// How long a run goes on, and what its schedules go by: from epochs to steps.
//
// Threads: any; these are functions of their arguments.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "trainyard/configuration/configuration.hpp"
#include "trainyard/data/catalog.hpp"
#include "trainyard/scheme/scheme.hpp"

namespace trainyard {

/// Sets `steps`. REQUIRES: the hyperparameters of these schemes are complete; of several, an epoch
/// is that of the one which takes the fewest steps for it.
void resolve_budget(Configuration& c, const std::vector<std::string>& schemes,
                    const LoadedData& data);

/// Schedules have to know how long a step is in epochs, and one that spans the run its length.
/// Throws OptionError where that is not known. REQUIRES: as resolve_budget(), which was called.
void resolve_schedule(Configuration& c, const std::vector<std::string>& schemes,
                      const LoadedData& data);

/// For schemes that exchange something less often than the run has steps.
void remark_rare_meetings(const Configuration& c, const std::vector<std::string>& schemes,
                          const std::function<void(const std::string&)>& remark);

}  // namespace trainyard
