#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "trainyard/base/error.hpp"
#include "trainyard/base/named_table.hpp"
#include "trainyard/scheme/scheme.hpp"

namespace trainyard {

// The scheme's own file says everything about it, in its row at the end.
Scheme sequential_scheme();
Scheme ps_sync_scheme();
Scheme ring_scheme();
Scheme all_reduce_scheme();
Scheme ps_hierarchical_scheme();

Scheme ps_backup_scheme();
Scheme gradient_coding_scheme();

Scheme ps_async_scheme();
Scheme staleness_aware_scheme();
Scheme dc_asgd_c_scheme();
Scheme dc_asgd_a_scheme();

Scheme ssp_scheme();
Scheme ssp_strict_scheme();
Scheme essp_scheme();
Scheme value_bound_scheme();

Scheme local_sgd_scheme();
Scheme easgd_scheme();
Scheme easgd_async_scheme();

Scheme hogwild_scheme();

Scheme gossip_scheme();

const std::vector<Scheme>& schemes() {
  static const std::vector<Scheme> table{
      sequential_scheme(),  ps_sync_scheme(),         ring_scheme(),
      all_reduce_scheme(),  ps_hierarchical_scheme(),

      ps_backup_scheme(),   gradient_coding_scheme(),

      ps_async_scheme(),    staleness_aware_scheme(), dc_asgd_c_scheme(),
      dc_asgd_a_scheme(),

      ssp_scheme(),         ssp_strict_scheme(),      essp_scheme(),
      value_bound_scheme(),

      local_sgd_scheme(),   easgd_scheme(),           easgd_async_scheme(),

      hogwild_scheme(),

      gossip_scheme(),
  };
  return table;
}

int server_count(const Scheme& scheme, const AllReduce& collective, int workers, int wanted) {
  if (scheme.has_collective) return collective.servers(workers, wanted);
  if (scheme.has_proxies) return find_all_reduce("hierarchical").servers(workers, wanted);
  if (scheme.server == nullptr) return 0;
  return scheme.one_server ? 1 : wanted;
}

int proxy_count(const Scheme& scheme, int servers) {
  return scheme.has_proxies ? servers - 1 : 0;
}

std::vector<int> shares_of(const Scheme& scheme, int worker, int workers,
                           const Hyperparameters& hyperparameters) {
  if (scheme.shares != nullptr) return scheme.shares(worker, workers, hyperparameters);
  if (!scheme.one_rank) return {worker};
  std::vector<int> all(static_cast<std::size_t>(workers));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

Hyperparameters with_fallbacks(const Scheme& scheme, Hyperparameters given, int workers) {
  for (const HyperparameterInfo& parameter : scheme.hyperparameters) {
    const double most = parameter.of_workers ? workers - 1 : parameter.high;
    const auto [entry, missing] =
        given.try_emplace(parameter.name, std::min(parameter.fallback, most));
    if (entry->second > most) {
      throw UsageError(fmt::format("--{}: {} of {} workers leave none; at most {}", parameter.name,
                                   entry->second, workers, most));
    }
  }
  return given;
}

const Scheme& find_scheme(std::string_view name) {
  return find_named(schemes(), name, "scheme");
}

}  // namespace trainyard
