// The weight of unequal shares of the data in what is minimised (scheme/share_rule.hpp).
//
// Threads: any; functions of their arguments.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "trainyard/configuration/configuration.hpp"
#include "trainyard/data/dataset.hpp"
#include "trainyard/run/notes.hpp"
#include "trainyard/scheme/cast.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "run/objects.hpp"

namespace trainyard {

/// The set over which the run minimises the mean loss.
ShareWeights weights_of(const Scheme& scheme, const Configuration& c);

/// Throws OptionError for --weights that the scheme cannot heed.
void check_weights(const Scheme& scheme, const Cast& cast, const Configuration& c);

/// The factor of each worker's gradients; empty: 1.
std::vector<double> loss_weights(const Scheme& scheme, const Configuration& c,
                                 const std::vector<std::vector<std::uint32_t>>& parts);

/// Names shares of the data that are unequal, and what each scheme makes of them. They are divided
/// for it where the rule may make them so.
void remark_unequal_shares(const Configuration& c, std::span<const RunObjects> all,
                           const Dataset& train, const Remark& remark);

}  // namespace trainyard
