#include "trainyard/collective/coded_all_reduce.hpp"

#include "trainyard/base/even_split.hpp"
#include "trainyard/model/kernels.hpp"

#include "collective/coded_parts.hpp"

namespace trainyard {

using namespace coded_parts;

/// In the order of the ranks at every worker, so that all add up to the same bits.
void coded_all_gather(Communicator& comm, std::span<const std::byte> wire,
                      FunctionRef<void(std::span<const std::byte>)> take) {
  send_to_all(comm, wire);
  for (int worker = 0; worker < comm.workers(); ++worker) {
    if (worker == comm.rank()) {
      take(wire);
    } else {
      take(comm.receive(worker).bytes());
    }
  }
}

void coded_all_gather_mean(Communicator& comm, Coder& coder, Vector vector, Vector error) {
  const double share = 1.0 / comm.workers();
  const std::span<const std::byte> own = coder.encode(vector, error);
  kernels::set_to_zero(vector);
  coded_all_gather(comm, own,
                   [&](std::span<const std::byte> wire) { coder.decode_add(share, wire, vector); });
}

std::size_t own_part_length(const Communicator& comm, std::size_t length) {
  const auto rank = static_cast<std::size_t>(comm.rank());
  const auto n = static_cast<std::size_t>(comm.workers());
  return (rank + 1) * length / n - rank * length / n;
}

void coded_all_to_all_mean(Communicator& comm, Coder& coder, Vector vector, Vector error,
                           Vector own_error) {
  const int n = comm.workers();
  const Vector own = even_split(vector, comm.rank(), n);
  for (int round = 1; round < n; ++round) {
    const int owner = ahead(comm, round);
    comm.send_encoded(owner,
                      encoded(coder, even_split(vector, owner, n), error_of(error, owner, n)));
  }
  // Its own part is encoded too: what everybody does to a part, its owner does.
  const std::span<const std::byte> mine = encoded(coder, own, error_of(error, comm.rank(), n));
  kernels::set_to_zero(own);
  coder.decode_add(1.0 / n, mine, own);
  for (int round = 1; round < n; ++round) {
    coder.decode_add(1.0 / n, comm.receive(ahead(comm, -round)).bytes(), own);
  }

  const std::span<const std::byte> answer = encoded(coder, own, own_error);
  send_to_all(comm, answer);
  kernels::set_to_zero(vector);
  coder.decode_add(1.0, answer, own);
  for (int round = 1; round < n; ++round) {
    const int owner = ahead(comm, -round);
    coder.decode_add(1.0, comm.receive(owner).bytes(), even_split(vector, owner, n));
  }
}

void coded_ring_mean(Communicator& comm, Coder& coder, Vector vector) {
  const int n = comm.workers();
  if (n == 1) return;
  const int next = ahead(comm, 1), previous = ahead(comm, -1);
  const auto part = [&](int back) { return even_split(vector, ahead(comm, -back), n); };
  for (int step = 1; step < n; ++step) {
    comm.send_encoded(next, coder.encode(part(step)));
    coder.decode_add(1.0, comm.receive(previous).bytes(), part(step + 1));
  }
  // The sum of its own part is complete here: encoded once more, and then passed on as it is.
  kernels::scale(1.0 / n, part(0));
  const std::span<const std::byte> own = coder.encode(part(0));
  comm.send_encoded(next, own);
  kernels::set_to_zero(part(0));
  coder.decode_add(1.0, own, part(0));
  for (int step = 1; step < n; ++step) {
    const Message message = comm.receive(previous);
    if (step < n - 1) comm.send_encoded(next, message.bytes());
    kernels::set_to_zero(part(step));
    coder.decode_add(1.0, message.bytes(), part(step));
  }
}

}  // namespace trainyard
