// The table of topologies. A new one is a file with its row at the end, and its name in both lists.
#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "trainyard/base/echoed.hpp"
#include "trainyard/base/error.hpp"
#include "trainyard/base/open_table.hpp"
#include "trainyard/base/units.hpp"
#include "trainyard/topology/add_topology.hpp"
#include "trainyard/topology/topology.hpp"

namespace trainyard {

TopologyInfo ring_topology();
TopologyInfo path_topology();
TopologyInfo star_topology();
TopologyInfo full_topology();
TopologyInfo grid_topology();
TopologyInfo torus_topology();
TopologyInfo hypercube_topology();
TopologyInfo one_peer_hypercube_topology();
TopologyInfo static_exponential_topology();
TopologyInfo one_peer_exponential_topology();
TopologyInfo base_topology();
TopologyInfo simple_base_topology();
TopologyInfo margulis_topology();

TopologyInfo random_regular_topology();
TopologyInfo erdos_renyi_topology();
TopologyInfo geometric_topology();
TopologyInfo d_equistatic_topology();
TopologyInfo u_equistatic_topology();
TopologyInfo od_equidyn_topology();
TopologyInfo ou_equidyn_topology();

TopologyInfo file_topology();
TopologyInfo digraph_topology();

namespace {

std::vector<TopologyInfo> published_topologies() {
  return {
      ring_topology(),
      path_topology(),
      star_topology(),
      full_topology(),
      grid_topology(),
      torus_topology(),
      hypercube_topology(),
      one_peer_hypercube_topology(),
      static_exponential_topology(),
      one_peer_exponential_topology(),
      base_topology(),
      simple_base_topology(),
      margulis_topology(),

      random_regular_topology(),
      erdos_renyi_topology(),
      geometric_topology(),
      d_equistatic_topology(),
      u_equistatic_topology(),
      od_equidyn_topology(),
      ou_equidyn_topology(),

      file_topology(),
      digraph_topology(),
  };
}

OpenTable<TopologyInfo>& topology_table() {
  static OpenTable<TopologyInfo> all("topology", published_topologies());
  return all;
}

/// Of topologies whose row has no function.
std::map<std::string, TopologyMaker>& topology_makers() {
  static std::map<std::string, TopologyMaker> makers;
  return makers;
}

}  // namespace

const std::vector<TopologyInfo>& topologies() {
  return topology_table().rows();
}

void add_topology(TopologyInfo row, TopologyMaker make) {
  if (row.summary.empty()) {
    throw UsageError(
        fmt::format("topology '{}': .summary is its line in `list topologies`", row.name));
  }
  if (row.make == nullptr && !make) {
    throw UsageError(fmt::format("topology '{}': nothing says how it is made", row.name));
  }
  const std::string name = row.name;
  topology_table().add(std::move(row));
  topology_makers()[name] = std::move(make);
}

namespace {

struct Parsed {
  const TopologyInfo& info;
  TopologyRequest request;
};

const TopologyInfo& find_info(std::string_view name) {
  std::vector<std::string> names;
  for (const TopologyInfo& info : topologies()) {
    if (info.name == name) return info;
    names.push_back(info.name);
  }
  throw_unknown("topology", name, names);
}

double parse_argument(const TopologyInfo& info, std::string_view text) {
  const std::string what = fmt::format("{}: {}", info.name, info.argument);
  if (info.whole) {
    return static_cast<double>(parse_integer(text, what, static_cast<std::int64_t>(info.low),
                                             static_cast<std::int64_t>(info.high)));
  }
  const double number = parse_number(text, what);
  if (!(number > info.low && number <= info.high)) {
    throw UsageError(fmt::format("{}: {} is not above {} and at most {}", what, echoed(text),
                                 info.low, info.high));
  }
  return number;
}

Parsed parse(std::string_view text) {
  const std::size_t colon = std::min(text.find(':'), text.size());
  const TopologyInfo& info = find_info(text.substr(0, colon));
  Parsed parsed{info, {}};
  const bool has_argument = colon < text.size();
  const std::string_view argument = has_argument ? text.substr(colon + 1) : "";
  if ((has_argument && info.argument.empty()) || (info.takes_file() && argument.empty())) {
    throw UsageError(fmt::format("topology {} is to be written {}", echoed(text), info.typed()));
  }
  if (info.takes_file()) {
    parsed.request.file = argument;
  } else if (has_argument) {
    parsed.request.number = parse_argument(info, argument);
  }
  return parsed;
}

}  // namespace

Topology make_topology(std::string_view text, int ranks, std::uint64_t seed) {
  require(ranks >= 1, "a topology has at least one rank");
  Parsed parsed = parse(text);
  parsed.request.ranks = ranks;
  parsed.request.seed = seed;
  const TopologyInfo& info = parsed.info;
  Topology topology = info.make != nullptr ? info.make(parsed.request)
                                           : topology_makers().at(info.name)(parsed.request);
  topology.name = text;
  return topology;
}

void check_topology(std::string_view text) {
  (void)parse(text);
}

}  // namespace trainyard
