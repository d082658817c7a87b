// Every topology of the table that takes n workers, some with several arguments.
#pragma once

#include <string>
#include <vector>

#include "trainyard/topology/topology.hpp"

namespace trainyard::test {

/// As typed; without file:PATH. What n they take is worked out here, not asked of them.
std::vector<std::string> topologies_for(int n);

}  // namespace trainyard::test
