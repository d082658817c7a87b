// Decides what a run leaves open: how long it goes on and what its schedules go by, and what coding
// takes; with what there is to say of messages.
//
// Threads: any; these are functions of their arguments.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>

#include "trainyard/configuration/configuration.hpp"
#include "trainyard/data/catalog.hpp"
#include "trainyard/model/model.hpp"
#include "trainyard/run/notes.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "run/objects.hpp"

namespace trainyard {

/// Sets `steps`. REQUIRES: the hyperparameters of these schemes are complete; of several, an epoch
/// is that of the one which takes the fewest steps for it.
void resolve_budget(Configuration& c, std::span<const RunObjects> all, const LoadedData& data);

/// How often checkpoints are made, where they are asked for. Throws OptionError where the run or a
/// scheme cannot be divided into legs (run/checkpoint.hpp).
void resolve_checkpoints(Configuration& c, std::span<const RunObjects> all);

/// Schedules have to know how long a step is in epochs, and one that spans the run its length.
/// Throws OptionError where that is not known. REQUIRES: as resolve_budget(), which was called.
void resolve_schedule(Configuration& c, std::span<const RunObjects> all, const LoadedData& data);

/// For schemes that exchange something less often than the run has steps.
void remark_rare_meetings(const Configuration& c, std::span<const RunObjects> all,
                          const std::function<void(const std::string&)>& remark);

/// Sets encode_time and decode_time where one of the schemes encodes and nobody said them: what is
/// usual, or, where computing is measured, what it takes here.
void resolve_coding_time(Configuration& c, std::span<const RunObjects> all, const Model& model,
                         bool measured, const Remark& remark);

/// Warns of a codec that lacks what the scheme's rule needs of it.
void remark_codec(const Configuration& c, std::span<const RunObjects> all, const Model& model,
                  const Remark& remark);

/// Says of which of the schemes the regulariser makes messages as long as the model. Where somebody
/// gave --sparse-wire its own note says it; and here, where it is rows that go whole.
void remark_keys(const Configuration& configuration, std::span<const RunObjects> all,
                 const Model& model, const Dataset& train, const Remark& remark);

}  // namespace trainyard
