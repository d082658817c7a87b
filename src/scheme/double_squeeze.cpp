// DoubleSqueeze: error feedback on both ways (Tang et al., ICML 2019, Algorithm 1; catalogue §5).
//   worker:  v_i = γ g_i(x) + e_i;  send C(v_i);  e_i ← v_i − C(v_i)
//   server:  u = (1/n) Σ_i C(v_i) + E;  send C(u) to all;  E ← u − C(u)
//   worker:  x ← x − C(u)
// Summed up, x_t = x_0 − Σ γ_s ḡ_s + (mean of e_i + E)_t, exactly and with any codec: the model is
// never further from SGD's than by what is kept at that moment. (In the paper errors are of
// gradients, where this holds for a constant γ only; here they are of steps.)
#include "trainyard/collective/coded_exchange.hpp"
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
    pull_coded(worker.comm(), coder, -1.0, worker.replica());
  }
}

void serve(Server& server) {
  Coder coder = server.coder();
  Communicator& comm = server.comm();
  const Vector error = server.keep("error", server.shard().size());
  while (comm.await_message()) {
    const auto mean = server.zeroed_sum();
    sum_coded_pushes(comm, coder, 1.0 / comm.workers(), mean);
    answer_all_coded(comm, coder.encode(mean, error));
  }
}

}  // namespace

Scheme double_squeeze_scheme() {
  return {
      .name = "double-squeeze",
      .summary = "both ways encoded, with error feedback at the workers and at the server",
      .step = "γ × mean over workers",
      .cost = {.formula = "c + 2(e + d) + max(m + nd, nm + d) + nm + d; e, d: coding, m: an "
                          "encoded message",
               .rate = "1/ε + σ²/(nε²) + σ'/ε^{3/2}, σ' of both errors",
               .time = [](const StepSetting& s) -> std::optional<Duration> {
                 return coded_server_time(
                     s, s.codec(),
                     {.answers = true, .worker_feedback = true, .server_feedback = true});
               }},
      .source = "Tang, Yu, Lian, Zhang & Liu 2019; catalogue 5",
      .family = SchemeFamily::synchronous,
      .order = {.members_may_change = true, .rows_by_speed = RowsBySpeed::mean},
      .cast = cast::replicas_with_servers,
      .takes = {"codec"},
      .messages = {.codec_need = CodecNeed::contraction},
      .optimizers = {.range = OptimizerRange::plain,
                     .no_l1 =
                         "subtracts encoded steps with the errors of earlier ones, and an error "
                         "is nothing to shrink by"},
      .worker = work,
      .server = serve};
}

}  // namespace trainyard
