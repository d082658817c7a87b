// Gossip between machines (BlueFog's hierarchical neighbour all-reduce: Ying, Yuan, Hu, Chen & Yin
// 2021; catalogue §7): the workers stand in groups, each step ends with x_i ← Σ_H W_GH x̄_H for each
// worker i of group G, where x̄_H is the mean model of group H and W the graph over groups. So a
// group is one node of gossip with the minibatch of all its workers, and its members' models are
// equal after every step.
//
// A mean goes up a binomial tree to the group's first worker, which alone talks to other groups,
// and the new model goes down again: c + (2⌈log2 g⌉ + Δ)(α + t) for groups of g. Between machines,
// where links are slow, one vector passes for each neighbour instead of one for each worker's.
//
// Groups of one worker are gossip, to the bit; one group is an all-reduce of the models.
#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "trainyard/base/error.hpp"
#include "trainyard/collective/neighbour_average.hpp"
#include "trainyard/collective/primitives.hpp"
#include "trainyard/model/kernels.hpp"
#include "trainyard/runtime/group.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "scheme/gossip.hpp"

namespace trainyard {

namespace {

int group_size(const Hyperparameters& given) {
  return static_cast<int>(hyperparameter(given, "group-size"));
}

/// A row of the graph over groups, in which the first worker of each stands for it.
void put_first_workers(const MixingRow& of_groups, int size, MixingRow& row) {
  row = of_groups;
  for (auto* side : {&row.receives, &row.sends_to}) {
    for (MixingRow::Neighbour& neighbour : *side) neighbour.rank *= size;
  }
}

void work(Worker& worker) {
  Communicator& comm = worker.comm();
  const auto size = static_cast<int>(worker.hyperparameter("group-size"));
  const int group = comm.rank() / size;
  GroupCommunicator members(comm, ranks_from(group * size, 1, size));
  MixingRow row;
  VectorBuffer scratch;
  while (worker.next_step()) {
    worker.apply(worker.compute_gradient());
    reduce_sum(members, worker.replica());
    if (members.rank() == 0) {
      kernels::scale(1.0 / size, worker.replica());
      put_first_workers(worker.next_round(group), size, row);
      neighbour_average(comm, row, worker.replica(), scratch);
    }
    broadcast(members, worker.replica());
  }
}

Cast groups_of_one_size(const CastSetting& setting) {
  const int size = group_size(setting.hyperparameters);
  if (setting.workers % size != 0) {
    throw OptionError("group-size", fmt::to_string(size),
                      fmt::format("{} workers cannot stand in groups of that size; a divisor of {} "
                                  "is accepted",
                                  setting.workers, setting.workers));
  }
  return {.workers = setting.workers};
}

std::optional<Duration> step_time(const StepSetting& s) {
  const auto gossip = adapt_then_combine_time(s);
  if (!gossip) return std::nullopt;
  const auto rounds = std::bit_width(static_cast<unsigned>(group_size(s.hyperparameters) - 1));
  return *gossip + 2 * static_cast<int>(rounds) * s.whole_model();
}

const HyperparameterInfo group_size_info{
    .name = "group-size",
    .argument = "WORKERS",
    .help = "workers of a group, a divisor of all; else the largest up to their square root",
    .fallback = 1,
    .low = 1,
    .high = 1e6,
    .whole = true,
    .run_fallback = [](int workers, const Hyperparameters&) -> double {
      return workers_of_group(workers);
    }};

}  // namespace

Scheme hierarchical_gossip_scheme() {
  return {.name = "hierarchical-gossip",
          .summary = "all-reduce of the models in each group, and gossip between the groups' means",
          .step =
              "γ × mean over the group, averaged over the graph: to first order the mean over "
              "workers",
          .cost = {.formula = "c + (2⌈log2 g⌉ + Δ)(α + t), groups of g with Δ neighbours each",
                   .rate = "as gossip, ρ of the graph over groups, and in ρσ σ of a group's mean",
                   .time = step_time},
          .source = "Ying, Yuan, Hu, Chen & Yin 2021, BlueFog; catalogue 7",
          .family = SchemeFamily::decentralised,
          .cast = groups_of_one_size,
          .takes = {"topology"},
          .graphs = {.nodes =
                         [](int workers, const Hyperparameters& given) {
                           return std::max(1, workers / group_size(given));
                         }},
          .hyperparameters = {group_size_info},
          .worker = work};
}

}  // namespace trainyard
