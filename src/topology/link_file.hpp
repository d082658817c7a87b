// Graphs as people write them down: a link a line, ranks from 0; what follows a # is a comment.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "trainyard/topology/topology.hpp"

namespace trainyard {

struct LinkFile {
  bool weighted = false;          // all lines have a weight, or none has
  std::vector<MixingEdge> links;  // to, from and weight, as they stand; 0 where there are none
};

/// The kinds of lines that are accepted.
enum class LinkLines {
  both_ways_or_weighted,  // "i j", which is j i too, or "i j weight": i receives from j
  one_way,                // "i j": i receives from j
};

/// Throws UsageError that begins with the topology's name, says in which line, and what is
/// accepted.
LinkFile read_links(const TopologyRequest& request, LinkLines lines, const std::string& topology);
/// Reads them from text; `name` stands for "TOPOLOGY: FILE".
LinkFile parse_links(std::string_view text, const std::string& name, int ranks, LinkLines lines);

/// The matrices that file:PATH and digraph:PATH make of such links. `name` as above.
MixingMatrix matrix_of_links(const LinkFile& file, const std::string& name, int ranks);
MixingMatrix matrix_of_one_way_links(const LinkFile& file, int ranks);

}  // namespace trainyard
