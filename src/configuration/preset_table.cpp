// Every system of the survey (Langer, He, Rahayu & Xue, TPDS 2020), BlueFog and Horovod: catalogue
// §7.
#include <algorithm>

#include "trainyard/configuration/preset.hpp"

namespace trainyard {

namespace {

constexpr const char* data = "data";
constexpr const char* synchronous = "synchronous";
constexpr const char* asynchronous = "asynchronous";
constexpr const char* bounded = "bounded";
constexpr const char* centralised = "centralised";
constexpr const char* decentralised = "decentralised";
constexpr const char* gradients = "gradients";
constexpr const char* parameters = "parameters";

std::vector<Preset> with_all_reduce() {
  return {
      {.name = "bigdl",
       .system = "BigDL",
       .source = "Dai et al., SoCC 2019",
       .scheme = "all-reduce",
       .settings = {{"collective", "ps-colocated"}},
       .criteria = {data, synchronous, centralised, gradients, "a server's shard at each worker"},
       .emulated = "each worker sums a shard of the gradients and sends it to all",
       .not_emulated = "Spark's jobs and block manager"},
      {.name = "caffeonspark",
       .system = "CaffeOnSpark",
       .source = "Feng et al., Yahoo 2016",
       .scheme = "all-reduce",
       .settings = {{"collective", "ps-colocated"}, {"momentum", "0.9"}},
       .criteria = {data, synchronous, centralised, gradients, "a server's shard at each worker"},
       .emulated = "as bigdl, with the momentum of Caffe's solver",
       .not_emulated = "RDMA, Spark's executors"},
      {.name = "firecaffe",
       .system = "FireCaffe",
       .source = "Iandola et al., CVPR 2016",
       .scheme = "all-reduce",
       .settings = {{"collective", "tree-root"}},
       .criteria = {data, synchronous, centralised, gradients, "a binomial tree with a root"},
       .emulated = "gradients summed up a tree whose root is no worker",
       .not_emulated = "GPUs; its large minibatches are --batch"},
      {.name = "horovod",
       .system = "Horovod",
       .source = "Sergeev & Del Balso, 2018",
       .scheme = "fused-all-reduce",
       .criteria = {data, synchronous, centralised, gradients, "a ring"},
       .emulated = "a coordinator, cycles, a fusion buffer, rings while backward goes on, fp16 "
                   "with --wire",
       .not_emulated = "two levels (horovod-hierarchical has them), elastic membership"},
      {.name = "horovod-hierarchical",
       .system = "Horovod, hierarchical all-reduce",
       .source = "Sergeev & Del Balso, 2018",
       .scheme = "all-reduce",
       .settings = {{"collective", "hierarchical-ring"}},
       .criteria = {data, synchronous, centralised, gradients, "rings in groups and between them"},
       .emulated = "reduce-scatter in each machine, rings between machines, all-gather in each",
       .not_emulated = "cycles and fusion (horovod has them), NCCL inside a machine"},
      {.name = "pytorch-ddp",
       .system = "PyTorch DistributedDataParallel",
       .source = "Li et al., VLDB 2020",
       .scheme = "ddp",
       .criteria = {data, synchronous, centralised, gradients, "a ring"},
       .emulated = "buckets in reverse order of layers, all-reduced while backward goes on; "
                   "fp16 with --wire",
       .not_emulated = "hooks of autograd, GPUs, buckets that are ordered anew after a step"},
  };
}

std::vector<Preset> with_servers() {
  return {
      {.name = "distbelief",
       .system = "DistBelief",
       .source = "Dean et al., NIPS 2012",
       .scheme = "downpour",
       .settings = {{"fetch-period", "1"}, {"optimizer", "adagrad"}, {"push-period", "1"}},
       .criteria = {data, asynchronous, centralised, gradients, "workers and sharded servers"},
       .emulated = "Downpour SGD with Adagrad on the servers' shards; as distbelief{tensor-size=2} "
                   "with replicas on so many workers each, which push and fetch their parts",
       .not_emulated = "its partitioner of graphs: layers are split by their units alone"},
      {.name = "sandblaster",
       .system = "DistBelief's Sandblaster",
       .source = "Dean et al., NIPS 2012",
       .scheme = "sandblaster",
       .criteria = {data, synchronous, centralised, gradients, "a coordinator, shards, workers"},
       .emulated = "L-BFGS on the shards, portions of the rows handed to idle workers",
       .not_emulated = "workers that are several machines each"},
      {.name = "parameter-server",
       .system = "Parameter Server",
       .source = "Li et al., OSDI 2014",
       .scheme = "key-value",
       .criteria = {data, bounded, centralised, gradients, "workers and sharded servers"},
       .emulated = "ranges of keys, a bound on delay (--staleness), key caching, the filter of "
                   "significance (--significance), compressed values (--wire fp16, both ways), a "
                   "proxy for each group of workers (--proxies)",
       .not_emulated = "lossless compression (its Snappy), replicated chains of servers, "
                       "consistent hashing, recovery"},
      {.name = "project-adam",
       .system = "Project Adam",
       .source = "Chilimbi et al., OSDI 2014",
       .scheme = "ps-async-epochs",
       .settings = {{"epoch-share", "0.75"}, {"push", "activations"}},
       .criteria = {data, asynchronous, centralised, "gradients", "workers and sharded servers"},
       .emulated = "shards that step as gradients come; of fully connected layers activations and "
                   "deltas are sent where that is shorter; epochs that end at 75 %; with "
                   "--machine-threads T and --fetch-period N threads that step their machine's "
                   "model without locks (here each worker is a machine of one thread)",
       .not_emulated = "replicated servers"},
      {.name = "petuum",
       .system = "Petuum",
       .source = "Xing et al., KDD 2015; Dai et al., AAAI 2015",
       .scheme = "essp",
       .settings = {{"staleness", "3"}},
       .criteria = {data, bounded, centralised, gradients, "workers and sharded servers"},
       .emulated = "stale synchronous parallel, fresh rows pushed to all clients (ESSP)",
       .not_emulated = "the scheduler of model-parallel programs"},
  };
}

/// A server on each worker's machine, as the survey has it of both.
std::vector<OptionText> server_on_each_worker(std::vector<OptionText> besides = {}) {
  besides.push_back({"server-placement", "colocated"});
  besides.push_back({"servers", "workers"});
  return besides;
}

std::vector<Preset> of_frameworks_with_servers() {
  return {
      {.name = "mxnet",
       .system = "MXNet, dist_sync",
       .source = "Chen et al., 2015",
       .scheme = "ps-sync",
       .settings = server_on_each_worker(),
       .criteria = {data, synchronous, centralised, gradients, "a server on each worker's machine"},
       .emulated = "the key-value store's servers on the workers' ports, as many as workers unless "
                   "--servers says otherwise",
       .not_emulated = "the engine that orders operations by their data"},
      {.name = "mxnet-async",
       .system = "MXNet, dist_async",
       .source = "Chen et al., 2015",
       .scheme = "ps-async",
       .settings = server_on_each_worker(),
       .criteria = {data, asynchronous, centralised, gradients,
                    "a server on each worker's machine"},
       .emulated = "the same, each gradient applied as it comes",
       .not_emulated = "the engine that orders operations by their data"},
      {.name = "mxnet-bounded",
       .system = "MXNet, bounded delay",
       .source = "Chen et al., 2015",
       .scheme = "ssp",
       .settings = server_on_each_worker(),
       .criteria = {data, bounded, centralised, gradients, "a server on each worker's machine"},
       .emulated = "the same servers, nobody more than --staleness steps ahead of the slowest",
       .not_emulated = "the engine that orders operations by their data"},
      {.name = "mxnet-hierarchical",
       .system = "MXNet, two levels",
       .source = "Chen et al., 2015",
       .scheme = "ps-hierarchical-async",
       .criteria = {data, asynchronous, centralised, gradients, "groups with a proxy each, a root"},
       .emulated = "a group's gradients are summed by its proxy (--servers groups), asynchronously "
                   "between groups",
       .not_emulated = "a root in as many shards as there are workers (here it is one server), the "
                       "engine that orders operations by their data"},
      {.name = "mxnet-two-bit",
       .system = "MXNet, dist_sync with gradient compression",
       .source = "Chen et al., 2015; its documentation",
       .scheme = "ec-sgd",
       .settings = server_on_each_worker({{"codec", "two-bit:0.5"}}),
       .criteria = {data, synchronous, centralised, gradients, "a server on each worker's machine"},
       .emulated = "the servers of mxnet; two bits a number, threshold 0.5, what is left out fed "
                   "back",
       .not_emulated = "the engine that orders operations by their data"},
      {.name = "tensorflow",
       .system = "TensorFlow, SyncReplicasOptimizer",
       .source = "Abadi et al., OSDI 2016; Chen et al., 2016",
       .scheme = "ps-backup",
       .settings = server_on_each_worker(),
       .criteria = {data, synchronous, centralised, gradients, "a server on each worker's machine"},
       .emulated = "servers on the workers' ports, as many as workers unless --servers says "
                   "otherwise, and backup workers whose gradients are dropped",
       .not_emulated = "placement of operations on devices; petuum is what it does with bounded "
                       "staleness, bigdl and horovod with all-reduces"},
      {.name = "tensorflow-async",
       .system = "TensorFlow, asynchronous",
       .source = "Abadi et al., OSDI 2016",
       .scheme = "ps-async",
       .settings = server_on_each_worker(),
       .criteria = {data, asynchronous, centralised, gradients,
                    "a server on each worker's machine"},
       .emulated = "the same servers, each gradient applied as it comes",
       .not_emulated = "placement of operations on devices"},
  };
}

std::vector<Preset> with_local_steps() {
  return {
      {.name = "easgd",
       .system = "EASGD, synchronous",
       .source = "Zhang, Choromanska & LeCun, NIPS 2015",
       .scheme = "easgd",
       .criteria = {data, synchronous, decentralised, parameters, "workers and a centre"},
       .emulated = "replicas and a centre that draw each other, all in the same step",
       .not_emulated = "nothing"},
      {.name = "easgd-async",
       .system = "EASGD, asynchronous",
       .source = "Zhang, Choromanska & LeCun, NIPS 2015",
       .scheme = "easgd-async",
       .criteria = {data, asynchronous, decentralised, parameters, "workers and a centre"},
       .emulated = "the same, each worker by itself",
       .not_emulated = "nothing"},
      {.name = "lookahead",
       .system = "Lookahead",
       .source = "Zhang, Lucas, Hinton & Ba, NeurIPS 2019",
       .scheme = "diloco",
       .settings =
           {{"workers", "1"}, {"period", "5"}, {"outer-lr", "0.5"}, {"outer-momentum", "0"}},
       .criteria = {data, synchronous, centralised, parameters, "one worker"},
       .emulated = "slow weights that go half the way of every 5 fast steps",
       .not_emulated = "nothing"},
      {.name = "mpca-sgd",
       .system = "MPCA-SGD",
       .source = "Langer, Hall, He & Rahayu, TPDS 2018",
       .scheme = "mpca-sgd",
       .criteria = {data, asynchronous, decentralised, parameters, "a binomial tree"},
       .emulated =
           "replicas, a mean taken in the background, extrapolated, and a penalty for being "
           "far from it: a reconstruction",
       .not_emulated = "Spark; its own extrapolator and penalty, which are not known to us"},
      {.name = "snoo",
       .system = "SNOO",
       .source = "Kallusky et al., 2025",
       .scheme = "diloco",
       .settings = {{"workers", "1"}},
       .criteria = {data, synchronous, centralised, parameters, "one worker"},
       .emulated = "DiLoCo's outer Nesterov step on one worker, every --period steps",
       .not_emulated = "nothing"},
      {.name = "sparknet",
       .system = "SparkNet",
       .source = "Moritz et al., ICLR 2016",
       .scheme = "local-sgd",
       .settings = {{"collective", "ps"}, {"period", "10"}},
       .criteria = {data, synchronous, decentralised, parameters, "workers and a master"},
       .emulated = "replicas that are averaged on a master after every tau = 10 steps",
       .not_emulated = "Spark's jobs"},
      {.name = "tree-easgd",
       .system = "Tree-EASGD",
       .source = "Zhang, Choromanska & LeCun, NIPS 2015; Zhang's thesis, 2016",
       .scheme = "tree-easgd",
       .criteria = {data, asynchronous, decentralised, parameters, "a tree of replicas"},
       .emulated = "elastic averaging along the edges of a tree",
       .not_emulated = "nothing"},
  };
}

std::vector<Preset> with_gossip() {
  return {
      {.name = "bluefog",
       .system = "BlueFog",
       .source = "Ying, Yuan, Hu, Chen & Yin, 2021",
       .scheme = "hierarchical-gossip",
       .settings = {{"topology", "one-peer-exp"}},
       .criteria = {data, synchronous, decentralised, parameters, "groups on a one-peer graph"},
       .emulated = "hierarchical neighbour all-reduce: a mean inside each machine, gossip between",
       .not_emulated = "one-sided windows; gossip, gradient-tracking, exact-diffusion and sgp are "
                       "its other algorithms"},
      {.name = "d-psgd",
       .system = "D-PSGD",
       .source = "Lian et al., NIPS 2017",
       .scheme = "d-psgd",
       .criteria = {data, synchronous, decentralised, parameters, "a ring, or any graph"},
       .emulated = "models averaged with the neighbours' while the gradient is computed",
       .not_emulated = "nothing"},
      {.name = "gosgd",
       .system = "GoSGD",
       .source = "Blot, Picard, Cord & Thome, 2016",
       .scheme = "gosgd",
       .criteria = {data, asynchronous, decentralised, parameters, "a random other worker"},
       .emulated = "sum-weight gossip: a model sent after 2 % of the steps",
       .not_emulated = "nothing"},
  };
}

std::vector<Preset> with_split_models() {
  return {
      {.name = "cots-hpc",
       .system = "COTS HPC",
       .source = "Coates et al., ICML 2013",
       .scheme = "tensor-split",
       .criteria = {"model", synchronous, centralised, "units", "all to all"},
       .emulated = "every layer split over all workers, units added up between layers",
       .not_emulated = "arrays distributed over blocks of an image, InfiniBand"},
  };
}

}  // namespace

const std::vector<Preset>& presets() {
  static const std::vector<Preset> all = [] {
    std::vector<Preset> rows;
    for (auto* part : {with_all_reduce, with_servers, of_frameworks_with_servers, with_local_steps,
                       with_gossip, with_split_models}) {
      for (Preset& preset : part()) rows.push_back(std::move(preset));
    }
    std::ranges::sort(rows, {}, &Preset::name);
    return rows;
  }();
  return all;
}

}  // namespace trainyard
