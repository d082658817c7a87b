#include "trainyard/configuration/configuration.hpp"

#include <algorithm>

#include "trainyard/runtime/robust_mean.hpp"
#include "trainyard/scheme/scheme.hpp"

namespace trainyard {

Cast cast_of(const Scheme& scheme, const Configuration& c) {
  Cast cast = cast_of(scheme, c.workers, servers_of(c), c.ingredients,
                      with_fallbacks(scheme, c.hyperparameters, c.workers));
  if (c.data_source == DataSource::server) cast.data_servers = 1;
  return cast;
}

std::string usual_collective(const Configuration& c) {
  return c.network.perfect() ? "by-size" : ingredient_kind("collective").fallback;
}

bool has_usual_collective(const Configuration& c) {
  return takes(find_scheme(c.scheme), "collective") &&
         ingredient_name(c.ingredients, "collective") == usual_collective(c);
}

Ingredients make_ingredients(const Scheme& scheme, const Configuration& c) {
  return make_ingredients(c.ingredients, {.scheme = scheme,
                                          .workers = c.workers,
                                          .servers = std::max(1, cast_of(scheme, c).servers),
                                          .seed = c.seed,
                                          .hyperparameters = c.hyperparameters});
}

Duration aggregate_time_of(const Configuration& c, const Ingredients& ingredients) {
  const Aggregator* rule = ingredients.find<Aggregator>(aggregate_kind);
  if (rule == nullptr || rule->is_mean()) return Duration{0};
  return c.aggregate_time.value_or(rule->usual_time());
}

}  // namespace trainyard
