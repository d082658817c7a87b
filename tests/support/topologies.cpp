#include "support/topologies.hpp"

namespace trainyard::test {

std::vector<std::string> topologies_for(int n) {
  std::vector<std::string> names{
      "base:3",          "base:4",        "base:5",         "simple-base:3",  "simple-base:4",
      "erdos-renyi:0.6", "geometric:1.1", "d-equistatic:2", "u-equistatic:1", "d-equistatic:9"};
  const bool power_of_two = (n & (n - 1)) == 0;
  int root = 0;
  while (root * root < n) ++root;
  for (const TopologyInfo& info : topologies()) {
    const bool cube = info.name == "hypercube" || info.name == "one-peer-hypercube";
    if (info.takes_file() || (cube && !power_of_two)) continue;
    if (info.name == "margulis" && root * root != n) continue;
    if (info.name == "random-regular" && n <= 4) continue;
    names.push_back(info.name);
  }
  if (n >= 4 && n % 2 == 0) names.emplace_back("random-regular:3");
  return names;
}

}  // namespace trainyard::test
