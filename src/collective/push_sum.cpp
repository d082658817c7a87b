#include "trainyard/collective/push_sum.hpp"

#include <algorithm>

#include "trainyard/model/kernels.hpp"
#include "trainyard/network/network.hpp"

namespace trainyard {

PushSum::PushSum(Vector pair, ConstVector vector)
    : pair_(pair), sent_(vector.scalar(), vector.size() + 1) {
  if (weight() > 0.0) return;
  kernels::copy(vector, u());
  set_last(pair_, 1.0);
}

double PushSum::weight() const {
  return last(pair_);
}

void PushSum::estimate(Vector z) const {
  kernels::scaled_copy(1.0 / weight(), pair_.first(z.size()), z);
}

// Receivers of equal shares get the same numbers. Shares are taken of what those before have left,
// and taken away as they were rounded: nothing is lost but the last digit of what is kept.
void PushSum::send(Communicator& comm, const MixingRow& row) {
  double left = 1.0;
  for (auto next = row.sends_to.begin(); next != row.sends_to.end();) {
    const double weight = next->weight;
    kernels::scaled_copy(std::min(1.0, weight / left), pair_, sent_.view());
    double receivers = 0.0;
    for (; next != row.sends_to.end() && next->weight == weight; ++next, ++receivers) {
      comm.send(next->rank, sent_.view());
    }
    kernels::axpy(-receivers, sent_.view(), pair_);
    left -= receivers * weight;
  }
}

void PushSum::receive(Communicator& comm, const MixingRow& row) {
  for (const MixingRow::Neighbour& neighbour : row.receives) {
    if (!comm.network().faults.loses_for_good()) {
      comm.receive_add(neighbour.rank, pair_);
    } else if (const Message message = comm.receive(neighbour.rank); !message.lost()) {
      kernels::add(message.vector(), pair_);
    }
  }
}

}  // namespace trainyard
