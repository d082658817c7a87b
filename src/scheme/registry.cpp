#include <algorithm>
#include <string>
#include <vector>

#include "trainyard/base/named_table.hpp"
#include "trainyard/scheme/scheme.hpp"

namespace trainyard {

// The scheme's own file says everything about it, in its row at the end.
Scheme sequential_scheme();
Scheme ps_sync_scheme();
Scheme ring_scheme();
Scheme all_reduce_scheme();

Scheme ps_async_scheme();
Scheme staleness_aware_scheme();
Scheme dc_asgd_c_scheme();
Scheme dc_asgd_a_scheme();

Scheme ssp_scheme();
Scheme ssp_strict_scheme();

Scheme local_sgd_scheme();
Scheme easgd_scheme();
Scheme easgd_async_scheme();

Scheme hogwild_scheme();
Scheme hogwild_numa_scheme();
Scheme hogwild_plus_plus_scheme();

Scheme gossip_scheme();

const std::vector<Scheme>& schemes() {
  static const std::vector<Scheme> table{
      sequential_scheme(), ps_sync_scheme(),         ring_scheme(),
      all_reduce_scheme(),

      ps_async_scheme(),   staleness_aware_scheme(), dc_asgd_c_scheme(),
      dc_asgd_a_scheme(),

      ssp_scheme(),        ssp_strict_scheme(),

      local_sgd_scheme(),  easgd_scheme(),           easgd_async_scheme(),

      hogwild_scheme(),    hogwild_numa_scheme(),    hogwild_plus_plus_scheme(),

      gossip_scheme(),
  };
  return table;
}

int server_count(const Scheme& scheme, const AllReduce& collective, int workers, int wanted) {
  if (scheme.has_collective) return collective.servers(workers, wanted);
  return scheme.server == nullptr ? 0 : wanted;
}

int shared_models(const Scheme& scheme, const Hyperparameters& hyperparameters, int workers) {
  if (!scheme.has_groups) return 1;
  return static_cast<int>(std::min<double>(hyperparameter(hyperparameters, "groups"), workers));
}

Hyperparameters with_fallbacks(const Scheme& scheme, Hyperparameters given) {
  for (const HyperparameterInfo& parameter : scheme.hyperparameters) {
    given.try_emplace(parameter.name, parameter.default_value());
  }
  return given;
}

const Scheme& find_scheme(std::string_view name) {
  return find_named(schemes(), name, "scheme");
}

}  // namespace trainyard
