// The roles of the ranks of a run: how many ranks there are of each kind, where the model is, and
// whose minibatches each worker takes. A scheme's row names its rule, one of those below or its
// own.
//
//   Cast servers(const CastSetting& s) {
//     return {.workers = s.workers, .servers = s.servers, .model = ModelHome::servers};
//   }
//
// Threads: any; these are functions of their arguments.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "trainyard/collective/all_reduce.hpp"
#include "trainyard/model/fixed_point.hpp"
#include "trainyard/model/holding.hpp"
#include "trainyard/model/model.hpp"
#include "trainyard/network/network.hpp"
#include "trainyard/runtime/hyperparameters.hpp"
#include "trainyard/runtime/run_state.hpp"

namespace trainyard {

/// The numbers that a run asks for.
struct CastSetting {
  int workers = 1;                        // n: whose minibatches there are
  int servers = 1;                        // k, as --servers says
  const AllReduce* collective = nullptr;  // of schemes that take one
  std::string_view codec{};               // of schemes that take one, as it is typed
  const Hyperparameters& hyperparameters;
};

struct Cast;
/// holdings[w]: the parameters that worker w holds. Every parameter is held by as many workers.
/// Throws UsageError, without naming the scheme, for a model that cannot be divided like that.
using HoldingRule = std::vector<Holding> (*)(const Model&, const Cast&);

struct Cast {
  int workers = 1;       // ranks with the worker's program: 0 .. workers − 1
  int servers = 0;       // ranks with the server's, behind them
  int proxies = 0;       // of the servers the first ones, which hold no part of the model
  int data_servers = 0;  // ranks behind those, which schemes do not know (data_server.hpp): 0 or 1
  ModelHome model = ModelHome::replicas;
  /// ModelHome::shared: as many models, each for a group of neighbouring workers.
  int shared_models = 1;
  /// ModelHome::shared: in 8 or 16 bits; empty: floats.
  std::optional<FixedPoint> shared_format{};
  /// shares[w]: whose minibatches rank w takes in a step, of workers 0 .. n − 1. Empty: its own.
  std::vector<std::vector<int>> shares{};
  /// A step of a worker takes a minibatch of one of its shares, not of each.
  bool one_share_a_step = false;
  /// The part of the model that each worker's replica is; nullptr: all of it. Not for
  /// ModelHome::shared.
  HoldingRule holds = nullptr;
  /// For schemes that divide layers: so many neighbouring workers hold the same ones, a part of
  /// their units each (TensorSplit). Where the pace is free they begin each step together.
  int tensor_size = 1;
  /// This many neighbouring workers are threads of one machine: they share its ports, and beside
  /// their replicas have a shared model, which any of them may read and write
  /// (SharedSteps::models()). Not of ModelHome::shared, nor of schemes that divide the model.
  int machine_threads = 1;
  /// ModelHome::shared, one model of floats: of hot lines each worker has a slice, which it
  /// reconciles after so many uses (HotLines); 0: as many as do no harm. Empty: it has none.
  std::optional<std::uint64_t> uses_of_slices{};

  int ranks() const { return workers + servers + data_servers; }
  std::vector<int> shares_of(int worker) const;
  /// Shared models, one for each group of neighbouring workers; 0: there are none.
  int models_in_memory() const {
    if (model == ModelHome::shared) return shared_models;
    return machine_threads > 1 ? workers / machine_threads : 0;
  }
};

/// The worker on whose machine each rank runs, or own_machine (network/links.hpp); empty: all have
/// machines of their own. A machine's threads run on that of the first of them. Where servers are
/// colocated with workers, a proxy stands with the first worker of its group
/// (collective/proxies.hpp), and the k other servers with the first workers of the k parts that
/// even_split() makes of all; so with k = n server w with worker w. A data server has a machine of
/// its own.
std::vector<int> hosts_of(const Cast& cast, ServerPlacement placement);

using CastRule = Cast (*)(const CastSetting&);

namespace cast {

/// A replica each. The servers are those that the run's collective brings, if any.
Cast replicas(const CastSetting& setting);
/// A replica each, and k servers that add up.
Cast replicas_with_servers(const CastSetting& setting);
/// A replica each, a proxy for each of k groups of workers, and a root behind the proxies.
Cast replicas_with_proxies(const CastSetting& setting);
/// The model lies on k servers, a shard each. With the hyperparameter "tensor-size" T > 1 so many
/// neighbouring workers are one replica: they hold a part of each layer and take the minibatches of
/// all of them. Throws OptionError where n is no multiple of T.
Cast servers(const CastSetting& setting);
/// As servers(), and with the hyperparameter "machine-threads" T every T neighbouring workers are
/// threads of one machine. Throws OptionError where n is no multiple of T.
Cast servers_of_machines(const CastSetting& setting);
/// The model lies on one server, whatever --servers says.
Cast one_server(const CastSetting& setting);
/// One model for all workers.
Cast shared(const CastSetting& setting);
/// One model for each group of workers, of as many groups as the hyperparameter "groups" says.
Cast shared_by_groups(const CastSetting& setting);
/// One rank that takes the minibatches of all workers.
Cast one_worker(const CastSetting& setting);
/// Worker w holds stage w of as many as there are workers (LayeredModel::cut), and all of them take
/// the minibatches of all workers: the first stage wants the rows, the last one their labels.
Cast pipeline(const CastSetting& setting);
/// Data × pipeline × tensor: n/(p·T) such pipelines of p stages, each of them held by T workers
/// together; neighbours hold a stage, and then the next ones. All of a pipeline take the
/// minibatches of all. p is the hyperparameter "stages", and 1 where that is 0 or there is none; T
/// is "tensor-size", and 1 where there is none. Throws OptionError where n is no multiple of p·T.
Cast pipelines(const CastSetting& setting);

}  // namespace cast

}  // namespace trainyard
