// Runs on a network that loses messages for good (--retransmit never): for schemes alone that go on
// without them.
//
// Threads: any; a function of its arguments.
#pragma once

#include "trainyard/configuration/configuration.hpp"
#include "trainyard/scheme/scheme.hpp"

namespace trainyard {

/// Throws OptionError, naming --retransmit, where the scheme sends something and does not take
/// datagrams.
void check_datagrams(const Scheme& scheme, const Cast& cast, const Configuration& c);

}  // namespace trainyard
