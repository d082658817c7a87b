#include "trainyard/collective/neighbour_average.hpp"

#include <algorithm>

#include "trainyard/model/kernels.hpp"
#include "trainyard/network/network.hpp"

namespace trainyard {

void send_to_neighbours(Communicator& comm, const MixingRow& row, ConstVector vector) {
  for (const auto& neighbour : row.sends_to) comm.send(neighbour.rank, vector);
}

namespace {

/// The largest weight that rounding may leave of 0.
constexpr double rounding = 1e-12;

/// Whether no weight of the row is below 0, that of the rank itself included.
bool is_an_average(const MixingRow& row) {
  double self = 1.0;
  for (const MixingRow::Neighbour& neighbour : row.receives) {
    if (neighbour.weight < 0.0) return false;
    self -= neighbour.weight;
  }
  return self >= -rounding;
}

// Neighbour by neighbour: each moves x so far towards its own vector that those after it leave just
// its weight of that. It takes one pass over memory a neighbour and no memory. Neighbours who agree
// stay where they are, to the bit, while weights that add up to 1 only nearly, as three floats 1/3
// do, would let a model grow by 0.3 % in 10⁵ rounds.
// REQUIRES: is_an_average(row), so that every share is between 0 and 1.
void move_in_place(Communicator& comm, const MixingRow& row, Vector vector) {
  double later = 0.0;  // weights of those who are still to come
  for (const MixingRow::Neighbour& neighbour : row.receives) later += neighbour.weight;
  for (const MixingRow::Neighbour& neighbour : row.receives) {
    later -= neighbour.weight;
    // Without a weight of its own the first share is 1, but for the rounding of `later`.
    const double share = std::min(1.0, neighbour.weight / (1.0 - later));
    kernels::move_towards(share, comm.receive(neighbour.rank).vector(), vector);
  }
}

}  // namespace

// x_i + Σ w_ij (x_j − x_i). Where a weight is negative, as W_ii is in one round of four of MATCHA
// over a ring, the weights of x_i and of those who have come add up to 0 somewhere on the way, and
// no multiple of their sum can be carried on in x_i's place: the differences are summed up beside
// it. They are all 0 where neighbours agree, so that nothing moves then, to the bit. So they are
// where messages may be missing, too: whose is, is not known before all have been waited for, and
// its weight is that of x_i itself then.
void mix_in_neighbours(Communicator& comm, const MixingRow& row, Vector vector,
                       VectorBuffer& scratch) {
  if (is_an_average(row) && !comm.network().faults.loses_for_good()) {
    move_in_place(comm, row, vector);
    return;
  }
  if (scratch.empty()) scratch = VectorBuffer(vector.scalar(), vector.size());
  difference_to_neighbours(comm, row, vector, scratch.view());
  kernels::add(scratch.view(), vector);
}

void difference_to_neighbours(Communicator& comm, const MixingRow& row, ConstVector vector,
                              Vector difference) {
  kernels::set_to_zero(difference);
  for (const MixingRow::Neighbour& neighbour : row.receives) {
    const Message message = comm.receive(neighbour.rank);
    if (message.lost()) continue;
    kernels::add_difference(neighbour.weight, message.vector(), vector, difference);
  }
}

void neighbour_average(Communicator& comm, const MixingRow& row, Vector vector,
                       VectorBuffer& scratch) {
  send_to_neighbours(comm, row, vector);  // a copy
  mix_in_neighbours(comm, row, vector, scratch);
}

MixingRow lazy(MixingRow row, double share) {
  row.self_weight = (1.0 - share) + share * row.self_weight;
  for (auto* side : {&row.receives, &row.sends_to}) {
    for (MixingRow::Neighbour& neighbour : *side) neighbour.weight *= share;
  }
  return row;
}

}  // namespace trainyard
