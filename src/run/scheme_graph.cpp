#include "trainyard/run/scheme_graph.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "trainyard/base/error.hpp"
#include "trainyard/topology/spectrum.hpp"
#include "trainyard/topology/transient.hpp"

namespace trainyard {

namespace {

/// The error allowed to eigenvalues that are worked out in doubles.
constexpr double tolerance = 1e-9;
/// Worked out as a dense matrix, in time n³: 5 seconds.
constexpr int most_with_eigenvalues = 2048;

const std::string& graph_name(const Configuration& c) {
  return ingredient_name(c.ingredients, "topology");
}

/// Averages over all workers, now and then, reach everybody whatever the graph is.
void check_mixing(const Topology& topology, const Configuration& c) {
  if (!connected(topology)) {
    const bool balanced = std::ranges::all_of(topology.matrices, row_stochastic);
    throw OptionError(
        "topology",
        fmt::format(
            "over {} some of {} workers never hear of others: the graph is not connected{}",
            graph_name(c), c.workers,
            balanced ? "; gossip-pga averages over all workers now and then, and takes it" : ""));
  }
  if (!mixes(topology)) {
    throw OptionError(
        "topology",
        fmt::format("over {} workers give away all they have, round after round, and "
                    "what they have goes in circles; give one of them a weight of its own",
                    graph_name(c)));
  }
}

void check_static_and_symmetric(const Scheme& scheme, const Topology& topology) {
  if (topology.period() == 1 && symmetric(topology.matrices.front())) return;
  throw OptionError(
      "topology",
      fmt::format(
          "{} needs a graph that stays and whose links go both ways with one weight; {} "
          "{}; ring, grid, torus, hypercube and full are such graphs, and gradient-tracking is a "
          "scheme that takes any",
          scheme.name, topology.name, topology.period() > 1 ? "changes" : "is directed"));
}

/// REQUIRES: W is symmetric.
std::optional<std::string> check_eigenvalues(const Scheme& scheme, const Configuration& c,
                                             const MixingMatrix& matrix) {
  const double least =
      scheme.graphs.least_eigenvalue(with_fallbacks(scheme, c.hyperparameters, c.workers));
  if (c.workers > most_with_eigenvalues) {
    return fmt::format(
        "warning: whether {} converges over {} is not checked: it tolerates no eigenvalue of W "
        "below {:.4f}, and they are worked out for at most {} workers",
        scheme.name, graph_name(c), least, most_with_eigenvalues);
  }
  const double found = smallest_eigenvalue(matrix);
  if (found < least - tolerance) {
    throw OptionError(
        "topology", fmt::format("{} diverges over {} of {} workers: an eigenvalue of W is {:.4f}, "
                                "and it tolerates "
                                "none below {:.4f}; exact-diffusion tolerates all",
                                scheme.name, graph_name(c), c.workers, found, least));
  }
  if (found > least + tolerance) return std::nullopt;
  return fmt::format(
      "warning: {} over {} of {} workers is at the limit: the smallest eigenvalue of W is "
      "what it just tolerates, noise along its eigenvector never fades, and replicas drift apart; "
      "exact-diffusion is free of it",
      scheme.name, graph_name(c), c.workers);
}

}  // namespace

std::shared_ptr<const Topology> graph_of(const Scheme& scheme, const Configuration& c) {
  if (!takes(scheme, "topology")) return nullptr;
  const Hyperparameters complete = with_fallbacks(scheme, c.hyperparameters, c.workers);
  const int nodes = graph_nodes(scheme, c.workers, complete);
  try {
    return std::make_shared<const Topology>(make_topology(graph_name(c), nodes, c.seed));
  } catch (const UsageError& error) {
    throw OptionError("topology", error.what());
  }
}

std::optional<std::string> check_graph(const Scheme& scheme, const Configuration& c,
                                       const Topology& topology) {
  if (!takes(scheme, "collective")) check_mixing(topology, c);
  if (scheme.graphs.range == GraphRange::column_stochastic) return std::nullopt;
  if (!std::ranges::all_of(topology.matrices, row_stochastic)) {
    throw OptionError(
        "topology",
        fmt::format(
            "{} averages over graphs in which all receive as much as they send, where rows "
            "and columns of W add up to 1; in {} only columns do; sgp, which pushes sums, takes it",
            scheme.name, graph_name(c)));
  }
  if (scheme.graphs.range == GraphRange::doubly_stochastic) return std::nullopt;
  check_static_and_symmetric(scheme, topology);
  if (scheme.graphs.least_eigenvalue == nullptr) return std::nullopt;
  return check_eigenvalues(scheme, c, topology.matrices.front());
}

Ingredients make_ingredients(const Scheme& scheme, const Configuration& c,
                             const std::shared_ptr<const Topology>& graph) {
  const IngredientSetting setting{.scheme = scheme,
                                  .workers = c.workers,
                                  .servers = std::max(1, cast_of(scheme, c).servers),
                                  .seed = c.seed,
                                  .hyperparameters = c.hyperparameters};
  Ingredients made;
  for (const std::string& kind : scheme.takes) {
    if (kind != "topology") {
      ingredient_kind(kind).make(ingredient_name(scheme, c.ingredients, kind), setting, made);
    } else if (scheme.graphs.rounds == nullptr) {
      made.put(kind, graph);
    } else {
      made.put(kind, std::make_shared<const Topology>(
                         rounds_over(scheme, *graph, c.hyperparameters, c.seed)));
    }
  }
  return made;
}

std::optional<double> transient_of(const Scheme& scheme, const Ingredients& ingredients) {
  if (!scheme.graphs.has_transient || !takes(scheme, "topology")) return std::nullopt;
  const auto found = transient(ingredients.get<Topology>("topology"));
  return found ? std::optional(found->alike) : std::nullopt;
}

}  // namespace trainyard
