// What the exchanges of encoded parts have in common: who is where around the circle, and how a
// part is encoded.
//
// Threads: every rank calls them for itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "trainyard/base/even_split.hpp"
#include "trainyard/base/vector.hpp"
#include "trainyard/runtime/coder.hpp"
#include "trainyard/runtime/communicator.hpp"

namespace trainyard::coded_parts {

/// `distance` places ahead of this worker, around the circle.
inline int ahead(const Communicator& comm, int distance) {
  const int n = comm.workers();
  return ((comm.rank() + distance) % n + n) % n;
}

/// Everybody's bytes to everybody else, in offset rounds: in no round two want the same port.
inline void send_to_all(Communicator& comm, std::span<const std::byte> wire,
                        std::uint64_t tag = 0) {
  for (int round = 1; round < comm.workers(); ++round) {
    comm.send_encoded(ahead(comm, round), wire, tag);
  }
}

/// C(x), or with an error that is kept C(error + x).
inline std::span<const std::byte> encoded(Coder& coder, ConstVector x, Vector error) {
  return error.empty() ? coder.encode(x) : coder.encode(x, error);
}

/// Part `index` of n of an error; nothing of none.
inline Vector error_of(Vector error, int index, int n) {
  return error.empty() ? error : even_split(error, index, n);
}

}  // namespace trainyard::coded_parts
