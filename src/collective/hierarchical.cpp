// Two levels: the workers of a group send to their proxy, the proxies to the root, and the sum
// comes back the same way (catalogue §2.9). With G groups of g workers 2(g + G) messages lie one
// behind the other, instead of 2·g·G at a single server; best where the links inside a group are
// the fast ones.
#include "trainyard/collective/all_reduce.hpp"
#include "trainyard/collective/proxies.hpp"
#include "trainyard/model/kernels.hpp"

namespace trainyard {

void hierarchical_sum(Communicator& comm, Vector vector) {
  exchange_with_proxy(comm, vector, vector);
}

void hierarchical_serve(Communicator& comm, Scalar scalar, std::size_t length) {
  VectorBuffer buffer(scalar, length);
  const Vector sum = buffer.view();
  if (!is_root(comm)) {
    serve_group(comm, sum);
    return;
  }
  while (comm.await_message()) {
    kernels::set_to_zero(sum);
    sum_groups(comm, sum);
    answer_groups(comm, sum);
  }
}

}  // namespace trainyard
