// Decentralised SGD, adapt-then-combine: x_i ← Σ_j W_ij (x_j − γ g_j(x_j)) (Lian et al., NIPS 2017,
// in the order "ATC" of Yuan's lectures; catalogue §4.2). Nobody holds the model; each worker talks
// to its neighbours only, and a step lasts T_c + Δ(α + t) where all have Δ of them; where degrees
// differ, messages wait for each other, and it may be more.
#include "scheme/gossip.hpp"

#include <algorithm>

#include "trainyard/collective/neighbour_average.hpp"

namespace trainyard {

namespace {

/// Δ(α + t).
std::optional<Duration> round_time(const StepSetting& s) {
  const auto messages = lockstep_rounds(s.topology().matrices.front());
  if (!messages) return std::nullopt;  // some wait for others, in an order of their own
  return static_cast<std::int64_t>(*messages) * s.whole_model();
}

}  // namespace

MixingRow links_that_count(double weight, MixingRow row) {
  for (MixingRow::Neighbour& neighbour : row.receives) neighbour.weight = weight;
  return row;
}

std::optional<Duration> adapt_then_combine_time(StepSetting s, std::size_t more_numbers) {
  s.parameters += more_numbers;
  const auto round = round_time(s);
  if (!round) return std::nullopt;
  return s.compute + *round;
}

std::optional<Duration> combine_now_and_then_time(const StepSetting& s, int vectors) {
  if (hyperparameter(s.hyperparameters, "period") > 1) return s.compute;
  const auto round = round_time(s);
  if (!round) return std::nullopt;
  return s.compute + vectors * *round;
}

std::optional<Duration> combine_while_adapting_time(const StepSetting& s, int vectors) {
  const auto round = round_time(s);
  if (!round) return std::nullopt;
  return std::max(s.compute, vectors * *round);
}

void gossip_worker(Worker& worker) {
  VectorBuffer scratch;
  while (worker.next_step()) {
    worker.apply(worker.compute_gradient());
    neighbour_average(worker.comm(), worker.next_round(), worker.replica(), scratch);
  }
}

Scheme gossip_scheme() {
  return {.name = "gossip",
          .summary =
              "each worker steps on its own replica, then averages with its neighbours: adapt, "
              "then combine (ATC)",
          .step = "γ × own gradient, averaged over the graph: to first order the mean over workers",
          .cost = {.formula = "c + Δ(α + t), where all have Δ neighbours",
                   .rate = "1/ε + σ²/(nε²) + (ρσ/(1-ρ)^{1/2} + ρς/(1-ρ))/ε^{3/2}",
                   .time = [](const StepSetting& s) -> std::optional<Duration> {
                     return adapt_then_combine_time(s);
                   }},
          .source = "Kun Yuan 2024; Lian et al. 2017; catalogue 4.2",
          .family = SchemeFamily::decentralised,
          .order = {.members_may_change = true,
                    .rows_by_speed = RowsBySpeed::replicas,
                    .takes_datagrams = true},
          .takes = {"topology"},
          .graphs = {.has_transient = true},
          .worker = gossip_worker};
}

}  // namespace trainyard
