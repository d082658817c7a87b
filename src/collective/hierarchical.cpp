// Two levels: the workers of a group send to their proxy, the proxies to the root, and the sum
// comes back the same way (catalogue §2.9). With G groups of g workers 2(g + G) messages lie one
// behind the other, instead of 2·g·G at a single server; best where the links inside a group are
// the fast ones.
//
// The proxies are servers 0 .. G−1, the root is server G. Sums go by rank, then by group.
#include <algorithm>
#include <vector>

#include "trainyard/collective/all_reduce.hpp"
#include "trainyard/model/kernels.hpp"

namespace trainyard {

namespace {

struct Groups {
  int workers, count;

  explicit Groups(const Communicator& comm) : workers(comm.workers()), count(comm.servers() - 1) {}

  int first(int group) const {
    return static_cast<int>(static_cast<long>(workers) * group / count);
  }
  int of(int worker) const {
    int group = static_cast<int>(static_cast<long>(worker) * count / workers);
    while (first(group + 1) <= worker) ++group;
    return group;
  }
};

void proxy_round(Communicator& comm, const Groups& groups, int group, Vector sum) {
  const int root = comm.server(groups.count);
  for (int w = groups.first(group); w < groups.first(group + 1); ++w) {
    comm.receive_add(w, sum);
  }
  Loans to_root(comm);
  to_root.send(root, sum);
  const Message total = comm.receive(root);
  Loans loans(comm);
  for (int w = groups.first(group); w < groups.first(group + 1); ++w) {
    loans.send(w, total.vector());
  }
}

void root_round(Communicator& comm, const Groups& groups, Vector sum) {
  for (int g = 0; g < groups.count; ++g) comm.receive_add(comm.server(g), sum);
  Loans loans(comm);
  for (int g = 0; g < groups.count; ++g) loans.send(comm.server(g), sum);
}

}  // namespace

void hierarchical_sum(Communicator& comm, Vector vector) {
  const int proxy = comm.server(Groups(comm).of(comm.rank()));
  Loans loans(comm);  // the sum that overwrites what was lent has that in it
  loans.send(proxy, vector);
  comm.receive_into(proxy, vector);
}

void hierarchical_serve(Communicator& comm, Scalar scalar, std::size_t length) {
  const Groups groups(comm);
  const int index = comm.rank() - comm.workers();
  VectorBuffer buffer(scalar, length);
  const Vector sum = buffer.view();
  while (comm.await_message()) {
    kernels::set_to_zero(sum);
    if (index == groups.count) {
      root_round(comm, groups, sum);
    } else {
      proxy_round(comm, groups, index, sum);
    }
  }
}

}  // namespace trainyard
