#include "trainyard/scheme/cast.hpp"

#include <algorithm>
#include <numeric>

#include "trainyard/base/error.hpp"
#include "trainyard/model/layered_model.hpp"

namespace trainyard {

std::vector<int> Cast::shares_of(int worker) const {
  if (shares.empty()) return {worker};
  return shares[static_cast<std::size_t>(worker)];
}

std::vector<int> hosts_of(const Cast& cast) {
  std::vector<int> hosts;
  const auto spread = [&](int servers) {
    for (int s = 0; s < servers; ++s) {
      hosts.push_back(static_cast<int>(static_cast<long>(cast.workers) * s / servers));
    }
  };
  spread(cast.proxies);
  spread(cast.servers - cast.proxies);
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

Cast servers(const CastSetting& setting) {
  return {.workers = setting.workers, .servers = setting.servers, .model = ModelHome::servers};
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

std::vector<Holding> a_stage_each(const Model& model, const Cast& made) {
  if (model.layered() == nullptr)
    throw UsageError("a model without layers cannot be cut into stages; mlp:H1,H2,… has layers");
  std::vector<Holding> holdings;
  for (const Stage& stage : model.layered()->cut(made.workers)) {
    holdings.emplace_back(stage.parameters);
  }
  return holdings;
}

}  // namespace

Cast one_worker(const CastSetting& setting) {
  return {.workers = 1, .shares = {everyone(setting.workers)}};
}

Cast pipeline(const CastSetting& setting) {
  return {
      .workers = setting.workers,
      .shares = std::vector(static_cast<std::size_t>(setting.workers), everyone(setting.workers)),
      .holds = a_stage_each};
}

}  // namespace cast

}  // namespace trainyard
