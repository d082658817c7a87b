// Partial averaging and nothing else: x ← W(k) x, round by round, as lectures tabulate it.
//
// Threads: any; these are functions of their arguments.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>
#include <vector>

#include "trainyard/topology/topology.hpp"

namespace trainyard {

struct ConsensusRound {
  std::vector<double> values;  // a worker
  double distance = 0.0;       // (1/n) Σ (x_i − x̄)²
};

/// The start and `rounds` rounds after it. REQUIRES: as many values as the topology has ranks.
std::vector<ConsensusRound> average_over(const Topology& topology, std::vector<double> start,
                                         std::uint64_t rounds);

/// Reads one number a worker, separated by blanks or line ends; a # begins a comment. Throws
/// UsageError that begins with `what`, names the line, and says what is accepted.
std::vector<double> read_values(const std::filesystem::path& file, int workers,
                                std::string_view what);
/// Reads them from text; `name` stands for "WHAT: FILE".
std::vector<double> parse_values(std::string_view text, int workers, const std::string& name);

}  // namespace trainyard
