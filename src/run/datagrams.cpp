#include "run/datagrams.hpp"

#include <fmt/format.h>

#include "trainyard/base/error.hpp"

namespace trainyard {

void check_datagrams(const Scheme& scheme, const Cast& cast, const Configuration& c) {
  if (!c.network.faults.loses_for_good() || scheme.order.takes_datagrams) return;
  const bool sends = cast.ranks() > 1 && cast.model != ModelHome::shared;
  if (!sends) return;
  throw OptionError("retransmit", "never",
                    fmt::format("{} has no rule for messages that never come; gossip and some "
                                "others have ('trainyard list schemes NAME')",
                                scheme.name));
}

}  // namespace trainyard
