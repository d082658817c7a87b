// The systems of the survey as JSON, for programs that read what `list presets` tells people.
//
// Threads: any; these are functions of their arguments.
#pragma once

#include <span>
#include <string>

#include "trainyard/configuration/preset.hpp"

namespace trainyard {

/// {"presets": [{"name", "system", "source", "scheme", "settings", "spelt_out", "criteria",
/// "emulated", "not_emulated"}, …]}: settings are {"staleness": "3"}, as typed; criteria have the
/// fields of Criteria.
std::string presets_json(std::span<const Preset> presets);

}  // namespace trainyard
