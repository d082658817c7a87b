// What was seen of the ranks' threads, a column each: for ranks.csv, JSON and the table of
// counters.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "trainyard/run/run.hpp"

namespace trainyard {

/// A value a rank; empty where it is not available.
struct ObservedColumn {
  std::string key, heading;
  std::vector<std::optional<std::uint64_t>> values;
};

/// In `wall` core, node and moves; with --counters also what was counted. Otherwise none.
std::vector<ObservedColumn> observed_columns(const RunResult& result);

}  // namespace trainyard
