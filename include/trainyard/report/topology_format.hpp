// Topologies and partial averaging over them as text, JSON and figures.
//
// Threads: any; they return text and touch nothing else.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "trainyard/analysis/consensus.hpp"
#include "trainyard/topology/spectrum.hpp"
#include "trainyard/topology/topology.hpp"

namespace trainyard {

/// A topology as `trainyard topology` shows it, for a model of so many bytes.
struct TopologyReport {
  Topology topology;
  TopologyFigures figures;
  std::uint64_t model_bytes = 0;
};

/// {"topology", "seed", "model_bytes", "rows": [{"workers", "period", …, "W": [W(0), W(1), …]},
/// …]}. What does not apply is null, and so is W where it has more than a million entries.
std::string topology_json(const std::vector<TopologyReport>& reports, std::uint64_t seed);
/// One, with W where it is small; several as a table with a line each.
std::string topology_text(const std::vector<TopologyReport>& reports);
/// A self-contained SVG: ranks and their links, a panel for each of the first rounds. For papers
/// and slides, and where there is no browser; pages (--html) draw the same with d3, to be played
/// with.
std::string topology_svg(const TopologyReport& report);

/// {"topology", "workers", "seed", "mean", "rounds": [{"round", "x", "consensus_distance"}, …]}
std::string consensus_json(const Topology& topology, std::uint64_t seed,
                           const std::vector<ConsensusRound>& rounds);
/// A line a round: all values, of many workers the lowest and the highest, and their distance.
std::string consensus_text(const Topology& topology, const std::vector<ConsensusRound>& rounds);

}  // namespace trainyard
