// What a run leaves open about coding, and what does not go together.
//
// Threads: any; these are functions of their arguments.
#pragma once

#include <string>
#include <vector>

#include "trainyard/configuration/configuration.hpp"
#include "trainyard/model/model.hpp"
#include "trainyard/run/notes.hpp"

namespace trainyard {

/// Sets encode_time and decode_time where one of the schemes encodes and nobody said them: what is
/// usual, or, where computing is measured, what it takes here.
void resolve_coding_time(Configuration& c, const std::vector<std::string>& schemes,
                         const Model& model, bool measured, const Remark& remark);

/// Warns of a codec that lacks what the scheme's rule needs of it.
void remark_codec(const Configuration& c, const std::vector<std::string>& schemes,
                  const Model& model, const Remark& remark);

}  // namespace trainyard
