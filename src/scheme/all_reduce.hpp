// What schemes share that reduce over all workers in the way that --collective says.
#pragma once

#include "trainyard/scheme/scheme.hpp"

namespace trainyard {

/// The program of the servers that some collectives have.
void all_reduce_server(Server& server);

/// c, and an all-reduce of one vector of the model's size.
Duration all_reduce_step_time(const StepSetting& setting, const AllReduce& way);

}  // namespace trainyard
