// Contestants by name, for the tests of what is asked about them.
#pragma once

#include <string_view>

#include "trainyard/configuration/contestant.hpp"

namespace trainyard::test {

/// "gossip:ring".
inline Contestant contestant(std::string_view text) {
  return parse_contestants(text).front();
}

}  // namespace trainyard::test
