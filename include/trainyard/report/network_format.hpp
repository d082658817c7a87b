// Netchecks, timelines and topologies as text, as JSON and as figures.
//
// Threads: any; they return text and touch nothing else.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "trainyard/analysis/consensus.hpp"
#include "trainyard/analysis/netcheck.hpp"
#include "trainyard/analysis/timeline.hpp"
#include "trainyard/topology/spectrum.hpp"
#include "trainyard/topology/topology.hpp"

namespace trainyard {

/// {"latency_s", "bandwidth_bytes_per_s" (null: no limit), "ports", "time", "servers", "bytes",
/// "repetitions" (null: simulated, where all are alike), "rows": [{"collective", "workers",
/// "messages_per_rank", "bytes_per_rank", "closed_form_s", "measured_s", "measured_p99_s",
/// "ratio"}, …]}: "bytes" of each worker's vector.
std::string netcheck_json(const std::vector<NetcheckRow>& rows, const NetcheckOptions& options);
std::string netcheck_table(const std::vector<NetcheckRow>& rows, const NetcheckOptions& options);

/// {"title", "detail", "latency_s", "bandwidth_bytes_per_s", "from", "makespan", "ranks",
/// "messages": [{"from", "to", "bytes", "posted", "start", "first_bit", "end"}, …]}: what is drawn,
/// and for which network and computing, in words; the names of the ranks, which messages have by
/// number from 0; of a replayed schedule also "rank_times": [{"ended", "computed"}, …]; times in
/// seconds of the timeline's clock, which is at `from` when all begins;
/// messages in the order of their posts.
std::string timeline_json(const Timeline& timeline);

struct TextStyle {
  int columns = 100;  // of the terminal
  bool color = false;
};

/// Ports as rows, time as columns, one letter a message: small while its latency passes, a capital
/// while its bits do. The messages are listed beneath.
std::string timeline_text(const Timeline& timeline, const TextStyle& style);

/// A self-contained SVG: one row a rank, what it sends above, what it receives below; latency in
/// another colour than the bits, which have their sender's. For papers and slides, and where there
/// is no browser; pages (--html) draw the same with d3, to be played with.
std::string timeline_svg(const Timeline& timeline);

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
