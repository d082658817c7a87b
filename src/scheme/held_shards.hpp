// Push and pull of a worker that holds some of the parameters: what of its replica is of each
// server's shard. It talks only to servers with which it has some in common, as the machines of a
// replica in DistBelief do (Dean et al., NIPS 2012, §4.1). Of a worker that holds the whole model
// it is push() and pull() of collective/parameter_server.hpp, message by message, or in
// runs with keys that of a WorkingSet.
//
// Threads: as of a Worker, whose program has one of these.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "trainyard/base/function_ref.hpp"
#include "trainyard/base/vector.hpp"
#include "trainyard/collective/working_set.hpp"
#include "trainyard/runtime/worker.hpp"

namespace trainyard {

class HeldShards {
 public:
  /// Each pull is for this many minibatches, as a WorkingSet's. `worker` outlives it.
  HeldShards(Worker& worker, std::uint64_t minibatches);

  /// Sends each server its part of `vector`, which is as long as the replica, or empty: then only
  /// the tags, of which there is one for each server.
  void push(ConstVector vector, std::span<const std::uint64_t> tags, bool pull_follows);
  /// Waits for each server's part of the replica. The tags go into `versions`.
  void pull(std::span<std::uint64_t> versions);

 private:
  void for_each(FunctionRef<void(std::size_t shard, std::size_t first, std::size_t count)> deal);

  Worker& worker_;
  std::optional<WorkingSet> keys_;  // in runs with keys, whose workers hold whole models
  std::vector<std::size_t> cuts_;   // where in the replica each server's part begins; its end
  const bool holds_all_;
};

}  // namespace trainyard
