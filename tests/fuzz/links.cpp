// A table of links (--links).
#include <algorithm>

#include "trainyard/network/link_table.hpp"

#include "check.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace trainyard;
  try {
    const LinkTable table = parse_link_table(as_text(data, size), "input");
    require(!table.empty(), "no links");
    for (const NamedLink& named : table.named) {
      require(named.from != named.to && named.from >= 0 && named.to >= 0, "ranks");
      require(std::max(named.from, named.to) < table.ranks(), "a rank beyond the last");
      require(named.link.latency.count() >= 0 && named.link.bytes_per_second > 0.0, "a link");
    }
  } catch (const UsageError&) {  // the input is bad, and said to be
  }
  return 0;
}
