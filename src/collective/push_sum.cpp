#include "trainyard/collective/push_sum.hpp"

#include <algorithm>

#include "trainyard/model/kernels.hpp"

namespace trainyard {

PushSum::PushSum(ConstVector vector)
    : pair_(vector.scalar(), vector.size() + 1), sent_(vector.scalar(), vector.size() + 1) {
  kernels::copy(vector, u());
  set_last(pair_.view(), 1.0);
}

double PushSum::weight() const {
  return last(pair_.view());
}

void PushSum::estimate(Vector z) const {
  kernels::scaled_copy(1.0 / weight(), pair_.view().first(z.size()), z);
}

// Each share is taken of what the ones before it have left, and what is given is taken away as it
// was rounded: nothing is lost but the last digit of what is kept.
void PushSum::send(Communicator& comm, const MixingRow& row) {
  double left = 1.0;
  for (const MixingRow::Neighbour& receiver : row.sends_to) {
    kernels::scaled_copy(std::min(1.0, receiver.weight / left), pair_.view(), sent_.view());
    comm.send(receiver.rank, sent_.view());
    kernels::axpy(-1.0, sent_.view(), pair_.view());
    left -= receiver.weight;
  }
}

void PushSum::receive(Communicator& comm, const MixingRow& row) {
  for (const MixingRow::Neighbour& neighbour : row.receives) {
    comm.receive_add(neighbour.rank, pair_.view());
  }
}

}  // namespace trainyard
