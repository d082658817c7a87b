// What an author of a row may have forgotten.
#pragma once

#include <span>
#include <string_view>

#include "trainyard/scheme/scheme.hpp"

namespace trainyard {

/// Calls what the row has of functions besides its programs, for four workers on a ring and with
/// the fallbacks of its hyperparameters. Throws UsageError where one asks for a hyperparameter that
/// the row does not name.
void try_functions(const Scheme& scheme);

/// Throws UsageError unless a worker has minibatches of somebody to take, who is there.
void check_shares(const Scheme& scheme, std::span<const int> shares, int workers);

/// Whether schemes_of_group() knows it.
bool is_group(std::string_view name);

}  // namespace trainyard
