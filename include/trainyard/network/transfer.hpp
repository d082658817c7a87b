// One message on its way through the switch.
//
// Threads: a value like any other: any number of threads may read one, and who writes one has it
// alone.
#pragma once

#include <cstdint>

#include "trainyard/base/units.hpp"

namespace trainyard {

/// A message's times, decided when it starts (switch.hpp).
struct Transfer {
  std::uint64_t id = 0;  // in the order of the post() calls, from 0
  int from = 0, to = 0;
  std::uint64_t bytes = 0;
  Time posted{0}, start{0};
  Time first_bit{0};       // start + α
  Time end{0};             // start + α + βb: it has arrived
  bool lost = false;       // or would have, if it were not lost for good
  void* cookie = nullptr;  // what the caller passed to post()
};

}  // namespace trainyard
