// Error-compensated SGD: each worker keeps what its codec left out, and sends it with the next
// gradient (Seide et al., Interspeech 2014; Stich, Cordonnier & Jaggi, NeurIPS 2018, Algorithm 1;
// catalogue §5):
//   v_i = γ g_i(x) + e_i;  send C(v_i);  e_i ← v_i − C(v_i);  x ← x − (1/n) Σ_i C(v_i).
// So everything that a gradient has is applied in the end, and any codec that leaves less than it
// keeps will do, biased or not. Errors are of steps γg, and not of gradients, so that they remain
// true when γ changes.
#include "trainyard/collective/coded_exchange.hpp"
#include "trainyard/collective/parameter_server.hpp"
#include "trainyard/model/kernels.hpp"

#include "scheme/coded.hpp"

namespace trainyard {

namespace {

void work(Worker& worker) {
  Coder coder = worker.coder();
  const Vector error = worker.keep("error", worker.replica().size());
  while (worker.next_step()) {
    const auto step = worker.compute_gradient();
    kernels::scale(worker.step_size(), step);
    push_coded(worker.comm(), coder, step, error);
    pull(worker.comm(), step);
    kernels::axpy(-1.0, step, worker.replica());
  }
}

}  // namespace

Scheme ec_sgd_scheme() {
  return {
      .name = "ec-sgd",
      .summary = "csgd with error feedback: what the codec leaves out is sent with the next step",
      .step = "γ × mean over workers",
      .cost = {.formula = "c + e + d + max(m + nd, nm + d) + n(α + t); e, d: coding, m: an "
                          "encoded message",
               .rate = "1/ε + σ²/(nε²) + σ'/ε^{3/2}; of a contraction σ' is as (1 - δ)^{1/2}/δ",
               .time = [](const StepSetting& s) -> std::optional<Duration> {
                 return coded_server_time(s, s.codec(), {.worker_feedback = true});
               }},
      .source = "Stich et al. 2018; catalogue 5",
      .family = SchemeFamily::synchronous,
      .order = {.members_may_change = true, .rows_by_speed = RowsBySpeed::mean},
      .cast = cast::replicas_with_servers,
      .takes = {"codec"},
      .messages = {.codec_need = CodecNeed::contraction},
      .optimizers = {.range = OptimizerRange::plain,
                     .no_l1 =
                         "subtracts encoded steps with the errors of earlier ones, and an error is "
                         "nothing to shrink by"},
      .worker = work,
      .server = serve_coded_mean};
}

}  // namespace trainyard
