#include "trainyard/scheme/cast.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "trainyard/base/error.hpp"
#include "trainyard/model/layered_model.hpp"
#include "trainyard/model/tensor_split.hpp"
#include "trainyard/network/links.hpp"

namespace trainyard {

std::vector<int> Cast::shares_of(int worker) const {
  if (shares.empty()) return {worker};
  return shares[static_cast<std::size_t>(worker)];
}

std::vector<int> hosts_of(const Cast& cast, ServerPlacement placement) {
  const bool colocated = placement == ServerPlacement::colocated;
  std::vector<int> hosts;
  if (!colocated && cast.machine_threads == 1) return hosts;
  const auto machine_of = [&](int worker) { return worker - worker % cast.machine_threads; };
  for (int w = 0; w < cast.workers; ++w) hosts.push_back(machine_of(w));
  const auto spread = [&](int servers) {
    for (int s = 0; s < servers; ++s) {
      const int worker = static_cast<int>(static_cast<long>(cast.workers) * s / servers);
      hosts.push_back(colocated ? machine_of(worker) : own_machine);
    }
  };
  spread(cast.proxies);
  spread(cast.servers - cast.proxies);
  hosts.insert(hosts.end(), static_cast<std::size_t>(cast.data_servers), own_machine);
  return hosts;
}

namespace cast {

Cast replicas(const CastSetting& setting) {
  const int servers = setting.collective == nullptr
                          ? 0
                          : setting.collective->servers(setting.workers, setting.servers);
  return {.workers = setting.workers, .servers = servers};
}

Cast replicas_with_servers(const CastSetting& setting) {
  return {.workers = setting.workers, .servers = setting.servers};
}

Cast replicas_with_proxies(const CastSetting& setting) {
  const int groups = std::min(setting.workers, setting.servers);
  return {.workers = setting.workers, .servers = groups + 1, .proxies = groups};
}

Cast one_server(const CastSetting& setting) {
  return {.workers = setting.workers, .servers = 1, .model = ModelHome::servers};
}

Cast shared(const CastSetting& setting) {
  return {.workers = setting.workers, .model = ModelHome::shared};
}

Cast shared_by_groups(const CastSetting& setting) {
  const double groups = hyperparameter(setting.hyperparameters, "groups");
  return {.workers = setting.workers,
          .model = ModelHome::shared,
          .shared_models = static_cast<int>(std::min<double>(groups, setting.workers))};
}

namespace {

std::vector<int> everyone(int workers) {
  std::vector<int> all(static_cast<std::size_t>(workers));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

/// The holdings of those who take the same minibatches: T parts of each of p stages.
std::vector<Holding> stages_in_parts(const LayeredModel& model, int stages, int parts) {
  std::vector<Holding> holdings;
  for (const Stage& stage : model.cut(stages, parts == 1 ? 1 : 2)) {
    if (parts == 1) {
      holdings.emplace_back(stage.parameters);
      continue;
    }
    for (int part = 0; part < parts; ++part) {
      holdings.push_back(TensorSplit(model, stage, part, parts).holding());
    }
  }
  return holdings;
}

std::vector<Holding> a_part_each(const Model& model, const Cast& made) {
  if (made.servers > 0 && made.model == ModelHome::replicas) {
    throw OptionError("collective",
                      "parts of a model are added up, of many lengths, and servers know those of "
                      "the model alone; ring and the others without servers are accepted");
  }
  if (model.layered() == nullptr)
    throw UsageError("a model without layers cannot be divided by them; mlp:H1,H2,… has layers");
  const std::size_t of_copy = made.shares.front().size();
  const std::vector<Holding> parts = stages_in_parts(
      *model.layered(), static_cast<int>(of_copy) / made.tensor_size, made.tensor_size);
  std::vector<Holding> holdings;
  for (std::size_t worker = 0; worker < made.shares.size(); ++worker) {
    holdings.push_back(parts[worker % of_copy]);
  }
  return holdings;
}

/// Adds to `made` who takes and holds what. REQUIRES: the number of workers is a multiple of stages
/// · tensor_size.
Cast in_pipelines(Cast made, int stages, int tensor_size) {
  made.holds = a_part_each;
  made.tensor_size = tensor_size;
  const int of_copy = stages * tensor_size;
  for (int worker = 0; worker < made.workers; ++worker) {
    std::vector<int>& shares = made.shares.emplace_back(static_cast<std::size_t>(of_copy));
    std::iota(shares.begin(), shares.end(), worker - worker % of_copy);
  }
  return made;
}

int asked(const CastSetting& setting, std::string_view name) {
  const auto found = setting.hyperparameters.find(name);
  return found == setting.hyperparameters.end() ? 1 : std::max(1, static_cast<int>(found->second));
}

/// A hyperparameter that is to divide the workers, of which so many are a `whole` each. Throws
/// OptionError where it does not.
int asked_divisor(const CastSetting& setting, std::string_view name, std::string_view whole) {
  const int size = asked(setting, name), workers = setting.workers;
  if (size > workers || workers % size != 0) {
    throw OptionError(name, fmt::to_string(size),
                      fmt::format("{} workers make no {} with so many each; a number that divides "
                                  "{} is accepted",
                                  workers, whole, workers));
  }
  return size;
}

/// How many workers hold layers together.
int asked_tensor_size(const CastSetting& setting) {
  return asked_divisor(setting, "tensor-size", "copies of the model");
}

}  // namespace

Cast servers(const CastSetting& setting) {
  const int size = asked_tensor_size(setting);
  Cast made{.workers = setting.workers, .servers = setting.servers, .model = ModelHome::servers};
  return size == 1 ? made : in_pipelines(std::move(made), 1, size);
}

Cast servers_of_machines(const CastSetting& setting) {
  Cast made = servers(setting);
  made.machine_threads = asked_divisor(setting, "machine-threads", "machines");
  return made;
}

Cast one_worker(const CastSetting& setting) {
  return {.workers = 1, .shares = {everyone(setting.workers)}};
}

Cast pipeline(const CastSetting& setting) {
  return in_pipelines({.workers = setting.workers}, setting.workers, 1);
}

Cast pipelines(const CastSetting& setting) {
  const int size = asked_tensor_size(setting);
  const int stages = asked(setting, "stages"), workers = setting.workers;
  if (stages > workers / size || workers / size % stages != 0) {
    throw OptionError(
        "stages", fmt::to_string(stages),
        size == 1 ? fmt::format("{} workers are no pipelines of so many stages; a number that "
                                "divides {} is accepted",
                                workers, workers)
                  : fmt::format("{} workers, of which {} hold a stage together, are no pipelines "
                                "of so many stages; a number that divides {} is accepted",
                                workers, size, workers / size));
  }
  Cast made = in_pipelines(replicas(setting), stages, size);
  const bool of_stages = setting.hyperparameters.contains("stages");
  if (of_stages && stages * size == 1) made.holds = nullptr;  // any model will do
  return made;
}

}  // namespace cast

}  // namespace trainyard
