#include <algorithm>
#include <regex>
#include <string>
#include <utility>
#include <vector>

#include "trainyard/report/network_format.hpp"
#include "trainyard/topology/spectrum.hpp"
#include "trainyard/topology/topology.hpp"

#include "support/catch.hpp"

namespace trainyard {

namespace {

std::string drawing_of(const std::string& name, int ranks) {
  Topology topology = make_topology(name, ranks, 1);
  const TopologyFigures figures = analyse(topology);
  return topology_svg({std::move(topology), figures, 0});
}

std::vector<Place> circles(const std::string& svg) {
  const std::regex circle("<circle cx=\"([-0-9.]+)\" cy=\"([-0-9.]+)\"");
  std::vector<Place> found;
  for (std::sregex_iterator at(svg.begin(), svg.end(), circle), end; at != end; ++at) {
    found.push_back({std::stod((*at)[1]), std::stod((*at)[2])});
  }
  return found;
}

}  // namespace

TEST_CASE("a graph lies in the middle of its drawing", "[report]") {
  // The corners of a triangle and of a pentagon are not spread evenly around the circle's centre,
  // and random places not at all.
  for (const auto& [name, ranks] : {std::pair{"ring", 3}, {"ring", 5}, {"geometric", 12}}) {
    INFO(name << " of " << ranks);
    const std::vector<Place> places = circles(drawing_of(name, ranks));
    REQUIRE(places.size() == static_cast<std::size_t>(ranks));
    const auto [left, right] = std::ranges::minmax(places, {}, &Place::x);
    const auto [up, down] = std::ranges::minmax(places, {}, &Place::y);
    CHECK((left.x + right.x) / 2 == Approx(30.0 + 460.0 / 2).margin(0.06));
    CHECK((up.y + down.y) / 2 == Approx(66.0 + 460.0 / 2).margin(0.06));
    CHECK(std::max(right.x - left.x, down.y - up.y) == Approx(460.0 - 2 * 13.0 - 4.0).margin(0.1));
  }
}

TEST_CASE("ranks have their numbers where these can be read", "[report]") {
  CHECK_THAT(drawing_of("ring", 40), ContainsSubstring(">39</text>"));
  CHECK_THAT(drawing_of("ring", 41), !ContainsSubstring(">39</text>"));
  CHECK_THAT(drawing_of("one-peer-exp", 32), ContainsSubstring(">31</text>"));
}

}  // namespace trainyard
