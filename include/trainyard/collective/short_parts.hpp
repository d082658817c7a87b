// When it matters that parts of a vector differ by a number.
//
// Threads: any; a function of its arguments.
#pragma once

#include <cstddef>

namespace trainyard {

/// Vectors are cut into parts whose lengths differ by one number at most. Who has the shorter ones
/// gets ahead by that at each message. After as many messages as a part has numbers it is a whole
/// message ahead, and holds a port that others need: with 25 numbers in 8 parts, and no latency,
/// all took a fifth longer. So those who meet then wait for each other, with messages without bytes
/// or a barrier, which take no time. In no way of an all-reduce here has a worker more than 2n
/// messages.
inline bool takes_turns(std::size_t length, int workers, int parts) {
  const auto count = static_cast<std::size_t>(parts);
  return length % count != 0 && length / count <= 2 * static_cast<std::size_t>(workers);
}

}  // namespace trainyard
