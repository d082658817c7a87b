#include "trainyard/collective/push_sum.hpp"

#include "trainyard/collective/primitives.hpp"
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

/// All shares but the own are rounded alike, and that one is what they leave, so that rounding
/// loses nothing.
void PushSum::send(Communicator& comm, const MixingRow& row) {
  const auto receivers = static_cast<double>(row.sends_to.size());
  kernels::scaled_copy(1.0 / (receivers + 1.0), pair_.view(), sent_.view());
  send_to_neighbours(comm, row, sent_.view());
  kernels::axpy(-receivers, sent_.view(), pair_.view());
}

void PushSum::receive(Communicator& comm, const MixingRow& row) {
  for (const MixingRow::Neighbour& neighbour : row.receives) {
    comm.receive_add(neighbour.rank, pair_.view());
  }
}

}  // namespace trainyard
