// QSparse-local-SGD: local steps, a codec and error feedback together (Basu, Data, Karakus &
// Diggavi, NeurIPS 2019, Algorithm 1; catalogue §4.1, §5). Every τ steps a worker sends how far it
// has come:
//   v_i = x_sync − x_i + e_i;  send C(v_i);  e_i ← v_i − C(v_i);  x_sync ← x_sync − (1/n) Σ_i
//   C(v_i)
// and all go on from x_sync. τ = 1 is ec-sgd; without compression it is local-sgd.
#include <cstdint>

#include "trainyard/collective/coded_exchange.hpp"
#include "trainyard/collective/parameter_server.hpp"
#include "trainyard/model/kernels.hpp"

#include "scheme/coded.hpp"
#include "scheme/shared_hyperparameters.hpp"

namespace trainyard {

namespace {

void work(Worker& worker) {
  Coder coder = worker.coder();
  const auto period = static_cast<std::uint64_t>(worker.hyperparameter("period"));
  const Vector model = worker.replica();
  const Vector error = worker.keep("error", model.size());
  const Vector common = worker.keep("common model", worker.initial_model());
  VectorBuffer buffer(model.scalar(), model.size());
  const Vector way = buffer.view();
  while (worker.next_step()) {
    worker.descend();
    if ((worker.step() + 1) % period != 0) continue;
    kernels::copy(common, way);
    kernels::axpy(-1.0, model, way);
    push_coded(worker.comm(), coder, way, error);
    pull(worker.comm(), way);
    kernels::axpy(-1.0, way, common);
    kernels::copy(common, model);
  }
}

std::optional<Duration> step_time(const StepSetting& s) {
  if (hyperparameter(s.hyperparameters, "period") > 1) return s.compute;
  return coded_server_time(s, s.codec(), {.worker_feedback = true});
}

}  // namespace

Scheme qsparse_local_sgd_scheme() {
  return {.name = "qsparse-local-sgd",
          .summary =
              "local steps; every --period of them the way since then, encoded, with error "
              "feedback",
          .step = "γ × own gradient; the average is a step of γ × mean over workers",
          .cost = {.formula = "c, and every τ steps e + d + max(m + nd, nm + d) + n(α + t)",
                   .rate = "1/ε + σ²/(nε²) + τ/(δ ε^{3/2})",
                   .time = step_time},
          .source = "Basu, Data, Karakus & Diggavi 2019; catalogue 4.1, 5",
          .family = SchemeFamily::local_updates,
          .cast = cast::replicas_with_servers,
          .takes = {"codec"},
          .messages = {.codec_need = CodecNeed::contraction},
          .optimizers = {.range = OptimizerRange::plain,
                         .no_l1 = "moves one model by encoded ways, whose errors fill what was 0"},
          .hyperparameters = {period_info},
          .worker = work,
          .server = serve_coded_mean};
}

}  // namespace trainyard
