// Federated averaging (McMahan, Moore, Ramage, Hampson & Agüera y Arcas, AISTATS 2017): local SGD
// in which only a fraction C of the workers takes part in each round. In a round of τ steps,
// m = max(1, C n) workers, drawn anew, step on their replicas; then the server takes
//   x ← Σ_{i takes part} n_i x_i / Σ_{i takes part} n_i,
// n_i being the rows of worker i's share (--weights workers: 1), and sends x to everybody: who sat
// out idles, sends only an empty message that says so, and goes on from the average as the others
// do. C = 1 with equal shares is local SGD. (The paper counts τ in epochs of a client's own share,
// and a client that sits out gets the model only when it is drawn next, which is the same model.)
//
// Replicas go by keys (working_set.hpp), those of a round's minibatches: elsewhere a worker has
// what it was sent, which the regulariser has shrunk as it does the server's, (1 − γλ)^τ.
//
// Clients take plain SGD and keep no state: who is drawn again after many rounds would go on with
// moments or a velocity of a model that is long gone, and the paper's Algorithm 1 has none.
//
// With --local-steps workers take fewer steps than τ, each its own number (participation.hpp). Then
// who takes more steps pulls x further, and where data differ x rests elsewhere: on quadratics f_i
// = h_i (x − a_i)²/2 with full gradients at Σ w_i a_i / Σ w_i, w_i = n_i (1 − (1 − γ h_i)^τ_i).
// Equal τ_i > 1 do not rest at the optimum either. fednova corrects for the one, scaffold for the
// other.
//
// With --aggregate the server goes what a rule makes of the ways x_i − x of who takes part, each of
// which counts once, whatever rows it has (catalogue §4.5).
//
// All workers draw from one seeded stream, so that nobody has to be told who takes part. A step
// that a worker sits out is no minibatch: a step is m of them, for epochs and for schedules of the
// step size alike, so that a pass over the data takes 1/C times the steps that it takes with all.
#include "scheme/fedavg.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "trainyard/base/even_split.hpp"
#include "trainyard/collective/parameter_server.hpp"
#include "trainyard/model/kernels.hpp"

#include "scheme/participation.hpp"
#include "scheme/shared_hyperparameters.hpp"

namespace trainyard {

void fedavg_work(Worker& worker, FunctionRef<void(LocalStep)> step) {
  const auto period = static_cast<std::uint64_t>(worker.hyperparameter("period"));
  Participation participation(worker);
  WorkingSet keys(worker, period);
  std::vector<std::uint64_t> tags(static_cast<std::size_t>(worker.comm().servers()));
  while (worker.next_step()) {
    const std::uint64_t place = worker.step() % period;
    if (participation.begin_step(period)) {
      step({.first = place == 0, .last = place + 1 == participation.steps()});
    }
    if (place + 1 != period) continue;
    const std::uint64_t steps = participation.steps();
    std::ranges::fill(tags, RoundTag{worker.minibatches().share_weight(), steps}.tag());
    if (steps > 0) {
      keys.push(worker.replica(), tags);
    } else {
      keys.push_nothing(tags);
    }
    keys.pull();
  }
}

void push_of_round(Worker& worker, ConstVector vector, std::uint64_t steps) {
  Communicator& comm = worker.comm();
  const std::uint64_t tag = RoundTag{worker.minibatches().share_weight(), steps}.tag();
  const ConstVector sent = steps > 0 ? vector : vector.first(0);
  for_each_shard(comm, [&](int shard) {
    comm.send(comm.server(shard), even_split(sent, shard, comm.servers()), tag);
  });
}

RoundMean::RoundMean(Server& server)
    : server_(server),
      keys_(server, ModelRead::common),
      robust_(server),
      period_(static_cast<std::uint64_t>(server.hyperparameter("period"))),
      first_step_(server.keep_counts("first step of the round", 1).front()) {
  tags_.reserve(static_cast<std::size_t>(server.comm().workers()));
}

bool RoundMean::next(double (*weigh)(const RoundTag&)) {
  Communicator& comm = server_.comm();
  if (!comm.await_message()) return false;
  sum_ = server_.zeroed_sum();
  tags_.clear();
  double weights = 0.0;
  std::uint64_t all = 0, taking_part = 0;
  for (int worker = 0; worker < comm.workers(); ++worker) {
    const Message message = comm.receive(worker);
    const RoundTag tag = RoundTag::from_tag(message.tag());
    keys_.hear(message);
    all += tag.weight;
    if (tag.steps == 0) continue;
    const ConstVector model = keys_.model(message, first_step_, tag.steps);
    if (robust_.is_asked_for()) {
      robust_.hear_difference(worker, model, server_.shard());
    } else {
      kernels::axpy(weigh(tag), model, sum_);
    }
    weights += weigh(tag);
    taking_part += tag.weight;
    tags_.push_back(tag);
  }
  if (robust_.is_asked_for()) {
    kernels::copy(server_.shard(), sum_);
    kernels::add(robust_.mean(), sum_);
  } else {
    kernels::scale(1.0 / weights, sum_);
  }
  share_ = static_cast<double>(taking_part) / static_cast<double>(all);
  first_step_ += period_;
  return true;
}

void serve_fedavg(Server& server) {
  RoundMean round(server);
  while (round.next()) {
    kernels::copy(round.mean(), server.shard());
    round.answer();
  }
}

std::optional<Duration> fedavg_time(const StepSetting& s) {
  if (hyperparameter(s.hyperparameters, "period") > 1) return s.compute;
  if (is_robust(s.ingredients)) return std::nullopt;
  const bool all = learns_from_drawn(s.workers, s.hyperparameters) == s.workers;
  if (s.servers > 1 || !all) return std::nullopt;
  return s.compute + s.workers * (s.keyed_push() + s.keyed_pull());
}

namespace {

void work(Worker& worker) {
  fedavg_work(worker, [&](LocalStep) { worker.descend(); });
}

}  // namespace

Scheme fedavg_scheme() {
  return {.name = "fedavg",
          .summary = "local-sgd over a server, in each round by a --participation of the workers",
          .step = "γ × own gradient; the average is a step of γ × mean over those who take part",
          .cost = {.formula = "c, and every τ steps c + (Cn + n)(α + t/k)",
                   .rate = "1/ε + (σ² + τ(1-C)ς²)/(Cnε²) + ((τ-1)^{1/2}σ + (τ-1)ς)/ε^{3/2}",
                   .time = fedavg_time,
                   .learns_from = learns_from_drawn},
          .source = "McMahan et al. 2017; catalogue 4.1",
          .family = SchemeFamily::local_updates,
          .order = {.rhythm = Rhythm::by_chance},
          .cast = cast::servers,
          .takes = {aggregate_kind, byzantine_kind},
          .messages = {.by_keys = ByKeys::yes},
          .optimizers = {.range = OptimizerRange::plain},
          .hyperparameters = {period_info, participation_info, local_steps_info},
          .shares = {.published = ShareWeights::rows, .in_program = true},
          .worker = work,
          .server = serve_fedavg};
}

}  // namespace trainyard
