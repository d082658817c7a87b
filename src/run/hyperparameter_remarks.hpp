// Hyperparameters that are accepted, and make of a scheme what few will have meant.
//
// Threads: any; these are functions of their arguments.
#pragma once

#include "trainyard/configuration/configuration.hpp"
#include "trainyard/run/notes.hpp"
#include "trainyard/scheme/scheme.hpp"

namespace trainyard {

/// REQUIRES: `c` has all hyperparameters that the scheme takes, and `cast` is of both.
void remark_hyperparameters(const Configuration& c, const Scheme& scheme, const Cast& cast,
                            const Remark& remark);

}  // namespace trainyard
