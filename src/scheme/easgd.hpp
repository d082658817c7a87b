// Shared by elastic schemes: the centre, the worker's side of an exchange with it, and its
// hyperparameters.
#pragma once

#include <cstdint>
#include <vector>

#include "trainyard/base/aligned_buffer.hpp"
#include "trainyard/runtime/server.hpp"
#include "trainyard/scheme/scheme.hpp"

namespace trainyard {

/// When the centre c comes to the worker. overlapped: the replica is sent up and c down while the
/// gradient is computed, and each side takes the difference x − c for itself. blocking: the worker
/// waits for c before it computes, takes the difference and sends that up, which the centre adds to
/// whatever it has become (Zhang et al. 2015, algorithm 1).
enum class ElasticOrder { overlapped, blocking };

/// A worker's exchange with the centre, around the gradient of the same step.
class ElasticExchange {
 public:
  explicit ElasticExchange(Worker& worker);

  /// Whether the present step exchanges: every τ-th.
  bool is_due() const { return (worker_.step() + 1) % period_ == 0; }
  /// With the replica x as the step found it, before the gradient.
  void begin();
  /// Draws the replica, whatever it has become, by −a (x − c).
  void end();

 private:
  Worker& worker_;
  double elasticity_;  // a
  std::uint64_t period_;
  ElasticOrder order_;
  VectorBuffer center_, difference_;
  std::vector<std::uint64_t> asks_;  // a tag for each server
};

/// Takes one exchange at a time: c ← c + b (x − c), b being --moving-rate over the number of
/// workers.
void serve_centre(Server& server);

/// --period, --moving-rate, --worker-rate, --exchange.
std::vector<HyperparameterInfo> elastic_hyperparameters();

}  // namespace trainyard
