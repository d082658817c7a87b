// What asynchronous elastic schemes share: the centre.
#pragma once

#include "trainyard/runtime/server.hpp"

namespace trainyard {

/// Answers each replica that comes with the centre c as it is, and then moves it: c ← c + a (x −
/// c), a being --moving-rate over the number of workers.
void serve_centre(Server& server);

}  // namespace trainyard
