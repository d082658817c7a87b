// Asynchronous parameter server with a step size that falls with staleness: x ← x − γ / max(1, τ) ·
// g, τ the number of updates between the worker's pull and its push (Zhang, Gupta, Lian & Liu,
// IJCAI 2016; catalogue §2.12). A round of n updates moves about as far as one of ps-sync, where
// ps-async moves n times as far.
#include <algorithm>

#include "trainyard/collective/working_set.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "scheme/ps_async.hpp"
#include "scheme/push_queue.hpp"

namespace trainyard {

namespace {

void serve(Server& server) {
  WorkingSets keys(server, ModelRead::each);
  PushQueue queue(server);
  while (const auto push = queue.next()) {
    const std::uint64_t staleness = server.record_staleness(push->tag());
    const double stretch = 1.0 / static_cast<double>(std::max<std::uint64_t>(1, staleness));
    server.apply(keys.heard_gradient(*push), 1, 1.0, stretch);
    keys.answer(push->from(), server.version());
  }
}

}  // namespace

Scheme staleness_aware_scheme() {
  return {.name = "staleness-aware",
          .summary = "ps-async with γ / max(1, τ) for a gradient that is τ updates old",
          .step = "γ/τ × each gradient: a round of n updates moves about as far as one of ps-sync",
          .cost = {.formula = "as ps-async",
                   .rate = "as ps-async",
                   .time = ps_async_step_time,
                   .time_colocated = ps_async_step_time_colocated},
          .source = "Zhang et al. 2016; catalogue 2.12",
          .family = SchemeFamily::asynchronous,
          .order = {.pace = Pace::free, .outlives_worker = true},
          .cast = cast::servers,
          .messages = {.by_keys = ByKeys::yes},
          .hyperparameters = {queue_info()},
          .worker = ps_async_queueing_worker,
          .server = serve};
}

}  // namespace trainyard
