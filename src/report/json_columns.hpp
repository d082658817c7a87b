// The curves and ranks behind a run's summary, as JSON: an object of columns, each an array, so
// that a key is written once and not with each number. A column that has no number at all is null.
// And its notes.
//
// Threads: any; these are functions of their arguments.
#pragma once

#include <optional>
#include <span>

#include <nlohmann/json_fwd.hpp>

#include "trainyard/run/microbatches.hpp"
#include "trainyard/run/run.hpp"
#include "trainyard/runtime/trace.hpp"

namespace trainyard {

nlohmann::ordered_json evaluation_columns(std::span<const Metrics> metrics);
/// "role" is "worker" or "server"; times in seconds.
nlohmann::ordered_json rank_columns(const RunResult& result);
/// {"staleness": [0, 2], "updates": [10, 3]}: those that occurred; null where there is none.
nlohmann::ordered_json staleness_columns(const Staleness& staleness);
/// "carries" is "microbatch" or "minibatch" where messages have a number of one ("carried"), and
/// null where they have none.
nlohmann::ordered_json trace_columns(const Trace& trace,
                                     const std::optional<Microbatches>& microbatches);
/// {"latency": "1ms", …}: what it found and did not choose (study/circumstances.hpp).
nlohmann::ordered_json circumstances_object(const RunResult& result);
/// ["topology"]: what is varied and its scheme does not take (study/same_runs.hpp).
nlohmann::ordered_json not_taken_array(const RunResult& result);
/// [{"about", "text"}, …]
nlohmann::ordered_json notes_array(std::span<const Note> notes);

}  // namespace trainyard
