// Exchanges of vectors that a codec has made short: with the k servers of parameter_server.hpp, in
// the same offset rounds, and with the neighbours in a graph.
//
// Every server's shard is a vector of its own: encoded alone, with its own norm or its own largest
// entries. With one server it is the whole model.
//
// Threads: every rank it speaks of calls it, each on its own thread or fiber, and it returns when
// this rank's part is done. If another rank fails, the call is unwound and does not return.
#pragma once

#include <cstddef>
#include <span>

#include "trainyard/runtime/coder.hpp"
#include "trainyard/runtime/communicator.hpp"
#include "trainyard/topology/topology.hpp"

namespace trainyard {

/// Worker: sends each server C(its shard of `vector`).
void push_coded(Communicator& comm, Coder& coder, ConstVector vector);
/// push_coded() with error feedback (Coder::encode): `error` has the vector's size, and is kept.
void push_coded(Communicator& comm, Coder& coder, ConstVector vector, Vector error);

/// Worker: sum ← sum + scale · C(…), of each server's answer, in its shard of `sum`.
void pull_coded(Communicator& comm, Coder& coder, double scale, Vector sum);

/// Server: sum ← sum + scale · C(what worker 0 pushed) + scale · C(what worker 1 pushed) + …, in
/// the order of the ranks.
void sum_coded_pushes(Communicator& comm, Coder& coder, double scale, Vector sum);

/// Server: the same bytes to every worker.
void answer_all_coded(Communicator& comm, std::span<const std::byte> wire);

/// Sends the same bytes to every out-neighbour.
void send_coded_to_neighbours(Communicator& comm, const MixingRow& row,
                              std::span<const std::byte> wire);
/// sum ← sum + scale · Σ_j W_ij C(…), of what the in-neighbours sent, in the order of `row`.
void add_coded_of_neighbours(Communicator& comm, Coder& coder, const MixingRow& row, double scale,
                             Vector sum);

}  // namespace trainyard
