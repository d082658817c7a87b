// What a document says of the settings that its figures are for, beside those that have a member or
// a sentence of their own: the options whose values are not the usual ones.
//
// Threads: any; these are functions of their arguments.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trainyard/configuration/configuration.hpp"
#include "trainyard/configuration/options.hpp"

namespace trainyard {

/// The options of commands in `takers` whose values in `c` are not those in `usual`, in the order
/// of the table; without those of `told`.
std::vector<OptionText> unusual_settings(const Configuration& c, const Configuration& usual,
                                         unsigned takers, std::span<const std::string_view> told);

/// Likewise of a network, beside the latency and the bandwidth of most of its links.
std::vector<OptionText> unusual_settings(const Network& network);

/// ", ports cutthrough, straggler 0:2, charge-control": a switch is its name.
std::string clauses(std::span<const OptionText> settings);

/// ", on-failure restart, checkpoint-every 1, checkpoint-time 50ms": of a run that crashes, or
/// makes checkpoints, what becomes of it.
std::string crash_clauses(const Configuration& c);

}  // namespace trainyard
