#include "analysis/stand_in.hpp"

#include <algorithm>
#include <cstdint>

#include "trainyard/data/generate.hpp"

#include "run/pipelines.hpp"

namespace trainyard {

namespace {

constexpr double most_floats_of_chains = 2e8;  // 0.8 GB, and some ten seconds

void slow_down(Network& network, double factor) {
  network.bytes_per_second *= factor;
  if (network.between_bytes_per_second) *network.between_bytes_per_second *= factor;
  for (NamedLink& named : network.links.named) named.link.bytes_per_second *= factor;
}

}  // namespace

StandIn stand_in(std::size_t parameters, const Configuration& c, std::uint64_t most_floats) {
  const auto workers = static_cast<std::uint64_t>(c.workers);
  StandIn made{parameters, c.network, "logistic"};
  if (parameters > most_floats / workers) {
    const std::uint64_t divisor = workers * static_cast<std::uint64_t>(std::min(servers_of(c), 64));
    const std::uint64_t times = std::max<std::uint64_t>(1, most_floats / 4 / workers / divisor);
    made.floats = std::min(times * divisor, parameters);
    made.factor = static_cast<double>(made.floats) / static_cast<double>(parameters);
    slow_down(made.network, made.factor);
  }
  made.data = {
      "stand-in",
      generate_sparse_logistic(static_cast<std::size_t>(c.workers), made.floats, 1, c.seed),
      {}};
  return made;
}

std::optional<DividedChain> chain_of(const Scheme& scheme, std::size_t parameters,
                                     Configuration& c) {
  if (!has_stages(scheme) && !divides_layers(scheme, c)) return std::nullopt;
  const ChainDivision division = choose_division(scheme, c);
  const LayerChain chain = LayerChain::of_parameters(parameters, division);
  resolve_pipelines(c, scheme, chain.data(1, c.seed), [](const std::string&) {});
  return DividedChain{chain, division, chain.make()};
}

namespace {

/// Floats that all workers hold in a step together. Those of a pipeline compute the rows of all of
/// them, each in the layers of its own stage, whose outputs are gathered where it has a part.
double held_together(const ChainStandIn& thin, const ChainDivision& division, int workers) {
  const auto units = static_cast<double>(thin.chain.units);
  const double copies = static_cast<double>(workers) / division.stages / division.parts;
  const double rows = static_cast<double>(thin.batch) * division.stages * division.parts;
  const double outputs = rows * units * thin.chain.layers * division.parts;
  return copies * (outputs + static_cast<double>(thin.chain.parameters()));
}

}  // namespace

std::optional<StandIn> stand_in(const DividedChain& divided, const Configuration& c) {
  const LayerChain& chain = divided.chain;
  const auto given = c.hyperparameters.find("microbatches");
  const ChainStandIn thin =
      stand_in_of(chain, divided.division, c,
                  given == c.hyperparameters.end() ? 1 : static_cast<std::size_t>(given->second));
  if (held_together(thin, divided.division, c.workers) > most_floats_of_chains) return std::nullopt;
  StandIn made{chain.parameters(), c.network, thin.chain.model, thin.batch, thin.factor};
  slow_down(made.network, thin.factor);
  made.data = thin.chain.data(thin.batch * static_cast<std::size_t>(c.workers), c.seed);
  return made;
}

}  // namespace trainyard
