// Networks that hurry nobody the same way twice.
#pragma once

#include "trainyard/base/random.hpp"
#include "trainyard/network/network.hpp"

namespace trainyard::test {

/// Latency, bandwidth and jitter at random.
inline Network random_network(RandomStream& random) {
  Network network;
  network.latency = seconds(1e-3 * random.uniform());
  network.bytes_per_second = 1e4 * (1 + 1e3 * random.uniform());
  network.jitter = {Jitter::Kind::exponential, seconds(2e-3)};
  network.seed = random.below(1000);
  return network;
}

}  // namespace trainyard::test
