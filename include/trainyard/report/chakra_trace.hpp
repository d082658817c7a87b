// A timeline as execution traces in Chakra's format, which ASTRA-sim reads: a file for each rank,
// PREFIX.0.et, PREFIX.1.et …
//
// Nodes are COMP_NODE, COMM_SEND_NODE and COMM_RECV_NODE of MLCommons' schema
// (chakra/schema/protobuf/et_def.proto), written with their lengths before them behind a
// GlobalMetadata. What each waits for is in data_deps; a message's comm_tag is its place in the
// order of posts. What is computed takes whole microseconds, as the format has no smaller ones.
// Messages of a rank are one behind the other by ASTRA-sim's rule that a rank sends one at a time,
// and not by dependencies. One that has no bytes, and is charged for all the same, has one byte
// here, as ASTRA-sim's networks take none without. The rest is what a GOAL schedule has
// (report/goal_text.hpp).
//
// Threads: any; a function of its argument.
#pragma once

#include <string>
#include <vector>

#include "trainyard/analysis/timeline.hpp"

namespace trainyard {

/// The bytes of each rank's file. Throws UsageError where messages take no time, or are lost for
/// good.
std::vector<std::string> chakra_traces(const Timeline& timeline);

}  // namespace trainyard
