// Mime (Karimireddy, Jaggi, Kale, Mohri, Reddi, Stich & Suresh, NeurIPS 2021, Algorithm 1, with
// SGDm as its base): federated rounds that mimic a central optimizer. Its moment m is the server's
// and stands still in a round, so that no worker drifts by a moment of its own. In a round from x,
// c is the mean of the gradients ∇f_i(x), over all their rows, of those who take part, and they
// step
//   y ← y − γ ((1 − β) (g_i(y) − g_i(x) + c) + β m),
// both g_i of the same minibatch; and then
//   x ← mean(y_i),  m ← β m + (1 − β) c.
// m begins at 0. mime-lite steps along g_i(y) where mime does along g_i(y) − g_i(x) + c.
//
// mime is SVRG about the common gradient: with whole shares as minibatches it rests at the optimum,
// whatever τ, and where τ = 1 it is SGD with momentum β and a step size of (1 − β)γ. mime-lite has
// no such correction, and drifts as fedavg does, less as (1 − β) is; β = 0 is fedavg.
//
// mime has two exchanges a round: for c as it begins, of which everybody makes m for itself, and
// for x as it ends. mime-lite needs ∇f_i(x) for m alone, sends it with y and is sent m with x:
// scaffold's messages. As in fedavg a worker counts by its rows (--weights workers is the paper's
// mean); who sits out is told x and m. A round costs a pass over the share of who takes part, and
// mime two gradients a step. Passes do not count as minibatches, nor as epochs.
#include <cstdint>

#include "trainyard/collective/parameter_server.hpp"
#include "trainyard/model/kernels.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "scheme/fedavg.hpp"
#include "scheme/own_rows.hpp"
#include "scheme/participation.hpp"
#include "scheme/reduced_gradient.hpp"
#include "scheme/refusals.hpp"
#include "scheme/shared_hyperparameters.hpp"
#include "scheme/vector_pair.hpp"

namespace trainyard {

namespace {

/// m ← β m + (1 − β) c
void move_moment(double beta, ConstVector c, Vector m) {
  kernels::scale(beta, m);
  kernels::axpy(1.0 - beta, c, m);
}

/// A step along (1 − β) direction + β m.
void step_along(Worker& worker, double beta, Vector direction, ConstVector m) {
  kernels::scale(1.0 - beta, direction);
  kernels::axpy(beta, m, direction);
  worker.apply(direction);
}

void work_mime(Worker& worker) {
  const auto period = static_cast<std::uint64_t>(worker.hyperparameter("period"));
  const double beta = worker.hyperparameter(server_beta1_info.name);
  const Vector y = worker.replica(), m = worker.keep("m", y.size());
  ReducedGradient reduced(worker);  // about x, with c in the place of the share's own gradient
  const Vector c = reduced.estimate();
  Participation participation(worker);
  while (worker.next_step()) {
    const bool takes_part = participation.begin_step(period);
    if (worker.step() % period == 0) {
      reduced.move_point();
      if (takes_part) reduced.take_whole();
      push_of_round(worker, c, participation.steps());
      pull(worker.comm(), c);
    }
    if (takes_part) {
      const Vector gradient = reduced.change_since_point();
      kernels::add(c, gradient);
      step_along(worker, beta, gradient, m);
    }
    if ((worker.step() + 1) % period != 0) continue;
    push_of_round(worker, y, participation.steps());
    pull(worker.comm(), y);
    move_moment(beta, c, m);
  }
}

void serve_mime(Server& server) {
  RoundMean round(server);
  std::uint64_t& has_answered = server.keep_counts("c was sent", 1).front();  // in this round
  while (round.next()) {
    if (has_answered == 0) {
      answer_all(server.comm(), round.mean());  // c
    } else {
      kernels::copy(round.mean(), server.shard());
      round.answer();
    }
    has_answered = 1 - has_answered;
  }
}

void work_mime_lite(Worker& worker) {
  const auto period = static_cast<std::uint64_t>(worker.hyperparameter("period"));
  const double beta = worker.hyperparameter(server_beta1_info.name);
  const Vector y = worker.replica();
  const Vector x = worker.keep("common model", y), m = worker.keep("m", y.size());
  VectorBuffer at_x(y.scalar(), y.size());
  VectorPair pair(y.scalar(), y.size());
  OwnRows own(worker);
  Participation participation(worker);
  while (worker.next_step()) {
    if (participation.begin_step(period)) {
      step_along(worker, beta, worker.compute_gradient(), m);
    }
    if ((worker.step() + 1) % period != 0) continue;
    const RoundTag tag{worker.minibatches().share_weight(), participation.steps()};
    if (tag.steps > 0) {
      own.take_gradient(x, own.all(), at_x.view());
      pair.push(worker.comm(), y, at_x.view(), tag.tag());
    } else {
      pair.push(worker.comm(), y.first(0), y.first(0), tag.tag());
    }
    pair.pull(worker.comm(), x, m);
    kernels::copy(x, y);
  }
}

void serve_mime_lite(Server& server) {
  Communicator& comm = server.comm();
  const double beta = server.hyperparameter(server_beta1_info.name);
  const Vector x = server.shard(), m = server.keep("m", x.size());
  VectorBuffer c(x.scalar(), x.size());
  VectorPair pair(x.scalar(), x.size());
  while (comm.await_message()) {
    const Vector mean = server.zeroed_sum();
    kernels::set_to_zero(c.view());
    double weights = 0.0;
    for (int worker = 0; worker < comm.workers(); ++worker) {
      const Message message = comm.receive(worker);
      const RoundTag tag = RoundTag::from_tag(message.tag());
      if (tag.steps == 0) continue;
      const auto weight = static_cast<double>(tag.weight);
      kernels::axpy(weight, VectorPair::of_first(message), mean);
      kernels::axpy(weight, VectorPair::of_second(message), c.view());
      weights += weight;
    }
    kernels::scaled_copy(1.0 / weights, mean, x);
    kernels::scale(1.0 / weights, c.view());
    move_moment(beta, c.view(), m);
    pair.answer_all(comm, x, m);
  }
}

constexpr const char* no_l1 =
    "steps along a moment of all workers' gradients, which moves weights off 0";

Scheme either_scheme(const char* name, const char* summary, const char* step) {
  return {.name = name,
          .summary = summary,
          .step = step,
          .source = "Karimireddy, Jaggi et al. 2021, Algorithm 1; catalogue 4.1",
          .family = SchemeFamily::local_updates,
          .order = {.rhythm = Rhythm::by_data},
          .cast = cast::servers,
          .optimizers = {.range = OptimizerRange::plain, .no_l1 = no_l1},
          .hyperparameters = {period_info, participation_info, local_steps_info, server_beta1_info},
          .shares = {.published = ShareWeights::rows, .in_program = true}};
}

}  // namespace

Scheme mime_scheme() {
  Scheme scheme = either_scheme(
      "mime", "fedavg whose steps have the server's momentum, and no drift, by whole gradients",
      "γ × ((1 - β) × (own gradient, less at the common model, + mean) + β × momentum)");
  scheme.cost = {.formula = "2c, and every τ steps a pass over the share and 2(Cn + n)(α + t/k)",
                 .rate = "1/ε, whatever the noise of a minibatch, without ς, where all take part",
                 .learns_from = learns_from_drawn};
  scheme.optimizers.no_clip_norm = refusal::gradient_of_same_rows;
  scheme.worker = work_mime;
  scheme.server = serve_mime;
  return scheme;
}

Scheme mime_lite_scheme() {
  Scheme scheme = either_scheme(
      "mime-lite", "fedavg whose steps have the server's momentum, of whole gradients",
      "γ × ((1 - β) × own gradient + β × momentum), averaged as in fedavg");
  scheme.cost = {.formula = "c, and every τ steps a pass over the share and (Cn + n)(α + 2t/k)",
                 .rate = "as fedavg",
                 .learns_from = learns_from_drawn};
  scheme.worker = work_mime_lite;
  scheme.server = serve_mime_lite;
  return scheme;
}

}  // namespace trainyard
