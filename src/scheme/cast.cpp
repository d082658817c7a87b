#include "trainyard/scheme/cast.hpp"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

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

/// Workers in a row that take the same minibatches are the stages of one pipeline.
std::vector<Holding> a_stage_each(const Model& model, const Cast& made) {
  if (model.layered() == nullptr)
    throw UsageError("a model without layers cannot be cut into stages; mlp:H1,H2,… has layers");
  const std::size_t stages = made.shares.front().size();
  const std::vector<Stage> cut = model.layered()->cut(static_cast<int>(stages));
  std::vector<Holding> holdings;
  for (std::size_t worker = 0; worker < made.shares.size(); ++worker) {
    holdings.emplace_back(cut[worker % stages].parameters);
  }
  return holdings;
}

/// REQUIRES: the number of workers is a multiple of `stages`.
Cast in_pipelines(int workers, int stages) {
  Cast made{.workers = workers, .holds = a_stage_each};
  for (int worker = 0; worker < workers; ++worker) {
    std::vector<int>& shares = made.shares.emplace_back(static_cast<std::size_t>(stages));
    std::iota(shares.begin(), shares.end(), worker - worker % stages);
  }
  return made;
}

}  // namespace

Cast one_worker(const CastSetting& setting) {
  return {.workers = 1, .shares = {everyone(setting.workers)}};
}

Cast pipeline(const CastSetting& setting) {
  return in_pipelines(setting.workers, setting.workers);
}

Cast pipelines(const CastSetting& setting) {
  const double asked = hyperparameter(setting.hyperparameters, "stages");
  const int stages = static_cast<int>(std::max(1.0, asked));
  if (stages > setting.workers || setting.workers % stages != 0) {
    throw OptionError("stages", fmt::to_string(stages),
                      fmt::format("{} workers are no pipelines of so many stages; a number that "
                                  "divides {} is accepted",
                                  setting.workers, setting.workers));
  }
  Cast made = in_pipelines(setting.workers, stages);
  if (stages == 1) made.holds = nullptr;  // any model will do
  return made;
}

}  // namespace cast

}  // namespace trainyard
