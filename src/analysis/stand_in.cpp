#include "analysis/stand_in.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "trainyard/base/even_split.hpp"
#include "trainyard/base/random.hpp"
#include "trainyard/run/resolve.hpp"

namespace trainyard {

namespace {

constexpr double most_floats_of_chains = 2e8;  // 0.8 GB, and some ten seconds

/// Some rows of each worker, in which one feature of each of as many strata as it touches is not 0:
/// as many for each server, where there are as many.
Dataset touching_rows(std::size_t features, double touched, const Configuration& c) {
  constexpr std::size_t rows_of_worker = 16;
  const auto servers = static_cast<std::size_t>(servers_of(c));
  const double of_server = touched * static_cast<double>(features) / static_cast<double>(servers);
  const std::size_t strata =
      std::min(features, std::max<std::size_t>(1, std::llround(of_server)) * servers);
  Dataset data;
  data.rows = static_cast<std::size_t>(c.workers) * rows_of_worker;
  data.features = features;
  data.sparse = true;
  data.labels = AlignedBuffer<Label>::zeroed(data.rows);
  data.row_begin = AlignedBuffer<std::uint64_t>(data.rows + 1);
  data.columns = AlignedBuffer<std::uint32_t>(data.rows * strata);
  data.values = AlignedBuffer<float>(data.rows * strata);
  RandomStream random(c.seed, Purpose::data_generator, 0);
  for (std::size_t row = 0; row <= data.rows; ++row) data.row_begin[row] = row * strata;
  for (std::size_t i = 0; i < data.columns.size(); ++i) {
    const int stratum = static_cast<int>(i % strata), all = static_cast<int>(strata);
    const std::size_t first = even_cut(features, stratum, all);
    const std::size_t width = even_cut(features, stratum + 1, all) - first;
    data.columns[i] = static_cast<std::uint32_t>(first + random.below(width));
    data.values[i] = 1.0F / static_cast<float>(strata);
  }
  return data;
}

/// A row of each worker, in which one feature is not 0.
Dataset least_rows(std::size_t features, std::size_t workers) {
  Dataset data;
  data.rows = workers;
  data.features = features;
  data.sparse = true;
  data.labels = AlignedBuffer<Label>::zeroed(workers);
  data.row_begin = AlignedBuffer<std::uint64_t>(workers + 1);
  data.columns = AlignedBuffer<std::uint32_t>(workers);
  data.values = AlignedBuffer<float>(workers);
  for (std::size_t row = 0; row <= workers; ++row) data.row_begin[row] = row;
  for (std::size_t row = 0; row < workers; ++row) {
    data.columns[row] = static_cast<std::uint32_t>(row % features);
    data.values[row] = 1.0F;
  }
  return data;
}

}  // namespace

StandIn stand_in(std::size_t parameters, double touched, const Configuration& c,
                 std::uint64_t most_floats) {
  const auto workers = static_cast<std::uint64_t>(c.workers);
  StandIn made{parameters, c.network, "logistic"};
  if (parameters > most_floats / workers) {
    const std::uint64_t divisor = workers * static_cast<std::uint64_t>(std::min(servers_of(c), 64));
    const std::uint64_t times = std::max<std::uint64_t>(1, most_floats / 4 / workers / divisor);
    made.floats = std::min(times * divisor, parameters);
    made.factor = static_cast<double>(made.floats) / static_cast<double>(parameters);
    slow_down(made.network, made.factor);
  }
  made.data = {"stand-in",
               touched == 1.0 ? least_rows(made.floats, static_cast<std::size_t>(c.workers))
                              : touching_rows(made.floats, touched, c),
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
