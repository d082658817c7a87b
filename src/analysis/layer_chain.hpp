// A chain of layers alike, for schemes whose workers hold some of them each: where nobody trains,
// it is the model.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "trainyard/configuration/configuration.hpp"
#include "trainyard/data/catalog.hpp"
#include "trainyard/model/layered_model.hpp"
#include "trainyard/scheme/scheme.hpp"

namespace trainyard {

struct LayerChain {
  std::size_t units = 0;  // of each layer, of a row and of the scores
  int layers = 0;
  std::string model;  // its name, "mlp:9,9"

  /// About so many parameters in so many layers. REQUIRES: layers ≥ 2.
  static LayerChain of_parameters(std::size_t parameters, int layers);
  LayerChain(std::size_t units, int layers);

  std::size_t parameters() const { return static_cast<std::size_t>(layers) * units * (units + 1); }
  /// Rows that it takes.
  LoadedData data(std::size_t rows, std::uint64_t seed) const;
  std::vector<Stage> stages(int number) const;
};

/// Whether the scheme's workers are the stages of pipelines.
bool has_stages(const Scheme& scheme);

/// The scheme's stages in a run of `c`, which are set in it: all workers are one pipeline where it
/// does not say otherwise, or pipelines of 64 stages at most.
int choose_stages(Configuration& c);

/// What stands in for a chain in a prediction: thinner layers and shorter minibatches.
struct ChainStandIn {
  LayerChain chain;
  std::size_t batch;  // rows a worker
  /// How long what goes from stage to stage is, or is added up where there is one stage, of what it
  /// stands for.
  double factor = 1.0;
};
/// Of a run of `c`, whose minibatches are cut into so many parts.
ChainStandIn stand_in_of(const LayerChain& chain, const Configuration& c, std::size_t microbatches);

}  // namespace trainyard
