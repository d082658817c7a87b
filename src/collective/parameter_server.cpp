#include "trainyard/collective/parameter_server.hpp"

#include <algorithm>
#include <vector>

#include "trainyard/base/even_split.hpp"
#include "trainyard/collective/all_reduce.hpp"
#include "trainyard/collective/short_parts.hpp"
#include "trainyard/model/kernels.hpp"

namespace trainyard {

namespace {

int rounds(const Communicator& comm) {
  return std::max(comm.workers(), comm.servers());
}

}  // namespace

/// Without the rounds in which it deals with nobody: of one server 10,000 workers had so many each.
void for_each_shard(const Communicator& comm, FunctionRef<void(int shard)> deal) {
  const int servers = comm.servers();
  if (servers == 0) throw NoServers();
  const int first = comm.rank() % rounds(comm);
  for (int round = 0; round < servers; ++round) {
    deal(first < servers ? (first + round) % servers : round);
  }
}

void for_each_worker(const Communicator& comm, FunctionRef<void(int worker)> answer) {
  const int index = comm.rank() - comm.workers();
  for (int round = 0; round < rounds(comm); ++round) {
    const int worker = (index - round + rounds(comm)) % rounds(comm);
    if (worker < comm.workers()) answer(worker);
  }
}

void push(Communicator& comm, ConstVector vector, std::span<const std::uint64_t> versions) {
  for_each_shard(comm, [&](int shard) {
    const std::uint64_t tag = versions.empty() ? 0 : versions[static_cast<std::size_t>(shard)];
    comm.send(comm.server(shard), even_split(vector, shard, comm.servers()), tag);
  });
}

void pull(Communicator& comm, Vector vector, std::span<std::uint64_t> versions) {
  for_each_shard(comm, [&](int shard) {
    const std::uint64_t version =
        comm.receive_into(comm.server(shard), even_split(vector, shard, comm.servers()));
    if (!versions.empty()) versions[static_cast<std::size_t>(shard)] = version;
  });
}

void parameter_server_sum(Communicator& comm, Vector vector) {
  Loans loans(comm);  // the sum that overwrites what was lent has that in it
  for_each_shard(comm, [&](int shard) {
    loans.send(comm.server(shard), even_split(vector, shard, comm.servers()));
  });
  if (!takes_turns(vector.size(), comm.workers(), comm.servers())) return pull(comm, vector);
  for_each_shard(comm, [&](int shard) {
    comm.send_control(comm.server(shard), 0);  // its turn to answer
    comm.receive_into(comm.server(shard), even_split(vector, shard, comm.servers()));
  });
}

void parameter_server_serve(Communicator& comm, Scalar scalar, std::size_t length) {
  VectorBuffer whole(scalar, length);
  const Vector sum = even_split(whole.view(), comm.rank() - comm.workers(), comm.servers());
  const bool in_turns = takes_turns(length, comm.workers(), comm.servers());
  while (comm.await_message()) {
    kernels::set_to_zero(sum);
    sum_pushes(comm, sum);
    Loans loans(comm);
    for_each_worker(comm, [&](int worker) {
      if (in_turns) (void)comm.receive(worker);
      loans.send(worker, sum);
    });
  }
}

void sum_pushes(Communicator& comm, Vector sum) {
  for (int worker = 0; worker < comm.workers(); ++worker) {
    comm.receive_add(worker, sum);
  }
}

void answer_all(Communicator& comm, ConstVector shard) {
  for_each_worker(comm, [&](int worker) { comm.send(worker, shard); });
}

}  // namespace trainyard
