// The part of a server's shard that one worker holds, in schemes whose workers hold parts of the
// model. Its gradients come alone, so it is stepped and sent alone, with a version of its own. Of a
// worker that holds all of the model it is the shard.
//
//   std::vector<ShardPart> parts;  // of the T workers that are a replica together
//   while (const auto message = server.comm().receive_any()) {
//     ShardPart& part = parts[message->from() % T];
//     part.apply(message->vector(), T);
//     server.comm().send(message->from(), part.values(), part.version());
//   }
//
// What the optimizer keeps lies in what it keeps of the shard, by the same names.
//
// Threads: as of its Server, whose program has these.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "trainyard/base/vector.hpp"
#include "trainyard/model/model.hpp"
#include "trainyard/runtime/optimizer.hpp"
#include "trainyard/runtime/server.hpp"

namespace trainyard {

class ShardPart {
 public:
  /// The part that worker `worker` holds. `server` outlives it.
  ShardPart(Server& server, int worker);

  /// Numbers that the shard and the worker's replica have in common; may be 0.
  std::size_t size() const { return size_; }
  /// The present values, in the order of the worker's replica. Valid until the next call.
  ConstVector values();
  /// Server::apply() for these parameters alone.
  void apply(ConstVector gradient, std::uint64_t minibatches);
  /// Number of updates applied so far.
  std::uint64_t version() const { return version_; }
  /// A gradient taken at that version is about to be applied: it is so many updates old.
  void record_staleness(std::uint64_t version_read);

 private:
  /// Numbers that are neighbours in the shard.
  struct Piece {
    Vector values;
    Optimizer optimizer;
  };

  Server& server_;
  std::uint64_t& minibatches_;
  std::uint64_t& version_;
  std::vector<Piece> pieces_;
  std::size_t size_ = 0;
  VectorBuffer together_;  // where there are several
};

}  // namespace trainyard
