// SCAFFOLD, stochastic controlled averaging (Karimireddy, Kale, Mohri, Reddi, Stich & Suresh, ICML
// 2020, Algorithm 1 with option II): fedavg whose local steps are corrected for where the others'
// data would lead. Worker i has a control variate c_i, an estimate of its own gradient, and c is
// that of all. In a round of K = τ steps from x, who takes part steps
//   y ← y − γ (g_i(y) − c_i + c)
// and then sends y − x and c_i⁺ − c_i, with
//   c_i⁺ = c_i − c + (x − y) / (K γ),
// the mean of the gradients that it has met; and the server takes
//   x ← x + η_g mean(y_i − x),  c ← c + (|S|/n) mean(c_i⁺ − c_i).
// All begin with c = c_i = 0, so that the first round is fedavg's. c is the mean of all c_i all
// along, and c_i stays with a worker that sits out, however long that is.
//
// FedAvg's replicas drift each towards its own optimum, and rest where these pulls balance. This
// rests where c = 0 and no y leaves x, each c_i being ∇f_i(x): with full gradients the optimum,
// whatever K. K = 1 by all workers is gradient descent, with c_i = ∇f_i of where x was.
//
// As in fedavg a worker counts by its rows (--weights workers is the paper's mean over clients):
// then c ← c + Σ_{i takes part} n_i (c_i⁺ − c_i) / Σ_i n_i. Where γ changes in the course of a
// round, or K from worker to worker (--local-steps), K γ is the sum of its own steps. Twice
// fedavg's bytes each way, in as many messages, and whole vectors: c has a number wherever
// anybody's data has.
#include <cstdint>
#include <optional>

#include "trainyard/collective/parameter_server.hpp"
#include "trainyard/model/kernels.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "scheme/fedavg.hpp"
#include "scheme/participation.hpp"
#include "scheme/refusals.hpp"
#include "scheme/shared_hyperparameters.hpp"
#include "scheme/vector_pair.hpp"

namespace trainyard {

namespace {

void work(Worker& worker) {
  const auto period = static_cast<std::uint64_t>(worker.hyperparameter("period"));
  const Vector y = worker.replica();
  const Vector x = worker.keep("common model", y);
  const Vector c = worker.keep("c", y.size()), own = worker.keep("c_i", y.size());
  VectorBuffer change(y.scalar(), y.size());
  VectorPair pair(y.scalar(), y.size());
  Participation participation(worker);
  double& way = worker.keep("K gamma", 1, Scalar::float64).doubles().front();
  while (worker.next_step()) {
    if (participation.begin_step(period)) {
      const Vector gradient = worker.compute_gradient();
      kernels::add_difference(1.0, c, own, gradient);
      worker.apply(gradient);
      way += worker.step_size();
    }
    if ((worker.step() + 1) % period != 0) continue;
    const RoundTag tag{worker.minibatches().share_weight(), participation.steps()};
    if (tag.steps > 0) {
      kernels::axpy(-1.0, x, y);  // y − x
      // In a run γ is never 0; a library caller's warm-up without the length of a step begins so.
      kernels::scaled_copy(way > 0.0 ? -1.0 : 0.0, c, change.view());
      if (way > 0.0) kernels::axpy(-1.0 / way, y, change.view());
      kernels::add(change.view(), own);
      pair.push(worker.comm(), y, change.view(), tag.tag());
    } else {
      pair.push(worker.comm(), y.first(0), y.first(0), tag.tag());
    }
    pair.pull(worker.comm(), x, c);
    kernels::copy(x, y);
    way = 0.0;
  }
}

void serve(Server& server) {
  Communicator& comm = server.comm();
  const double global_step = server.hyperparameter("global-lr");
  const Vector x = server.shard();
  const Vector c = server.keep("c", x.size());
  VectorBuffer c_sum(x.scalar(), x.size());
  VectorPair pair(x.scalar(), x.size());
  while (comm.await_message()) {
    const Vector x_sum = server.zeroed_sum();
    kernels::set_to_zero(c_sum.view());
    double all = 0.0, taking_part = 0.0;
    for (int worker = 0; worker < comm.workers(); ++worker) {
      const Message message = comm.receive(worker);
      const RoundTag tag = RoundTag::from_tag(message.tag());
      const auto weight = static_cast<double>(tag.weight);
      all += weight;
      if (tag.steps == 0) continue;
      kernels::axpy(weight, VectorPair::of_first(message), x_sum);
      kernels::axpy(weight, VectorPair::of_second(message), c_sum.view());
      taking_part += weight;
    }
    kernels::axpy(global_step / taking_part, x_sum, x);
    kernels::axpy(1.0 / all, c_sum.view(), c);
    pair.answer_all(comm, x, c);
  }
}

/// Workers that sit out say so while the others compute.
std::optional<Duration> step_time(const StepSetting& s) {
  if (hyperparameter(s.hyperparameters, "period") > 1) return s.compute;
  const int drawn = drawn_of(s.workers, hyperparameter(s.hyperparameters, participation_info.name));
  if (s.servers > 1 || s.message(0) * (s.workers - drawn) > s.compute) return std::nullopt;
  return s.compute + (drawn + s.workers) * s.message(2 * s.parameters);
}

}  // namespace

Scheme scaffold_scheme() {
  return {.name = "scaffold",
          .summary = "fedavg whose local steps are corrected by what the workers' gradients differ",
          .step =
              "γ × own gradient, corrected; the average is η_g times the mean way of those who "
              "take part",
          .cost = {.formula = "c, and every τ steps c + (Cn + n)(α + 2t/k)",
                   .rate = "τ/(C^{2/3}ε) + σ²/(Cnε²), without ς",
                   .time = step_time,
                   .learns_from = learns_from_drawn},
          .source = "Karimireddy et al. 2020, Algorithm 1; catalogue 4.1",
          .family = SchemeFamily::local_updates,
          .order = {.rhythm = Rhythm::by_chance},
          .cast = cast::servers,
          .optimizers = {.range = OptimizerRange::plain, .no_l1 = refusal::corrected_by_ways},
          .hyperparameters = {period_info, participation_info, local_steps_info, global_lr_info},
          .shares = {.published = ShareWeights::rows, .in_program = true},
          .worker = work,
          .server = serve};
}

}  // namespace trainyard
