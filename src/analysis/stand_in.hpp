// Makes the model that a prediction plays in a model's stead: a smaller one, on a network that is
// slower by the same factor.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "trainyard/configuration/configuration.hpp"
#include "trainyard/data/catalog.hpp"
#include "trainyard/model/layered_model.hpp"
#include "trainyard/network/network.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "analysis/layer_chain.hpp"

namespace trainyard {

struct StandIn {
  std::size_t floats = 0;
  Network network;
  std::string name;  // of the model
  std::size_t batch = 1;
  double factor = 1.0;  // its size, where that of what it stands for is 1
  LoadedData data{};    // rows for it
};

/// For a model of so many floats: itself, if all workers together then have at most `most_floats`,
/// or a smaller one, divided evenly by the workers, the servers and both. A row, which is a
/// minibatch, touches that share of it, as evenly as can be; with 1 a single parameter, which is
/// for runs without keys.
StandIn stand_in(std::size_t parameters, double touched, const Configuration& c,
                 std::uint64_t most_floats);

/// The model that is trained by schemes that divide layers.
struct DividedChain {
  LayerChain chain;
  ChainDivision division;
  std::unique_ptr<Model> model;
};

/// The chain for a scheme that divides layers; options that the run leaves open are set in `c`.
std::optional<DividedChain> chain_of(const Scheme& scheme, std::size_t parameters,
                                     Configuration& c);

/// Nothing where all workers together would hold more than fits into a machine's memory.
std::optional<StandIn> stand_in(const DividedChain& divided, const Configuration& c);

}  // namespace trainyard
