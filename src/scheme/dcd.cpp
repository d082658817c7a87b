// DCD-PSGD, difference compression (Tang et al., NeurIPS 2018, Algorithm 1; catalogue §5): what is
// encoded is how far a model moves, which vanishes as training goes on.
//   Z = WX − γG(X);  send C(z_i − x_i);  x_i ← x_i + C(z_i − x_i)
// A worker has a replica of each neighbour's model, moved by the same bytes as the model itself, so
// that all have the same bits. C is to be unbiased and its error small beside 1 − ρ: with QSGD on a
// ring of 8, d = 100, three levels are too few (the error of z is fed back by W), seven will do.
#include <string>
#include <vector>

#include <fmt/format.h>

#include "trainyard/collective/coded_exchange.hpp"
#include "trainyard/model/kernels.hpp"

#include "scheme/coded.hpp"

namespace trainyard {

namespace {

/// One for each neighbour that sends, in the order of their messages.
std::vector<Vector> neighbour_replicas(Worker& worker, const MixingRow& row) {
  std::vector<Vector> replicas;
  for (const MixingRow::Neighbour& neighbour : row.receives) {
    replicas.push_back(
        worker.keep(fmt::format("replica of worker {}", neighbour.rank), worker.initial_model()));
  }
  return replicas;
}

void work(Worker& worker) {
  Coder coder = worker.coder();
  const MixingRow& row = worker.next_round();
  const Vector model = worker.replica();
  const std::vector<Vector> replicas = neighbour_replicas(worker, row);
  VectorBuffer move(model.scalar(), model.size());
  while (worker.next_step()) {
    kernels::set_to_zero(move.view());
    for (std::size_t j = 0; j < replicas.size(); ++j) {
      kernels::add_difference(row.receives[j].weight, replicas[j], model, move.view());
    }
    worker.apply_to(move.view(), worker.compute_gradient());
    const std::span<const std::byte> wire = coder.encode(move.view());
    send_coded_to_neighbours(worker.comm(), row, wire);
    coder.decode_add(1.0, wire, model);
    for (std::size_t j = 0; j < replicas.size(); ++j) {
      coder.decode_add(1.0, worker.comm().receive(row.receives[j].rank).bytes(), replicas[j]);
    }
  }
}

}  // namespace

Scheme dcd_scheme() {
  return {.name = "dcd",
          .summary = "DCD-PSGD: neighbours have replicas, and are sent how far the model moves",
          .step = "γ × own gradient, averaged over the graph: to first order the mean over workers",
          .cost = {.formula = "c + e + d + Δ max(m, d); e, d: coding, m: an encoded message",
                   .rate = "as d-psgd where ω is small beside (1 - ρ)²",
                   .time = [](const StepSetting& s) -> std::optional<Duration> {
                     return coded_gossip_step_time(s);
                   }},
          .source = "Tang et al. 2018; catalogue 5",
          .family = SchemeFamily::decentralised,
          .takes = {"topology", "codec"},
          .graphs = {.range = GraphRange::static_symmetric},
          .messages = {.codec_need = CodecNeed::unbiased},
          .optimizers = {.no_l1 =
                             "moves replicas by encoded differences, whose errors fill what was 0"},
          .worker = work};
}

}  // namespace trainyard
