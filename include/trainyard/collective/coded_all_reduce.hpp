// All-reduce of vectors that a codec makes short, in three ways (catalogue §5). A lossy sum is no
// sum of encoded vectors, so somebody has to decode on the way; the three differ in who, and how
// often.
//
//   all-gather   everybody sends C(v) to everybody, and adds up: (n − 1) messages of the whole,
//                encoded once
//   all-to-all   everybody owns one part: gets it from all, adds up, encodes the mean again and
//   sends
//                it to all: 2(n − 1) messages of a part, encoded twice (a sharded DoubleSqueeze)
//   ring         reduce-scatter and all-gather around the ring, decoded, added to and encoded again
//   at
//                every hop: 2(n − 1) messages of a part, encoded up to n times. Each encoding adds
//                its error to those before: with a codec of E‖C(x) − x‖² ≤ ω‖x‖² they grow as (1 +
//                ω)^(n−1), and what is left out has no owner who could keep it. It is here to be
//                compared with.
//
// All end with the same bits at every worker.
//
// Threads: every worker calls it, each on its own thread or fiber, and it returns when its part is
// done. If another rank fails, the call is unwound and does not return.
#pragma once

#include <cstddef>
#include <span>

#include "trainyard/base/function_ref.hpp"
#include "trainyard/runtime/coder.hpp"
#include "trainyard/runtime/communicator.hpp"

namespace trainyard {

/// Everybody's bytes to everybody else. Calls take(bytes) with what each worker sent, its own
/// included, in the order of the ranks.
void coded_all_gather(Communicator& comm, std::span<const std::byte> wire,
                      FunctionRef<void(std::span<const std::byte>)> take);

/// `vector` ← (1/n) Σ_i C(v_i + e_i), with v_i what it was at worker i and e_i its `error`, which
/// is of the same size and keeps what was left out.
void coded_all_gather_mean(Communicator& comm, Coder& coder, Vector vector, Vector error);

/// `vector` ← C(u), part by part, with u = (1/n) Σ_i C(v_i + e_i) + E, and E the owner's
/// `own_error`: of own_part_length(). Both errors may be empty: then none is kept.
void coded_all_to_all_mean(Communicator& comm, Coder& coder, Vector vector, Vector error,
                           Vector own_error);
/// How long a worker's own part is.
std::size_t own_part_length(const Communicator& comm, std::size_t length);

/// `vector` ← the mean, encoded at each hop. No error is kept.
void coded_ring_mean(Communicator& comm, Coder& coder, Vector vector);

}  // namespace trainyard
