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
  };
}

std::vector<Preset> with_servers() {
  return {
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

std::vector<Preset> with_local_steps() {
  return {
      {.name = "easgd-async",
       .system = "EASGD",
       .source = "Zhang, Choromanska & LeCun, NIPS 2015",
       .scheme = "easgd-async",
       .criteria = {data, asynchronous, decentralised, parameters, "workers and a centre"},
       .emulated = "replicas and a centre that draw each other; easgd is its synchronous form",
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

}  // namespace

const std::vector<Preset>& presets() {
  static const std::vector<Preset> all = [] {
    std::vector<Preset> rows;
    for (auto* part : {with_all_reduce, with_servers, with_local_steps, with_gossip}) {
      for (Preset& preset : part()) rows.push_back(std::move(preset));
    }
    std::ranges::sort(rows, {}, &Preset::name);
    return rows;
  }();
  return all;
}

}  // namespace trainyard
