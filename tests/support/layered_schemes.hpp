// Schemes that divide a model by its layers, beside all the others in a test over the whole table.
#pragma once

#include <algorithm>
#include <string>

#include "trainyard/scheme/scheme.hpp"

namespace trainyard::test {

/// Its workers hold a part of the model each, which then has layers.
inline bool divides_layers(const Scheme& scheme) {
  return cast_of(scheme, 1, 1, {}, with_fallbacks(scheme, {}, 1)).holds != nullptr;
}

/// What a small run of the scheme trains: empty, which is what suits the data, or where it needs
/// layers a network with units for 12 workers.
inline std::string model_for(const std::string& scheme) {
  const auto found = std::ranges::find(schemes(), scheme, &Scheme::name);
  return found != schemes().end() && divides_layers(*found) ? "mlp:12" : "";
}

/// How many schemes train a model without layers.
inline std::size_t schemes_for_any_model() {
  return schemes().size() -
         static_cast<std::size_t>(std::ranges::count_if(schemes(), divides_layers));
}

}  // namespace trainyard::test
