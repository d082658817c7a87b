#include "analysis/layer_chain.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "trainyard/base/error.hpp"
#include "trainyard/data/generate.hpp"
#include "trainyard/model/model.hpp"

namespace trainyard {

namespace {

/// The most units of a stand-in's layers. Messages are then off by at most 3 % of what the
/// gradients of a stage take.
constexpr std::size_t enough_units = 32;

/// Beyond it a step of so many rows takes long to compute.
constexpr std::size_t large_units = 256;

/// Nobody has deeper pipelines, and where to cut takes time with the cube of the layers.
constexpr int most_stages_of_chain = 64;

std::string name_of_chain(std::size_t units, int layers) {
  require(layers >= 2, "a chain has a layer below the last");
  std::string name = fmt::format("mlp:{}", units);
  for (int layer = 2; layer < layers; ++layer) name += fmt::format(",{}", units);
  return name;
}

}  // namespace

LayerChain::LayerChain(std::size_t of_layer, int number)
    : units(of_layer), layers(number), model(name_of_chain(units, layers)) {}

/// A layer has u(u + 1) of them.
LayerChain LayerChain::of_parameters(std::size_t parameters, const ChainDivision& division) {
  const double of_layer = static_cast<double>(parameters) / division.layers();
  const double units = std::round((std::sqrt(1.0 + 4.0 * of_layer) - 1.0) / 2.0);
  auto made = static_cast<std::size_t>(std::clamp(units, 2.0, 1e6));
  const auto parts = static_cast<std::size_t>(division.parts);
  if (made > parts) made -= made % parts;
  return {made, division.layers()};
}

LoadedData LayerChain::data(std::size_t rows, std::uint64_t seed) const {
  LoadedData data{"a chain of layers", generate_blobs(rows, units, 2, 1.0, seed), {}};
  data.train.classes = static_cast<int>(units);
  return data;
}

std::unique_ptr<Model> LayerChain::make() const {
  const LoadedData rows = data(1, 1);
  return make_model({model, 0.0}, rows.train);
}

namespace {

bool names(const Scheme& scheme, std::string_view hyperparameter) {
  return std::ranges::count(scheme.hyperparameters, hyperparameter, &HyperparameterInfo::name) > 0;
}

}  // namespace

bool has_stages(const Scheme& scheme) {
  return names(scheme, "stages");
}

bool has_parts(const Scheme& scheme) {
  return names(scheme, "tensor-size");
}

bool divides_layers(const Scheme& scheme, const Configuration& c) {
  const Hyperparameters complete = with_fallbacks(scheme, c.hyperparameters, c.workers);
  return cast_of(scheme, c.workers, servers_of(c), c.ingredients, complete).holds != nullptr;
}

ChainDivision choose_division(const Scheme& scheme, Configuration& c) {
  ChainDivision made;
  if (has_parts(scheme)) {
    const Hyperparameters complete = with_fallbacks(scheme, c.hyperparameters, c.workers);
    made.parts = static_cast<int>(hyperparameter(complete, "tensor-size"));
  }
  if (!has_stages(scheme)) return made;
  double& stages = c.hyperparameters["stages"];
  if (stages == 0.0) {
    const int groups = std::max(1, c.workers / made.parts);
    int most = std::min(groups, most_stages_of_chain);
    while (groups % most != 0) --most;
    stages = most;
  }
  made.stages = static_cast<int>(stages);
  return made;
}

/// The shortest minibatches that microbatches divide and that divide the whole ones; where these
/// are the whole ones only, and layers large, the shortest that microbatches divide.
ChainStandIn stand_in_of(const LayerChain& chain, const ChainDivision& division,
                         const Configuration& c, std::size_t microbatches) {
  const auto stages = static_cast<std::size_t>(division.stages);
  const auto parts = static_cast<std::size_t>(division.parts);
  const auto units_with = [&](std::size_t rows) {
    const std::size_t units = (chain.units * rows + c.batch / 2) / c.batch;
    return (units + parts - 1) / parts * parts;
  };
  const auto shortest = [&](bool divided) {
    for (std::size_t rows = 1; rows < c.batch; ++rows) {
      const bool fits =
          rows * stages * parts % microbatches == 0 && (c.batch % rows == 0 || !divided);
      const bool large_enough = units_with(rows) >= std::min(enough_units * parts, chain.units);
      if (fits && large_enough) return rows;
    }
    return c.batch;
  };
  std::size_t batch = shortest(true);
  if (batch == c.batch && chain.units > large_units) batch = shortest(false);
  const std::size_t units = batch == c.batch ? chain.units : units_with(batch);
  ChainStandIn made{{units, chain.layers}, batch};
  made.factor =
      stages * parts == 1
          ? static_cast<double>(made.chain.parameters()) / static_cast<double>(chain.parameters())
          : static_cast<double>(units * batch) / static_cast<double>(chain.units * c.batch);
  return made;
}

}  // namespace trainyard
