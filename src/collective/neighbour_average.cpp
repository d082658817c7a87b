#include "trainyard/collective/neighbour_average.hpp"

#include "trainyard/collective/primitives.hpp"
#include "trainyard/model/kernels.hpp"

namespace trainyard {

void send_to_neighbours(Communicator& comm, const MixingRow& row, ConstVector vector) {
  for (const int neighbour : row.sends_to) comm.send(neighbour, vector);
}

void receive_from_neighbours(Communicator& comm, const MixingRow& row,
                             FunctionRef<void(double weight, ConstVector received)> take) {
  for (const MixingRow::Neighbour& neighbour : row.receives) {
    take(neighbour.weight, comm.receive(neighbour.rank).vector());
  }
}

namespace {

double rounded(double weight, Scalar scalar) {
  return scalar == Scalar::float32 ? static_cast<double>(static_cast<float>(weight)) : weight;
}

}  // namespace

void mix_in_neighbours(Communicator& comm, const MixingRow& row, Vector vector) {
  // The own weight is what the others leave of 1 after rounding to float: 3 · float(1/3) =
  // 1.00000003, and a model that grows by that every round has grown by 0.3 % after 10^5.
  double own_weight = 1.0;
  for (const MixingRow::Neighbour& neighbour : row.receives) {
    own_weight -= rounded(neighbour.weight, vector.scalar());
  }
  kernels::scale(own_weight, vector);
  receive_from_neighbours(comm, row, [&](double weight, ConstVector received) {
    kernels::axpy(weight, received, vector);
  });
}

void neighbour_average(Communicator& comm, const MixingRow& row, Vector vector) {
  send_to_neighbours(comm, row, vector);  // a copy
  mix_in_neighbours(comm, row, vector);
}

MixingRow lazy(MixingRow row, double share) {
  row.self_weight = (1.0 - share) + share * row.self_weight;
  for (MixingRow::Neighbour& neighbour : row.receives) neighbour.weight *= share;
  return row;
}

}  // namespace trainyard
