// The defaults of every command and of the lab: a network on which schemes differ, and what
// computing a minibatch takes where it is not measured.
//
// Threads: any; these are functions of their arguments.
#pragma once

#include <chrono>

#include "trainyard/configuration/configuration.hpp"

namespace trainyard {

/// 100 µs a message and 1 Gbps: Ethernet between machines.
inline Configuration default_configuration() {
  Configuration configuration;
  configuration.network.latency = std::chrono::microseconds(100);
  configuration.network.bytes_per_second = 125e6;
  return configuration;
}

/// Defaults of ranks that are processes: the machine's clock, and only the network that they have.
inline Configuration process_defaults() {
  Configuration configuration;
  configuration.time = TimeMode::wall;
  return configuration;
}

/// A default of predictions and of training on the built-in data set. There a minibatch takes 2 µs,
/// next to which any network is slow, and how long exactly differs from machine to machine. 1 ms is
/// what one of a model some hundred times as large takes: computing and messages then cost about
/// the same, and everybody sees the same table.
inline constexpr Duration default_compute_time = std::chrono::milliseconds(1);

/// Defaults of training on the built-in data set, by either clock: training is the same.
inline Configuration on_built_in_set(Configuration configuration, TimeMode time) {
  if (time != TimeMode::wall) configuration.compute_time = default_compute_time;
  configuration.optimizer.lr = 4.0;  // rows have length 1, so the loss is 0.25-smooth
  // A mean over few rows has no best step size without it: the longer, the better.
  configuration.l2 = 1e-4;
  return configuration;
}

inline Configuration built_in_defaults() {
  return on_built_in_set(default_configuration(), TimeMode::simulated);
}

/// Whether those are to be used.
inline bool is_on_built_in_set(const Configuration& configuration) {
  return configuration.dataset == Configuration{}.dataset;
}

}  // namespace trainyard
