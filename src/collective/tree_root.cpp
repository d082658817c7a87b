// FireCaffe's reduction tree (Iandola et al., CVPR 2016, §5.2; catalogue §7): as `tree`, but its
// root is a rank that does nothing else. So n + 1 ranks stand in the tree, and it takes
// ⌈log2(n + 1)⌉ rounds each way: as many as among the workers alone, and one more where n is a
// power of two. What it buys is that no worker's port carries the root's messages: of 16 workers
// the one at the root of `tree` receives 4 vectors and sends as many, and here none more than 3.
#include "trainyard/collective/all_reduce.hpp"
#include "trainyard/collective/parameter_server.hpp"
#include "trainyard/model/kernels.hpp"

#include "collective/binomial_tree.hpp"

namespace trainyard {

void tree_root_sum(Communicator& comm, Vector vector) {
  if (comm.servers() == 0) throw NoServers();
  Loans loans(comm);  // the sum that overwrites what was lent has that in it
  BinomialTree tree = BinomialTree::with_root(comm, loans);
  tree.reduce(vector);
  tree.spread(vector);
}

void tree_root_serve(Communicator& comm, Scalar scalar, std::size_t length) {
  VectorBuffer buffer(scalar, length);
  const Vector sum = buffer.view();
  while (comm.await_message()) {
    kernels::set_to_zero(sum);
    Loans loans(comm);
    BinomialTree tree = BinomialTree::with_root(comm, loans);
    tree.reduce(sum);
    tree.spread(sum);
  }
}

}  // namespace trainyard
