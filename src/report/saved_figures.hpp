// Whether the figures of a saved summary are what a run writes: whoever reads them, a page too,
// may rely on it.
//
// Threads: any.
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace trainyard {

/// Throws UsageError, "KEY is FOUND; expected a whole number": for a figure of another kind than
/// the table has (run/figures.hpp). One that is missing is of an earlier version. `summary` is an
/// object.
void check_figures(const nlohmann::ordered_json& summary);

}  // namespace trainyard
