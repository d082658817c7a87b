// The model of a run, gathered from its home: the mean of the replicas, the shards put together, or
// the shared model. And how far replicas are apart.
//
// Threads: one at a time, while all ranks stand still or when they have ended.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "trainyard/base/vector.hpp"
#include "trainyard/runtime/run_state.hpp"

namespace trainyard {

/// `values` are good until the next one is gathered.
struct GatheredModel {
  ConstVector values;
  /// (1/n) Σ‖x_i − x̄‖², of parts by how many hold each parameter; empty when each has one home.
  std::optional<double> consensus_distance{};
};

class ModelGatherer {
 public:
  /// `state` outlives it.
  explicit ModelGatherer(RunState& state);

  /// The model as it is now.
  GatheredModel gather();
  /// The model of these replicas, all workers' one behind the other: the mean of the honest ones.
  GatheredModel of_replicas(ConstVector replicas);

 private:
  GatheredModel mean_of_replicas();
  GatheredModel shards_together();
  GatheredModel shared();
  Vector place_for(std::size_t size);
  GatheredModel mean_of(ConstVector replicas);
  GatheredModel parts_together(ConstVector parts);
  template <typename T>
  double mean_of_block(std::span<const T> replicas, std::size_t count, std::span<T> means) const;

  RunState& state_;
  const std::size_t dimension_;
  VectorBuffer model_;                     // what is gathered
  VectorBuffer copies_;                    // of replicas or shared models; empty until needed
  std::vector<double> squared_distances_;  // from the mean, of each block
  std::vector<double> sums_;               // of parts
};

}  // namespace trainyard
