#include "trainyard/collective/proxies.hpp"

#include <numeric>
#include <vector>

#include "trainyard/model/kernels.hpp"

namespace trainyard {

namespace {

int group_count(const Communicator& comm) {
  return comm.servers() - 1;
}

/// The first worker of a group; n of the one behind the last.
int first_of(int workers, int group, int groups) {
  return static_cast<int>(static_cast<long>(workers) * group / groups);
}

int group_of(int workers, int worker, int groups) {
  int group = static_cast<int>(static_cast<long>(worker) * groups / workers);
  while (first_of(workers, group + 1, groups) <= worker) ++group;
  return group;
}

/// The members of this proxy's group, [first, end).
struct Members {
  int first = 0, end = 0;

  Members(const Communicator& comm, int groups)
      : first(first_of(comm.workers(), comm.rank() - comm.workers(), groups)),
        end(first_of(comm.workers(), comm.rank() - comm.workers() + 1, groups)) {}
};

}  // namespace

int group_size(int workers, int group, int groups) {
  return first_of(workers, group + 1, groups) - first_of(workers, group, groups);
}

void exchange_with_proxy(Communicator& comm, ConstVector mine, Vector result) {
  exchange_with_proxy(comm, mine, result, group_count(comm));
}

void exchange_with_proxy(Communicator& comm, ConstVector mine, Vector result, int groups) {
  const int proxy = comm.server(group_of(comm.workers(), comm.rank(), groups));
  Loans loans(comm);
  loans.send(proxy, mine);
  comm.receive_into(proxy, result);
}

void sum_members(Communicator& comm, Vector sum, int groups) {
  const Members members(comm, groups);
  for (int w = members.first; w < members.end; ++w) comm.receive_add(w, sum);
}

void answer_members(Communicator& comm, ConstVector answer, int groups) {
  const Members members(comm, groups);
  Loans loans(comm);
  for (int w = members.first; w < members.end; ++w) loans.send(w, answer);
}

bool is_root(const Communicator& comm) {
  return comm.rank() == comm.server(group_count(comm));
}

void serve_group(Communicator& comm, Vector sum) {
  const int root = comm.server(group_count(comm));
  const int groups = group_count(comm);
  while (comm.await_message()) {
    kernels::set_to_zero(sum);
    sum_members(comm, sum, groups);
    Loans to_root(comm);
    to_root.send(root, sum);
    const Message answer = comm.receive(root);
    answer_members(comm, answer.vector(), groups);
  }
}

void serve_changing_group(Communicator& comm, Vector sum) {
  const int root = comm.server(group_count(comm));
  const Members all(comm, group_count(comm));
  std::vector<int> members(static_cast<std::size_t>(all.end - all.first));
  std::iota(members.begin(), members.end(), all.first);
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
  const int group = group_of(comm.workers(), comm.rank(), group_count(comm));
  comm.send_control(comm.server(group), 0);
}

void sum_groups(Communicator& comm, Vector sum) {
  for (int g = 0; g < group_count(comm); ++g) comm.receive_add(comm.server(g), sum);
}

void answer_groups(Communicator& comm, ConstVector answer) {
  Loans loans(comm);
  for (int g = 0; g < group_count(comm); ++g) loans.send(comm.server(g), answer);
}

}  // namespace trainyard
