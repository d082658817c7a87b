// Push and pull between workers and the k servers, which own contiguous shards of the vector.
//
// Both go by offset rounds (catalogue §1.2): in round r worker w deals with shard (w + r) mod
// max(n, k), so that in no round two workers want the same port, and a synchronous exchange takes
// 2·max(n, k)(α + t/k) for k ≤ n. (With more servers than workers it takes less: the first shards
// are answered while the last are still being pushed.) If all began with shard 0, it would take 1.5
// times as long.
//
// Threads: every rank it speaks of calls it, each on its own thread or fiber, and it returns
// when this rank's part is done. If another rank fails, the call is unwound and does not return;
// if another never calls it, the run ends with an InternalError that says who waits for whom.
#pragma once

#include <cstdint>
#include <span>

#include "trainyard/base/error.hpp"
#include "trainyard/base/function_ref.hpp"
#include "trainyard/runtime/communicator.hpp"

namespace trainyard {

/// Thrown by push() and pull() in a run that has no servers.
struct NoServers : UsageError {
  NoServers() : UsageError("has no servers, and its program talks to some; cast::servers has") {}
};

/// Worker: sends each server its shard of `vector`. `versions`, if not empty, holds for each server
/// the version that the worker last pulled from it, and goes along as the message's tag.
void push(Communicator& comm, ConstVector vector, std::span<const std::uint64_t> versions = {});

/// Worker: waits for every server's shard and puts it into `vector`; the tags go into `versions`,
/// if not empty.
void pull(Communicator& comm, Vector vector, std::span<std::uint64_t> versions = {});

/// Worker: the shards, in the order in which it deals with them.
void for_each_shard(const Communicator& comm, FunctionRef<void(int shard)> deal);

/// Server: sum ← sum + what worker 0 pushed, + what worker 1 pushed, …: the order of the ranks, not
/// of arrival, so that the bits repeat.
void sum_pushes(Communicator& comm, Vector sum);

/// Server: the workers, in the order in which it answers them.
void for_each_worker(const Communicator& comm, FunctionRef<void(int worker)> answer);

/// Server: sends its shard to every worker.
void answer_all(Communicator& comm, ConstVector shard);

}  // namespace trainyard
