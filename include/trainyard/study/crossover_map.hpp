// Maps the scheme that reaches the target first, over a grid of two options: the crossover map.
//
//   MapRequest request{.comparison = {.configuration = c,
//                                     .contestants = parse_contestants("ring,gossip,ps-async")},
//                      .axes = parse_map("latency=10us:100ms,bandwidth=1Mbps:100Gbps")};
//   const CrossoverMap map = crossover_map(request, {});
//
// Every contestant trains once, where the configuration says. Where workers keep pace and
// communicate by the numbers of their steps, the network decides when a step ends and not what it
// does: in every cell training takes as many steps, S, and time
//   T = t_1 + (S − 1) t,
// with t_1 the closed form of the first step and t what predict() finds to be sustained there; S
// comes from the run's own T. (Without a closed form, T = S t.) Any other contestant runs in every
// cell: of free pace, or whose steps end by who comes first or change in the course of a run, whose
// messages' lengths depend on the data, who has a period and not 50 of them before the target; and
// all of them where an axis changes what is trained, like the number of workers.
//
// Threads: as run_comparison().
#pragma once

#include <array>
#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trainyard/study/comparison.hpp"

namespace trainyard {

/// Down and across, each value as it is typed.
using MapAxes = std::array<Variation, 2>;

/// "NAME=VALUES,NAME=VALUES", each as parse_variation() has it; the first goes across. Throws
/// UsageError, naming --map, for anything else.
MapAxes parse_map(std::string_view text);

struct MapRequest {
  ComparisonRequest comparison;  // REQUIRES: no variations, one seed
  MapAxes axes;
};

struct MapCell {
  /// To the target, of each contestant that reached it after a message had arrived.
  std::vector<std::optional<double>> seconds;

  /// So many contestants can be first, those at the beginning, or all.
  std::size_t ranked = std::numeric_limits<std::size_t>::max();

  /// Index of the least of those; -1 where none of them reached it.
  int first() const;
  /// How many times as fast as the next of them; empty where none else reached it.
  std::optional<double> ahead() const;
};

struct MappedContestant {
  std::string label;
  double lr = 0.0;         // of all cells, unless an axis varies it
  bool predicted = false;  // from one run and what a step takes; otherwise from a run in every cell
  /// The place, like one machine, in which its workers share memory, on a map of networks between
  /// machines, or if such a network was asked for: it stands apart, at the end, and is first
  /// nowhere.
  std::optional<std::string> within{};
};

struct CrossoverMap {
  MapAxes axes;
  std::vector<MappedContestant> contestants;
  std::vector<MapCell> cells;  // the values across change fastest
  std::optional<double> target_loss, target_accuracy, target_gradient;
  std::vector<Note> notes{};  // of the runs that it is made of
  bool interrupted = false;   // then cells lack contestants that might be first

  const MapCell& cell(std::size_t down, std::size_t across) const {
    return cells[down * axes[0].values.size() + across];
  }
};

/// In simulated time, whatever --time auto would be. Without a target it is the training loss that
/// all reach where the configuration says. Throws UsageError for `wall`, and where nobody reaches
/// the target there. An interrupt ends the runs under way; their cells lack those contestants.
CrossoverMap crossover_map(const MapRequest& request, const ComparisonHooks& hooks);

}  // namespace trainyard
