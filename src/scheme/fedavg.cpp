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
// All workers draw from one seeded stream, so that nobody has to be told who takes part. A step
// that a worker sits out is no minibatch: a step is m of them, for epochs and for schedules of the
// step size alike, so that a pass over the data takes 1/C times the steps that it takes with all.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "trainyard/collective/working_set.hpp"
#include "trainyard/model/kernels.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "scheme/participation.hpp"
#include "scheme/shared_hyperparameters.hpp"

namespace trainyard {

namespace {

void work(Worker& worker) {
  const auto period = static_cast<std::uint64_t>(worker.hyperparameter("period"));
  Participation participation(worker);
  WorkingSet keys(worker, period);
  std::vector<std::uint64_t> rows(static_cast<std::size_t>(worker.comm().servers()));
  while (worker.next_step()) {
    const bool takes_part = participation.step(period);
    if ((worker.step() + 1) % period != 0) continue;
    std::ranges::fill(rows, takes_part ? worker.minibatches().share_weight() : 0);
    if (takes_part) {
      keys.push(worker.replica(), rows);
    } else {
      keys.push_nothing(rows);
    }
    keys.pull();
  }
}

void serve(Server& server) {
  Communicator& comm = server.comm();
  const auto period = static_cast<std::uint64_t>(server.hyperparameter("period"));
  WorkingSets keys(server, ModelRead::common);
  for (std::uint64_t first = 0; comm.await_message(); first += period) {
    const Vector sum = server.zeroed_sum();
    double all_rows = 0.0;
    for (int worker = 0; worker < comm.workers(); ++worker) {
      const Message message = comm.receive(worker);
      const auto rows = static_cast<double>(message.tag());
      keys.hear(message);
      if (rows == 0.0) continue;  // it sat out
      kernels::axpy(rows, keys.model(message, first, period), sum);
      all_rows += rows;
    }
    kernels::scaled_copy(1.0 / all_rows, sum, server.shard());
    keys.answer_all();
  }
}

}  // namespace

Scheme fedavg_scheme() {
  return {.name = "fedavg",
          .summary = "local-sgd over a server, in each round by a --participation of the workers",
          .step = "γ × own gradient; the average is a step of γ × mean over those who take part",
          .cost = {.formula = "c, and every τ steps c + (Cn + n)(α + t/k)",
                   .rate = "1/ε + (σ² + τ(1-C)ς²)/(Cnε²) + ((τ-1)^{1/2}σ + (τ-1)ς)/ε^{3/2}",
                   .learns_from = learns_from_drawn},
          .source = "McMahan et al. 2017; catalogue 4.1",
          .family = SchemeFamily::local_updates,
          .order = {.rhythm = Rhythm::by_chance},
          .cast = cast::servers,
          .messages = {.by_keys = ByKeys::yes},
          .optimizers = {.range = OptimizerRange::plain},
          .hyperparameters = {period_info, participation_info},
          .shares = {.published = ShareWeights::rows, .in_program = true},
          .worker = work,
          .server = serve};
}

}  // namespace trainyard
