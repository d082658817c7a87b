#include "scheme/running_sums.hpp"

#include <fmt/format.h>

#include "trainyard/model/kernels.hpp"

namespace trainyard {

RunningSums::RunningSums(Worker& worker, Vector pair)
    : pair_(pair), whole_(pair.scalar(), pair.size()), before_(pair.scalar(), pair.size()) {
  const auto own = static_cast<std::size_t>(worker.comm().rank());
  for (const MixingMatrix& matrix : worker.ingredient<Topology>("topology").matrices) {
    for (const auto& [rank, weight] : matrix[own].sends_to) {
      given_.try_emplace(rank, worker.keep(fmt::format("sigma to {}", rank), pair.size()));
    }
    for (const auto& [rank, weight] : matrix[own].receives) {
      taken_.try_emplace(rank, worker.keep(fmt::format("rho from {}", rank), pair.size()));
    }
  }
}

void RunningSums::send(Communicator& comm, const MixingRow& row) {
  kernels::copy(pair_, whole_.view());
  for (const MixingRow::Neighbour& to : row.sends_to) {
    const Vector sum = given_.at(to.rank);
    kernels::copy(sum, before_.view());
    kernels::axpy(to.weight, whole_.view(), sum);
    kernels::add_difference(-1.0, sum, before_.view(), pair_);
    comm.send(to.rank, sum);
  }
}

void RunningSums::receive(Communicator& comm, const MixingRow& row) {
  for (const MixingRow::Neighbour& from : row.receives) {
    const Message message = comm.receive(from.rank);
    if (message.lost()) continue;
    const Vector last_heard = taken_.at(from.rank);
    kernels::add_difference(1.0, message.vector(), last_heard, pair_);
    message.copy_to(last_heard);
  }
}

}  // namespace trainyard
