#include "trainyard/collective/proxies.hpp"

#include <numeric>
#include <vector>

#include "trainyard/model/kernels.hpp"

namespace trainyard {

namespace {

int group_count(const Communicator& comm) {
  return comm.servers() - 1;
}

/// The first worker of a group.
int first_of(const Communicator& comm, int group) {
  return static_cast<int>(static_cast<long>(comm.workers()) * group / group_count(comm));
}

int group_of(const Communicator& comm, int worker) {
  int group = static_cast<int>(static_cast<long>(worker) * group_count(comm) / comm.workers());
  while (first_of(comm, group + 1) <= worker) ++group;
  return group;
}

}  // namespace

void exchange_with_proxy(Communicator& comm, ConstVector mine, Vector result) {
  const int proxy = comm.server(group_of(comm, comm.rank()));
  Loans loans(comm);
  loans.send(proxy, mine);
  comm.receive_into(proxy, result);
}

bool is_root(const Communicator& comm) {
  return comm.rank() == comm.server(group_count(comm));
}

void serve_group(Communicator& comm, Vector sum) {
  const int root = comm.server(group_count(comm));
  const int group = comm.rank() - comm.workers();
  const int first = first_of(comm, group), end = first_of(comm, group + 1);
  while (comm.await_message()) {
    kernels::set_to_zero(sum);
    for (int w = first; w < end; ++w) comm.receive_add(w, sum);
    Loans to_root(comm);
    to_root.send(root, sum);
    const Message answer = comm.receive(root);
    Loans loans(comm);
    for (int w = first; w < end; ++w) loans.send(w, answer.vector());
  }
}

void serve_changing_group(Communicator& comm, Vector sum) {
  const int root = comm.server(group_count(comm));
  const int group = comm.rank() - comm.workers();
  const int first = first_of(comm, group);
  std::vector<int> members(static_cast<std::size_t>(first_of(comm, group + 1) - first));
  std::iota(members.begin(), members.end(), first);
  while (comm.await_message()) {
    kernels::set_to_zero(sum);
    std::erase_if(members, [&](int worker) {
      const Message message = comm.receive(worker);
      if (message.payload() == Payload::control) return true;
      kernels::add(message.vector(), sum);
      return false;
    });
    if (members.empty()) return;
    comm.send(root, sum, members.size());
    const Message answer = comm.receive(root);
    Loans loans(comm);
    for (const int worker : members) loans.send(worker, answer.vector());
  }
}

void leave_group(Communicator& comm) {
  comm.send_control(comm.server(group_of(comm, comm.rank())), 0);
}

void sum_groups(Communicator& comm, Vector sum) {
  for (int g = 0; g < group_count(comm); ++g) comm.receive_add(comm.server(g), sum);
}

void answer_groups(Communicator& comm, ConstVector answer) {
  Loans loans(comm);
  for (int g = 0; g < group_count(comm); ++g) loans.send(comm.server(g), answer);
}

}  // namespace trainyard
