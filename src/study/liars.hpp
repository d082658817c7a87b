// Liars in a comparison: beside schemes to which some workers lie, one without a rule for liars
// would have none, and win for that alone.
//
// Threads: any; functions of their arguments.
#pragma once

#include "trainyard/configuration/configuration.hpp"

namespace trainyard {

/// Whether somebody lies in the run that it describes.
bool has_liars(const Configuration& c);

/// Throws OptionError, naming --byzantine, where liars are asked for and the scheme has no rule for
/// them. REQUIRES: others of the comparison have some.
void check_spared(const Configuration& c);

}  // namespace trainyard
