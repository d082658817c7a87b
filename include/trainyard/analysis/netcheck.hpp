// The network's own truth: each collective's closed form beside what the emulation takes.
//
// Threads: the calling one, and those that the run starts, which have ended when it returns. An
// exception of any rank ends the others and is rethrown.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "trainyard/collective/all_reduce.hpp"
#include "trainyard/collective/primitive_table.hpp"
#include "trainyard/configuration/configuration.hpp"
#include "trainyard/network/network.hpp"

namespace trainyard {

struct NetcheckOptions {
  int workers = 8;
  int servers = 2;              // shards of ps-sharded, groups of hierarchical
  std::size_t length = 262144;  // floats
  Network network;              // uniform, circuit ports: what the closed forms are for
  TimeMode time = TimeMode::simulated;
  int repetitions = 20;                      // in wall; in virtual all would be alike
  Placement placement = Placement::compact;  // in wall
};

struct NetcheckRow {
  std::string collective;
  int workers = 0;
  std::uint64_t messages_per_rank = 0, bytes_per_rank = 0;  // sent by the worker that sends most
  double closed_form_s = 0.0;
  double measured_s = 0.0;      // in wall the median over repetitions
  double measured_p99_s = 0.0;  // in virtual the same
  double ratio = 1.0;           // measured to closed form; 1 where both are 0
};

/// Whether the collective of that name takes so many servers, or groups, as it is given.
bool depends_on_servers(std::string_view collective);

/// Runs the collective from lock-step, on vectors of zeros.
NetcheckRow netcheck(const AllReduce& way, const NetcheckOptions& options);
/// Likewise for a primitive. One that carries no bytes is timed on a network that charges control
/// traffic.
NetcheckRow netcheck(const Primitive& primitive, const NetcheckOptions& options);

}  // namespace trainyard
