#include "trainyard/collective/neighbour_average.hpp"

#include <algorithm>

#include "trainyard/model/kernels.hpp"

namespace trainyard {

void send_to_neighbours(Communicator& comm, const MixingRow& row, ConstVector vector) {
  for (const auto& neighbour : row.sends_to) comm.send(neighbour.rank, vector);
}

// x_i + Σ w_ij (x_j − x_i), neighbour by neighbour: each moves x so far towards its own vector that
// those after it leave just its weight of that. Neighbours who agree stay where they are, to the
// bit, while weights that add up to 1 only nearly, as three floats 1/3 do, would let a model grow
// by 0.3 % in 10⁵ rounds.
void mix_in_neighbours(Communicator& comm, const MixingRow& row, Vector vector) {
  double later = 0.0;  // weights of those who are still to come
  for (const MixingRow::Neighbour& neighbour : row.receives) later += neighbour.weight;
  for (const MixingRow::Neighbour& neighbour : row.receives) {
    later -= neighbour.weight;
    const double share = std::min(1.0, neighbour.weight / (1.0 - later));
    kernels::move_towards(share, comm.receive(neighbour.rank).vector(), vector);
  }
}

void difference_to_neighbours(Communicator& comm, const MixingRow& row, ConstVector vector,
                              Vector difference) {
  kernels::set_to_zero(difference);
  for (const MixingRow::Neighbour& neighbour : row.receives) {
    kernels::add_difference(neighbour.weight, comm.receive(neighbour.rank).vector(), vector,
                            difference);
  }
}

void neighbour_average(Communicator& comm, const MixingRow& row, Vector vector) {
  send_to_neighbours(comm, row, vector);  // a copy
  mix_in_neighbours(comm, row, vector);
}

MixingRow lazy(MixingRow row, double share) {
  row.self_weight = (1.0 - share) + share * row.self_weight;
  for (auto* side : {&row.receives, &row.sends_to}) {
    for (MixingRow::Neighbour& neighbour : *side) neighbour.weight *= share;
  }
  return row;
}

}  // namespace trainyard
