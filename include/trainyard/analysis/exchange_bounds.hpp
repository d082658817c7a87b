// The least time that one exchange of a model takes, whatever the latency: bounds that count the
// bytes over one port and the arithmetic on them (catalogue §1.3, after Nam). A worker's pull
// follows its push, both of the whole model; k shards that answer part by part overlap the two, and
// where n is not large beside k that takes less: T/k in place of the pull's T.
//
// Of asynchronous servers the first n are those that begin together: the pushes take their ports
// max(1, n/k)T, and the last worker's pull comes on top. Later a push goes in while answers go out,
// and n take max(2, n/k)T.
//
// Threads: any; these are functions of their arguments.
#pragma once

#include <string>
#include <vector>

#include "trainyard/base/units.hpp"

namespace trainyard {

struct ExchangeCosts {
  int workers = 1, servers = 1;
  double transmit_s = 0.0;  // T, the model over one port
  double reduce_s = 0.0;    // R, adding one model to another
  double update_s = 0.0;    // U, one optimizer step on the whole model
  double period = 1.0;      // τ ≥ 1, steps of a worker from one average to the next
};

/// T at this bandwidth; R and U at so many bytes of the model a second. The defaults are what the
/// source takes for a core, 10 GiB/s and 2 GiB/s.
ExchangeCosts exchange_costs(int workers, int servers, double model_bytes, double bandwidth,
                             double reduce_rate = 10.0 * (1U << 30U),
                             double update_rate = 2.0 * (1U << 30U));

struct ExchangeBound {
  std::string name;
  std::string formula;
  double (*seconds)(const ExchangeCosts&);
};

/// Its name with the numbers in place of k and τ: "k = 4 servers, synchronous".
std::string name_at(const ExchangeBound& bound, const ExchangeCosts& costs);

/// The visible table.
const std::vector<ExchangeBound>& exchange_bounds();

}  // namespace trainyard
