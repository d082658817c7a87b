// Which microbatch each message of a pipeline carries.
//
// No message says so. But stages take microbatches one after another, upwards and downwards in the
// same order (scheme/pipeline.hpp), and messages between two ranks do not overtake each other: so
// the k-th that a stage sends to the one above, or to the one below, carries the k-th microbatch.
//
// Threads: any; a function of its arguments.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "trainyard/configuration/configuration.hpp"
#include "trainyard/runtime/trace.hpp"

namespace trainyard {

struct Microbatches {
  /// "microbatch", counted from 0 in each step; or "minibatch", counted from 0, where a pipeline
  /// never drains and has whole ones under way.
  std::string_view word;
  /// Of each message of the trace; empty of those that go from no stage to the next.
  std::vector<std::optional<std::uint64_t>> of_messages;
};

/// Of a trace that begins with the run. Empty where there are no stages, and where ranks crash, as
/// then a step may be begun anew.
std::optional<Microbatches> microbatches_of(const Trace& trace, const Configuration& resolved);

}  // namespace trainyard
