// Gossip with periodic global averaging: decentralised SGD whose every H-th round is an all-reduce
// (Chen, Yuan, Zhang, Pan, Xu & Yin, ICML 2021, Algorithm 1; catalogue §4.2). Gossip lets replicas
// drift apart by what a sparse graph cannot mix; a rare exact average brings them together for
// 1/H of its price. H = 1 is synchronous SGD, H = ∞ is gossip, and over a graph without links it is
// local SGD.
//
// gossip-aga (their Algorithm 2) averages less often the further training has come, when steps are
// small and replicas drift apart slowly: after each global average H ← max(H₀, ⌈H₀ · F₀/F⌉), F the
// mean of the workers' minibatch losses, which goes along as one number more, and F₀ that of the
// first.
#include <algorithm>
#include <cmath>
#include <span>

#include "trainyard/collective/all_reduce.hpp"
#include "trainyard/collective/neighbour_average.hpp"
#include "trainyard/model/kernels.hpp"

#include "scheme/gossip.hpp"

namespace trainyard {

namespace {

void work(Worker& worker) {
  const auto global_period = static_cast<std::uint64_t>(worker.hyperparameter("global-period"));
  VectorBuffer scratch;
  while (worker.next_step()) {
    worker.apply(worker.compute_gradient());
    const MixingRow& round = worker.next_round();  // an average takes the place of its round
    if ((worker.step() + 1) % global_period == 0) {
      all_reduce_mean(worker.comm(), worker.replica(), collective_of(worker));
    } else {
      neighbour_average(worker.comm(), round, worker.replica(), scratch);
    }
  }
}

void work_adaptively(Worker& worker) {
  const double first_period = worker.hyperparameter("global-period");
  const std::size_t dimension = worker.replica().size();
  VectorBuffer with_loss(worker.replica().scalar(), dimension + 1);
  VectorBuffer scratch;
  const std::span<double> plan = worker.keep("plan", 2, Scalar::float64).doubles();
  double &next_average = plan[0], &first_loss = plan[1];
  if (next_average == 0.0) next_average = first_period;
  while (worker.next_step()) {
    worker.apply(worker.compute_gradient());
    const MixingRow& round = worker.next_round();
    if (static_cast<double>(worker.step() + 1) < next_average) {
      neighbour_average(worker.comm(), round, worker.replica(), scratch);
      continue;
    }
    kernels::copy(worker.replica(), with_loss.view().first(dimension));
    set_last(with_loss.view(), worker.minibatch_loss());
    all_reduce_mean(worker.comm(), with_loss.view(), collective_of(worker));
    kernels::copy(with_loss.view().first(dimension), worker.replica());
    const double loss = last(with_loss.view());
    if (next_average == first_period) first_loss = loss;
    next_average += std::ceil(first_period * std::max(1.0, first_loss / loss));
  }
}

void serve_with_loss(Server& server) {
  collective_of(server).serve(server.comm(), server.shard().scalar(), server.dimension() + 1);
}

const HyperparameterInfo global_period{
    .name = "global-period",
    .argument = "H",
    .help = "rounds from one average over all workers to the next",
    .fallback = 6,
    .low = 1,
    .high = 1e12,
    .whole = true,
    .cycle = true};

}  // namespace

Scheme gossip_pga_scheme() {
  return {.name = "gossip-pga",
          .summary = "gossip, and an all-reduce of the models in every --global-period-th round",
          .step = "γ × own gradient, averaged over the graph: to first order the mean over workers",
          .cost = {.formula = "c + Δ(α + t), every H-th step c + the time of the collective",
                   .rate = "1/ε + σ²/(nε²) + C^{1/2}ρ(σ + D^{1/2}ς)/ε^{3/2}, C = 1 + ρ + … + "
                           "ρ^{H-1}, D = min(H, 1/(1-ρ))",
                   .time = [](const StepSetting& s) -> std::optional<Duration> {
                     if (hyperparameter(s.hyperparameters, "global-period") == 1) {
                       return s.compute + s.all_reduce(s.collective());
                     }
                     return adapt_then_combine_time(s);
                   }},
          .source = "Chen et al. 2021; catalogue 4.2",
          .family = SchemeFamily::decentralised,
          .order = {.members_may_change = true, .rows_by_speed = RowsBySpeed::replicas},
          .takes = {"topology", "collective"},
          .hyperparameters = {global_period},
          .worker = work,
          .server = serve_collective};
}

Scheme gossip_aga_scheme() {
  return {.name = "gossip-aga",
          .summary = "gossip-pga whose period grows from --global-period as the loss falls",
          .step = "γ × own gradient, averaged over the graph: to first order the mean over workers",
          .cost = {.formula = "c + Δ(α + t), when it averages c + the time of the collective",
                   .rate = "as gossip-pga"},
          .source = "Chen et al. 2021; catalogue 4.2",
          .family = SchemeFamily::decentralised,
          .order = {.rhythm = Rhythm::by_data},
          .takes = {"topology", "collective"},
          .hyperparameters = {global_period},
          .worker = work_adaptively,
          .server = serve_with_loss};
}

}  // namespace trainyard
