// Shared by schemes whose workers talk to their neighbours in a graph.
#pragma once

#include <cstddef>
#include <optional>

#include "trainyard/scheme/scheme.hpp"

namespace trainyard {

/// Steps, and averages over the round's graph.
void gossip_worker(Worker& worker);

/// The row with which each neighbour counts `weight`, whatever its weight in the graph.
MixingRow links_that_count(double weight, MixingRow row);

/// c + Δ(α + t): a gradient, and then the model, with `more_numbers` that go along, to and from
/// each of Δ neighbours. Empty over graphs in which some messages wait for others.
std::optional<Duration> adapt_then_combine_time(StepSetting setting, std::size_t more_numbers = 0);

/// The first step where so many vectors go to and from each neighbour after every --period steps:
/// c, and where that is 1 their rounds.
std::optional<Duration> combine_now_and_then_time(const StepSetting& setting, int vectors = 1);

/// max(c, Δ(α + t)): so many vectors of the model's size to and from each neighbour meanwhile.
std::optional<Duration> combine_while_adapting_time(const StepSetting& setting, int vectors = 1);

}  // namespace trainyard
