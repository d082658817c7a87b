// Two vectors of the model's size in one message: a server's part of each, one behind the other.
// For schemes that tell each other two things at a time, at one latency.
//
// Threads: belongs to its rank. As of collective/parameter_server.hpp otherwise.
#pragma once

#include <cstddef>
#include <cstdint>

#include "trainyard/base/even_split.hpp"
#include "trainyard/base/vector.hpp"
#include "trainyard/collective/parameter_server.hpp"
#include "trainyard/model/kernels.hpp"
#include "trainyard/runtime/communicator.hpp"

namespace trainyard {

class VectorPair {
 public:
  /// For vectors of so many numbers: a worker's are the model's, a server's its shard's.
  VectorPair(Scalar scalar, std::size_t size) : wire_(scalar, 2 * size) {}

  /// Worker: sends each server its parts of both.
  void push(Communicator& comm, ConstVector first, ConstVector second, std::uint64_t tag) {
    for_each_shard(comm, [&](int shard) {
      const int servers = comm.servers();
      comm.send(comm.server(shard),
                joined(even_split(first, shard, servers), even_split(second, shard, servers)), tag);
    });
  }
  /// Worker: waits for every server's parts of both.
  void pull(Communicator& comm, Vector first, Vector second) {
    for_each_shard(comm, [&](int shard) {
      const Message message = comm.receive(comm.server(shard));
      kernels::copy(of_first(message), even_split(first, shard, comm.servers()));
      kernels::copy(of_second(message), even_split(second, shard, comm.servers()));
    });
  }

  /// Server: what a worker pushed.
  static ConstVector of_first(const Message& push) { return half(push, 0); }
  static ConstVector of_second(const Message& push) { return half(push, 1); }
  /// Server: sends both to every worker.
  void answer_all(Communicator& comm, ConstVector first, ConstVector second) {
    trainyard::answer_all(comm, joined(first, second));
  }

 private:
  static ConstVector half(const Message& message, std::size_t which) {
    const std::size_t size = message.vector().size() / 2;
    return message.vector().subspan(which * size, size);
  }
  ConstVector joined(ConstVector first, ConstVector second) {
    const std::size_t size = first.size();
    kernels::copy(first, wire_.view().first(size));
    kernels::copy(second, wire_.view().subspan(size, size));
    return wire_.view().first(2 * size);
  }

  VectorBuffer wire_;
};

}  // namespace trainyard
