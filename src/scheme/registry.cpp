#include <string>
#include <vector>

#include "trainyard/base/named_table.hpp"
#include "trainyard/scheme/scheme.hpp"

namespace trainyard {

const std::vector<Scheme>& schemes() {
  static const std::vector<Scheme> table{
      {.name = "sequential",
       .summary = "one worker takes the minibatches of all: the yardstick, no messages",
       .step = "γ × mean over the n minibatches",
       .source = "minibatch SGD",
       .one_rank = true,
       .worker = sequential_worker},
      {.name = "ps-sync",
       .summary = "workers push gradients to the parameter server, wait, pull the new model",
       .step = "γ × mean over workers",
       .source = "Li et al. 2014; catalogue 2.1",
       .home = ModelHome::replicas,
       .worker = ps_sync_worker,
       .server = ps_sync_server},
      {.name = "ps-async",
       .summary = "the server applies each gradient as it comes and answers that worker alone",
       .step = "γ × each gradient: a round of n updates moves n times as far as one of ps-sync",
       .source = "Dean et al. 2012; catalogue 2.3",
       .pace = Pace::free,
       .home = ModelHome::servers,
       .worker = ps_async_worker,
       .server = ps_async_server},
      {.name = "ring",
       .summary = "all-reduce of gradients around a ring: reduce-scatter, then all-gather",
       .step = "γ × mean over workers",
       .source = "Patarasuk & Yuan 2009; catalogue 1.2",
       .worker = ring_worker},
      {.name = "all-reduce",
       .summary = "all-reduce of gradients in the way that --collective says",
       .step = "γ × mean over workers",
       .source = "catalogue 2.1, 3",
       .has_collective = true,
       .worker = all_reduce_worker,
       .server = all_reduce_server},
      {.name = "hogwild",
       .summary = "all workers update one shared model without locks; no messages",
       .step = "γ × each gradient: as ps-async",
       .source = "Niu et al. 2011; catalogue 2.15",
       .pace = Pace::free,
       .home = ModelHome::shared,
       .has_momentum = false,
       .worker = hogwild_worker},
      {.name = "gossip",
       .summary =
           "each worker steps on its own replica, then averages with its neighbours (D-PSGD, ATC)",
       .step = "γ × own gradient, averaged over the graph: to first order the mean over workers",
       .source = "Lian et al. 2017; catalogue 4.2",
       .has_topology = true,
       .worker = gossip_worker},
  };
  return table;
}

int server_count(const Scheme& scheme, const AllReduce& collective, int workers, int wanted) {
  if (scheme.has_collective) return collective.servers(workers, wanted);
  return scheme.server == nullptr ? 0 : wanted;
}

const Scheme& find_scheme(std::string_view name) {
  return find_named(schemes(), name, "scheme");
}

}  // namespace trainyard
