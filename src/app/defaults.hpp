// What every command assumes where nobody says otherwise: a network on which schemes differ, and
// what computing a minibatch takes where it is not measured.
#pragma once

#include <chrono>

#include "trainyard/configuration/configuration.hpp"

namespace trainyard::app {

/// 100 µs a message and 1 Gbps: Ethernet between machines.
inline Configuration default_configuration() {
  Configuration configuration;
  configuration.network.latency = std::chrono::microseconds(100);
  configuration.network.bytes_per_second = 125e6;
  return configuration;
}

/// Of predictions, and of training on the built-in data set: there a minibatch takes 2 µs, next to
/// which any network is slow, and how long exactly differs from machine to machine. 1 ms is what
/// one of a model some hundred times as large takes: computing and messages then cost about the
/// same, and everybody sees the same table.
inline constexpr Duration default_compute_time = std::chrono::milliseconds(1);

}  // namespace trainyard::app
