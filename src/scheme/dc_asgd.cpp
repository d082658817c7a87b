// Delay-compensated asynchronous SGD (Zheng et al., ICML 2017; catalogue §2.11). A gradient taken
// at x_bak comes when the model is x; to first order ∇f(x) = g + H (x − x_bak), and for
// log-likelihoods the diagonal of g gᵀ stands for the Hessian H: x ← x − γ (g + λ g ⊙ g ⊙ (x −
// x_bak)). The server keeps what each worker pulled last: n models.
//
// DC-ASGD-c has λ constant; DC-ASGD-a divides it by the root of a running mean square of the
// gradient, λ_j = λ0 / √(MS_j + 1e-7), MS ← m MS + (1 − m) g², which has the present gradient in it
// when it is used. λ = 0 is ps-async. There is one MS, of all gradients in the order in which they
// are applied, as the paper writes it; the authors' Multiverso updater keeps one for each worker.
#include <vector>

#include <fmt/format.h>

#include "trainyard/collective/working_set.hpp"
#include "trainyard/model/kernels.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "scheme/ps_async.hpp"
#include "scheme/push_queue.hpp"

namespace trainyard {

namespace {

/// compensate(gradient, what its worker pulled) leaves the compensated gradient in `server.sum()`.
template <typename Compensate>
void serve(Server& server, const Compensate& compensate) {
  std::vector<Vector> pulled;
  pulled.reserve(static_cast<std::size_t>(server.comm().workers()));
  for (int worker = 0; worker < server.comm().workers(); ++worker) {
    pulled.push_back(server.keep(fmt::format("x_bak({})", worker), server.shard()));
  }
  WorkingSets keys(server, ModelRead::each);
  PushQueue queue(server);
  while (const auto push = queue.next()) {
    const Vector backup = pulled[static_cast<std::size_t>(push->from())];
    server.record_staleness(push->tag());
    server.apply(compensate(keys.heard_gradient(*push), backup), 1);
    kernels::copy(server.shard(), backup);
    keys.answer(push->from(), server.version());
  }
}

void serve_constant(Server& server) {
  const double lambda = server.hyperparameter("lambda");
  VectorBuffer compensated(server.shard().scalar(), server.shard().size());
  serve(server, [&](ConstVector gradient, ConstVector backup) {
    kernels::compensate_delay(lambda, gradient, server.shard(), backup, compensated.view());
    return compensated.view();
  });
}

void serve_adaptive(Server& server) {
  const double lambda = server.hyperparameter("lambda0");
  const double keep = server.hyperparameter("mean-square");
  VectorBuffer compensated(server.shard().scalar(), server.shard().size());
  const Vector mean_square = server.keep("MS", server.shard().size());
  serve(server, [&](ConstVector gradient, ConstVector backup) {
    kernels::average_squares(keep, gradient, mean_square);
    kernels::compensate_delay_adaptively(lambda, mean_square, gradient, server.shard(), backup,
                                         compensated.view());
    return compensated.view();
  });
}

}  // namespace

Scheme dc_asgd_c_scheme() {
  return {.name = "dc-asgd-c",
          .summary =
              "ps-async, the server corrects each gradient for what has changed since: constant λ",
          .step = "γ × each gradient: as ps-async",
          .cost = {.formula = "as ps-async",
                   .rate = "as ps-async",
                   .time = ps_async_step_time,
                   .time_colocated = ps_async_step_time_colocated},
          .source = "Zheng et al. 2017; catalogue 2.11",
          .family = SchemeFamily::asynchronous,
          .order = {.pace = Pace::free, .outlives_worker = true},
          .cast = cast::servers,
          .messages = {.by_keys = ByKeys::yes},
          .hyperparameters = {{.name = "lambda",
                               .argument = "L",
                               .help = "how much of the correction is made",
                               .fallback = 0.04,
                               .low = 0.0,
                               .high = 1e6},
                              queue_info()},
          .worker = ps_async_queueing_worker,
          .server = serve_constant};
}

Scheme dc_asgd_a_scheme() {
  Scheme row = dc_asgd_c_scheme();
  row.name = "dc-asgd-a";
  row.summary = "the same, λ divided by the root of the gradient's running mean square";
  row.hyperparameters = {{.name = "lambda0",
                          .argument = "L",
                          .help = "how much of the correction is made",
                          .fallback = 2.0,
                          .low = 0.0,
                          .high = 1e6},
                         {.name = "mean-square",
                          .argument = "M",
                          .help = "what the running mean square keeps at each update",
                          .fallback = 0.95,
                          .low = 0.0,
                          .high = 1.0},
                         queue_info()};
  row.server = serve_adaptive;
  return row;
}

}  // namespace trainyard
