#include <algorithm>
#include <string>
#include <vector>

#include "trainyard/base/named_table.hpp"
#include "trainyard/scheme/scheme.hpp"

namespace trainyard {

namespace {

using Setting = StepSetting;
using ClosedForm = std::optional<Duration>;

// Hyperparameters that several schemes have.
const HyperparameterInfo period{.name = "period",
                                .argument = "TAU",
                                .help = "steps of a worker between two averages or exchanges",
                                .fallback = 10,
                                .low = 1,
                                .high = 1e12,
                                .whole = true};
const HyperparameterInfo staleness{.name = "staleness",
                                   .argument = "S",
                                   .help = "steps that a worker may be ahead of the slowest",
                                   .fallback = 3,
                                   .low = 0,
                                   .high = 1e12,
                                   .whole = true};
const HyperparameterInfo moving_rate{.name = "moving-rate",
                                     .argument = "BETA",
                                     .help = "elasticity, of all workers together",
                                     .fallback = 0.9,
                                     .low = 0.0,
                                     .high = 100.0};

/// c and an all-reduce of the gradient.
Duration with_all_reduce(const Setting& s, const AllReduce& way) {
  return s.compute + way.seconds(s.workers, s.servers, s.parameters, s.network);
}

/// The most messages that a worker sends or receives in round 0.
std::size_t degree(const Topology& topology) {
  std::size_t most = 0;
  for (const MixingRow& row : topology.matrices.front()) {
    most = std::max({most, row.sends_to.size(), row.receives.size()});
  }
  return most;
}

/// With more servers than workers it is less: the first shards are answered while the last are
/// still being pushed.
ClosedForm ps_sync_time(const Setting& s) {
  if (s.servers > s.workers) return std::nullopt;
  return with_all_reduce(s, find_all_reduce("ps-sharded"));
}

/// The port takes the n gradients one after the other, and the last is answered at once. With
/// several servers it depends on which shard comes when.
ClosedForm ps_async_time(const Setting& s) {
  if (s.servers > 1) return std::nullopt;
  return s.compute + (s.workers + 1) * s.whole_model();
}

}  // namespace

const std::vector<Scheme>& schemes() {
  static const std::vector<Scheme> table{
      {.name = "sequential",
       .summary = "one worker takes the minibatches of all: the yardstick, no messages",
       .step = "γ × mean over the n minibatches",
       .time = "n c",
       .rate = "1/ε + σ²/(nε²)",
       .source = "minibatch SGD",
       .one_rank = true,
       .worker = sequential_worker,
       .step_time = [](const Setting& s) -> ClosedForm { return s.workers * s.compute; }},
      {.name = "ps-sync",
       .summary = "workers push gradients to the parameter server, wait, pull the new model",
       .step = "γ × mean over workers",
       .time = "c + 2n(α + t/k)",
       .rate = "1/ε + σ²/(nε²)",
       .source = "Li et al. 2014; catalogue 2.1",
       .home = ModelHome::replicas,
       .worker = ps_sync_worker,
       .server = ps_sync_server,
       .step_time = ps_sync_time},
      {.name = "ps-async",
       .summary = "the server applies each gradient as it comes and answers that worker alone",
       .step = "γ × each gradient: a round of n updates moves n times as far as one of ps-sync",
       .time = "c + (n+1)(α + t) for the first n updates, then max(c + 2(α + t), n(α + t)) for n "
               "of them",
       .rate = "n/ε + σ²/ε² updates",
       .source = "Dean et al. 2012; catalogue 2.3",
       .pace = Pace::free,
       .home = ModelHome::servers,
       .worker = ps_async_worker,
       .server = ps_async_server,
       .step_time = ps_async_time},
      {.name = "staleness-aware",
       .summary = "ps-async with γ / max(1, τ) for a gradient that is τ updates old",
       .step = "γ/τ × each gradient: a round of n updates moves about as far as one of ps-sync",
       .time = "as ps-async",
       .rate = "as ps-async",
       .source = "Zhang et al. 2016; catalogue 2.12",
       .pace = Pace::free,
       .home = ModelHome::servers,
       .worker = ps_async_worker,
       .server = staleness_aware_server,
       .step_time = ps_async_time},
      {.name = "dc-asgd-c",
       .summary =
           "ps-async, the server corrects each gradient for what has changed since: constant λ",
       .step = "γ × each gradient: as ps-async",
       .time = "as ps-async",
       .rate = "as ps-async",
       .source = "Zheng et al. 2017; catalogue 2.11",
       .pace = Pace::free,
       .home = ModelHome::servers,
       .hyperparameters = {{.name = "lambda",
                            .argument = "L",
                            .help = "how much of the correction is made",
                            .fallback = 0.04,
                            .low = 0.0,
                            .high = 1e6}},
       .worker = ps_async_worker,
       .server = dc_asgd_c_server,
       .step_time = ps_async_time},
      {.name = "dc-asgd-a",
       .summary = "the same, λ divided by the root of the gradient's running mean square",
       .step = "γ × each gradient: as ps-async",
       .time = "as ps-async",
       .rate = "as ps-async",
       .source = "Zheng et al. 2017; catalogue 2.11",
       .pace = Pace::free,
       .home = ModelHome::servers,
       .hyperparameters = {{.name = "lambda0",
                            .argument = "L",
                            .help = "how much of the correction is made",
                            .fallback = 2.0,
                            .low = 0.0,
                            .high = 1e6},
                           {.name = "mean-square",
                            .argument = "M",
                            .help = "what the running mean square keeps at each update",
                            .fallback = 0.95,
                            .low = 0.0,
                            .high = 1.0}},
       .worker = ps_async_worker,
       .server = dc_asgd_a_server,
       .step_time = ps_async_time},
      {.name = "ssp",
       .summary = "ps-async, but nobody gets more than --staleness steps ahead of the slowest",
       .step = "γ × each gradient: as ps-async",
       .time = "between ps-async and ps-sync",
       .rate = "as ps-async, staleness bounded",
       .source = "Ho et al. 2013; catalogue 2.4",
       .by_arrival = true,
       .home = ModelHome::servers,
       .hyperparameters = {staleness},
       .worker = ssp_worker,
       .server = ssp_server},
      {.name = "ssp-strict",
       .summary = "the same, and no update is seen before its turn: with --staleness 0 synchronous",
       .step = "γ × each gradient: as ps-async",
       .time = "between ps-async and ps-sync",
       .rate = "as ps-async, staleness bounded",
       .source = "Ho et al. 2013; catalogue 2.4",
       .by_arrival = true,
       .home = ModelHome::servers,
       .hyperparameters = {staleness},
       .worker = ssp_worker,
       .server = ssp_strict_server},
      {.name = "easgd",
       .summary = "replicas and a centre on the servers draw each other, all in the same step",
       .step = "γ × own gradient; the centre moves by the moving rate towards the replicas' mean",
       .time = "c, or in every τ-th step max(c, n(α + t/k)) + n(α + t/k)",
       .rate = "1/ε + σ²/(nε²) up to the elastic term",
       .source = "Zhang et al. 2015; catalogue 4.1",
       .home = ModelHome::servers,
       .has_momentum = false,
       .hyperparameters = {period, moving_rate},
       .worker = easgd_worker,
       .server = easgd_server},
      {.name = "easgd-async",
       .summary = "the same, each worker exchanges with the centre by itself",
       .step = "γ × own gradient; the centre moves by the moving rate over n for each replica",
       .time = "c, or in every τ-th step max(c, 2(α + t))",
       .rate = "as easgd, with staleness",
       .source = "Zhang et al. 2015; catalogue 4.1",
       .pace = Pace::free,
       .home = ModelHome::servers,
       .has_momentum = false,
       .hyperparameters = {period, moving_rate},
       .worker = easgd_worker,
       .server = easgd_async_server},
      {.name = "ring",
       .summary = "all-reduce of gradients around a ring: reduce-scatter, then all-gather",
       .step = "γ × mean over workers",
       .time = "c + 2(n-1)(α + t/n)",
       .rate = "1/ε + σ²/(nε²)",
       .source = "Patarasuk & Yuan 2009; catalogue 1.2",
       .worker = ring_worker,
       .step_time = [](const Setting& s) -> ClosedForm {
         return with_all_reduce(s, find_all_reduce("ring"));
       }},
      {.name = "all-reduce",
       .summary = "all-reduce of gradients in the way that --collective says",
       .step = "γ × mean over workers",
       .time = "c + that of the collective (list collectives)",
       .rate = "1/ε + σ²/(nε²)",
       .source = "catalogue 2.1, 3",
       .has_collective = true,
       .worker = all_reduce_worker,
       .server = all_reduce_server,
       .step_time = [](const Setting& s) -> ClosedForm {
         return with_all_reduce(s, s.collective);
       }},
      {.name = "local-sgd",
       .summary = "workers step on replicas of their own, which are averaged every --period steps",
       .step = "γ × own gradient; the average is a step of γ × mean over workers",
       .time = "c, and every τ steps the time of the collective",
       .rate = "1/ε + σ²/(nε²) + (τ-1)(σ + ς)/ε^{3/2}",
       .source = "Stich 2019; catalogue 4.1",
       .has_collective = true,
       .has_momentum = false,
       .hyperparameters = {period},
       .worker = local_sgd_worker,
       .server = all_reduce_server,
       .step_time = [](const Setting& s) -> ClosedForm {
         return hyperparameter(s.hyperparameters, "period") == 1 ? with_all_reduce(s, s.collective)
                                                                 : s.compute;
       }},
      {.name = "hogwild",
       .summary = "all workers update one shared model without locks; no messages",
       .step = "γ × each gradient: as ps-async",
       .time = "c",
       .rate = "as ps-async, while few coordinates collide",
       .source = "Niu et al. 2011; catalogue 2.15",
       .pace = Pace::free,
       .home = ModelHome::shared,
       .has_momentum = false,
       .worker = hogwild_worker,
       .step_time = [](const Setting& s) -> ClosedForm { return s.compute; }},
      {.name = "gossip",
       .summary =
           "each worker steps on its own replica, then averages with its neighbours (D-PSGD, ATC)",
       .step = "γ × own gradient, averaged over the graph: to first order the mean over workers",
       .time = "c + Δ(α + t), Δ the largest number of neighbours",
       .rate = "1/ε + σ²/(nε²) + ρς/((1-ρ)ε^{3/2})",
       .source = "Lian et al. 2017; catalogue 4.2",
       .has_topology = true,
       .worker = gossip_worker,
       .step_time = [](const Setting& s) -> ClosedForm {
         return s.compute + static_cast<std::int64_t>(degree(s.topology)) * s.whole_model();
       }},
  };
  return table;
}

int server_count(const Scheme& scheme, const AllReduce& collective, int workers, int wanted) {
  if (scheme.has_collective) return collective.servers(workers, wanted);
  return scheme.server == nullptr ? 0 : wanted;
}

Hyperparameters with_fallbacks(const Scheme& scheme, Hyperparameters given) {
  for (const HyperparameterInfo& parameter : scheme.hyperparameters) {
    given.try_emplace(parameter.name, parameter.fallback);
  }
  return given;
}

const Scheme& find_scheme(std::string_view name) {
  return find_named(schemes(), name, "scheme");
}

}  // namespace trainyard
