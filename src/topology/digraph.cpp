// A directed graph of the user's own, in which workers need not receive as much as they send: a
// line "i j" says that i receives from j. Who sends gives equal shares and keeps one, so that the
// columns of W add up to 1 and its rows need not. Plain averaging over it moves the mean; push-sum
// does not (Kempe, Dobra & Gehrke, FOCS 2003; Assran et al., ICML 2019; catalogue §4.2).
#include "topology/link_file.hpp"

namespace trainyard {

MixingMatrix matrix_of_one_way_links(const LinkFile& file, int ranks) {
  return equal_shares(ranks, file.links);
}

TopologyInfo digraph_topology() {
  return {
      .name = "digraph",
      .argument = "PATH",
      .summary = "your own, directed, for push-sum: lines 'i j', i receives from j; 1/(out + 1)",
      .make = [](const TopologyRequest& request) {
        const LinkFile file = read_links(request, LinkLines::one_way, "digraph");
        return Topology{"", {matrix_of_one_way_links(file, request.ranks)}};
      }};
}

}  // namespace trainyard
