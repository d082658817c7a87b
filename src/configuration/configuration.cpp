#include "trainyard/configuration/configuration.hpp"

#include "trainyard/scheme/scheme.hpp"

namespace trainyard {

Cast cast_of(const Scheme& scheme, const Configuration& c) {
  return cast_of(scheme, c.workers, c.servers, c.ingredients,
                 with_fallbacks(scheme, c.hyperparameters, c.workers));
}

Ingredients make_ingredients(const Scheme& scheme, const Configuration& c) {
  return make_ingredients(c.ingredients, {.scheme = scheme,
                                          .workers = c.workers,
                                          .seed = c.seed,
                                          .hyperparameters = c.hyperparameters});
}

}  // namespace trainyard
