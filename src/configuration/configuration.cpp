#include "trainyard/configuration/configuration.hpp"

#include "trainyard/scheme/scheme.hpp"

namespace trainyard {

Cast cast_of(const Scheme& scheme, const Configuration& c) {
  Cast cast = cast_of(scheme, c.workers, servers_of(c), c.ingredients,
                      with_fallbacks(scheme, c.hyperparameters, c.workers));
  if (c.data_source == DataSource::server) cast.data_servers = 1;
  return cast;
}

Ingredients make_ingredients(const Scheme& scheme, const Configuration& c) {
  return make_ingredients(c.ingredients, {.scheme = scheme,
                                          .workers = c.workers,
                                          .seed = c.seed,
                                          .hyperparameters = c.hyperparameters});
}

}  // namespace trainyard
