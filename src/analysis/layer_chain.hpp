// A chain of layers alike, for schemes whose workers hold some of them each: where nobody trains,
// it is the model.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "trainyard/configuration/configuration.hpp"
#include "trainyard/data/catalog.hpp"
#include "trainyard/model/layered_model.hpp"
#include "trainyard/scheme/scheme.hpp"

namespace trainyard {

/// Whether the scheme's workers are the stages of pipelines.
bool has_stages(const Scheme& scheme);
/// Whether they hold parts of layers, or may.
bool has_parts(const Scheme& scheme);
/// Whether they hold a part of the model each in a run of `c`. Throws OptionError where so many
/// cannot.
bool divides_layers(const Scheme& scheme, const Configuration& c);

/// How a run divides a chain among those who hold a copy of it together.
struct ChainDivision {
  int stages = 1, parts = 1;  // p, and T of a stage

  /// The number of layers that the division takes, two at least.
  int layers() const { return std::max(2, parts == 1 ? stages : 2 * stages); }
};
struct LayerChain {
  std::size_t units = 0;  // of each layer, of a row and of the scores
  int layers = 0;
  std::string model;  // its name, "mlp:9,9"

  /// About so many parameters, in as many layers as a division takes and of units that its parts
  /// can share alike.
  static LayerChain of_parameters(std::size_t parameters, const ChainDivision& division);
  LayerChain(std::size_t units, int layers);

  std::size_t parameters() const { return static_cast<std::size_t>(layers) * units * (units + 1); }
  /// Rows that it takes.
  LoadedData data(std::size_t rows, std::uint64_t seed) const;
  /// Makes the model, whose parameters have no values yet.
  std::unique_ptr<Model> make() const;
};

/// Divides for the scheme in a run of `c`, and sets its stages in `c`: all workers are one pipeline
/// where it does not say otherwise, or pipelines of 64 stages at most.
ChainDivision choose_division(const Scheme& scheme, Configuration& c);

/// A smaller chain that a prediction plays instead: thinner layers and shorter minibatches.
struct ChainStandIn {
  LayerChain chain;
  std::size_t batch;  // rows a worker
  /// How long what goes from stage to stage is, or is added up where there is one stage, of what it
  /// stands for.
  double factor = 1.0;
};
/// The stand-in for a run of `c` whose minibatches are cut into `microbatches` parts.
ChainStandIn stand_in_of(const LayerChain& chain, const ChainDivision& division,
                         const Configuration& c, std::size_t microbatches);

}  // namespace trainyard
