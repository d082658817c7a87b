// On which NUMA node memory lies: a page is where the thread ran that first wrote it, unless the
// system had no room there or has moved it since.
//
// Threads: any.
#pragma once

#include <cstddef>
#include <functional>
#include <span>

namespace trainyard {

/// nodes[i] ← the node of pages[i], as the system numbers nodes; negative: no memory is there yet.
/// False where the system does not say.
using AskNodes = std::function<bool(std::span<void* const> pages, std::span<int> nodes)>;
/// move_pages(2), which moves nothing where it is told no nodes.
bool ask_nodes(std::span<void* const> pages, std::span<int> nodes);

struct PageCount {
  std::size_t at_home = 0, elsewhere = 0;

  PageCount& operator+=(const PageCount& more) {
    at_home += more.at_home;
    elsewhere += more.elsewhere;
    return *this;
  }
};

/// The pages of `memory` that are on node `home`, as the system numbers it, and on others; of more
/// than 1024 as many, evenly spread. Those that nobody has written are not counted.
PageCount count_pages(std::span<const std::byte> memory, int home, const AskNodes& ask = ask_nodes);

}  // namespace trainyard
