// What other asynchronous parameter servers share with ps-async: everything but what the server
// does with a gradient.
#pragma once

#include <optional>

#include "trainyard/scheme/scheme.hpp"

namespace trainyard {

/// Pushes a gradient, with the versions that it was taken at; pulls the model; takes the next step.
void ps_async_worker(Worker& worker);

/// c + (n + 1)(α + t): the server's port takes the n gradients one after the other, and the last is
/// answered at once. Empty with several servers, where it depends on which shard comes when.
std::optional<Duration> ps_async_step_time(const StepSetting& setting);

}  // namespace trainyard
