// Which runs go by keys (collective/working_set.hpp).
//
// Threads: any; these are functions of their arguments.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "trainyard/configuration/configuration.hpp"
#include "trainyard/model/model.hpp"
#include "trainyard/run/notes.hpp"
#include "trainyard/scheme/scheme.hpp"

namespace trainyard {

/// RunContext::key_width of such a run.
std::size_t key_width_of(const Scheme& scheme, const Cast& cast, const Configuration& configuration,
                         const Model& model, const Dataset& train);

/// Says of which of the schemes the regulariser makes messages as long as the model. Where somebody
/// gave --sparse-wire its own note says it; and here, where it is rows that go whole.
void remark_keys(const Configuration& configuration, const std::vector<std::string>& schemes,
                 const Model& model, const Dataset& train, const Remark& remark);

}  // namespace trainyard
