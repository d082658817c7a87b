// Checks for what an author of a row may have forgotten.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "trainyard/scheme/scheme.hpp"

namespace trainyard {

/// Calls what the row has of functions besides its programs, for four workers on a ring and with
/// the fallbacks of its hyperparameters. Throws UsageError where one asks for a hyperparameter that
/// the row does not name.
void try_functions(const Scheme& scheme);

/// Throws UsageError for a cast that cannot run: without a worker, with a program that is missing,
/// or with workers that take the minibatches of nobody, or of somebody who is not there.
void check_cast(const Scheme& scheme, const Cast& made, int workers);

/// The same for the workers' parts of a model of `dimension` parameters: each parameter is held by
/// as many workers, and everybody holds something.
void check_holdings(const Scheme& scheme, const Cast& cast, std::span<const Holding> holdings,
                    std::size_t dimension);

/// Whether schemes_of_group() knows it.
bool is_group(std::string_view name);

}  // namespace trainyard
