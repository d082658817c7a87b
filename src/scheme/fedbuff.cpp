// FedBuff (Nguyen, Malik, Zhan, Yousefpour, Rabbat, Malek & Huba, AISTATS 2022, Algorithm 1):
// asynchronous federated learning whose server makes a step of K updates. Each worker takes τ steps
// of its own from the model x that it was sent, and sends the way that it has come, Δ = x − y; the
// server adds it to a buffer, the less the older it is, and answers that worker at once with the
// model as it stands; when K have come,
//   x ← x − (η_g / K) Σ_{k = 1..K} Δ_k / √(1 + s_k),
// and the buffer is empty; s_k being the steps that the server had made since it sent the x of Δ_k.
//
// Nobody waits for anybody, as in fedasync, but a step is the mean of several workers' ways, like
// fedavg's, which is what secure aggregation and privacy by noise ask for. A worker that is
// answered between two steps goes on from the same x as before, with its next minibatches. K = 1,
// η_g = 1 and one worker are serial SGD.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

#include "trainyard/collective/parameter_server.hpp"
#include "trainyard/model/kernels.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "scheme/fedavg.hpp"
#include "scheme/fetched_model.hpp"
#include "scheme/ps_async.hpp"
#include "scheme/shared_hyperparameters.hpp"

namespace trainyard {

namespace {

void work(Worker& worker) {
  const auto period = static_cast<std::uint64_t>(worker.hyperparameter("period"));
  FetchedModel fetched(worker);
  const std::span<std::uint64_t> versions = versions_of(worker);
  while (worker.next_step()) {
    worker.descend();
    if ((worker.step() + 1) % period != 0) continue;
    push(worker.comm(), fetched.way(), versions);
    pull(worker.comm(), worker.replica(), versions);
    fetched.remember();
  }
}

void serve(Server& server) {
  const double global_step = server.hyperparameter("global-lr");
  const auto size = static_cast<std::uint64_t>(server.hyperparameter("buffer-size"));
  const Vector buffer = server.keep("buffer", server.shard().size());
  std::uint64_t& buffered = server.keep_counts("buffered", 1).front();
  while (const auto message = server.comm().receive_any()) {
    const auto staleness = static_cast<double>(server.record_staleness(message->tag()));
    kernels::axpy(1.0 / std::sqrt(1.0 + staleness), message->vector(), buffer);
    if (++buffered == size) {
      kernels::axpy(-global_step / static_cast<double>(size), buffer, server.shard());
      kernels::set_to_zero(buffer);
      buffered = 0;
      server.count_update();
    }
    server.comm().send(message->from(), server.shard(), server.version());
  }
}

}  // namespace

Scheme fedbuff_scheme() {
  return {.name = "fedbuff",
          .summary =
              "each worker takes --period steps by itself; the server makes a step of every "
              "--buffer-size ways",
          .step =
              "γ × own gradient; every K ways the model moves η_g times their mean, the older "
              "the less",
          .cost = {.formula =
                       "c, and every τ steps c + 2(α + t), or n(α + t) a round if that is longer",
                   .rate = "as local-sgd, with staleness",
                   .time = ps_async_rounds_time},
          .source = "Nguyen et al. 2022, Algorithm 1; catalogue 4.1",
          .family = SchemeFamily::local_updates,
          .order = {.pace = Pace::free, .outlives_worker = true},
          .cast = cast::servers,
          .optimizers = {.range = OptimizerRange::plain,
                         .no_l1 = "moves one model by ways of others, which fill what was 0"},
          .hyperparameters = {period_info,
                              global_lr_info,
                              {.name = "buffer-size",
                               .argument = "K",
                               .help = "ways of workers that make a step of the server; half as "
                                       "many as workers if not given",
                               .fallback = 1,
                               .low = 1,
                               .high = 1e6,
                               .whole = true,
                               .run_fallback = [](int workers, const Hyperparameters&) -> double {
                                 return std::max(1, workers / 2);
                               }}},
          .worker = work,
          .server = serve};
}

}  // namespace trainyard
