// FedPAQ, federated averaging of quantised updates (Reisizadeh, Mokhtari, Hassani, Jadbabaie &
// Pedarsani, AISTATS 2020, Algorithm 1): as fedavg, but what a worker sends at the end of a round
// is C of how far it has come, and the server moves x by the mean of these:
//   x ← x + (1/m) Σ_{i takes part} C(x_i − x),
// m of them taking part. With --weights rows worker i counts n_i, its rows, as in fedavg. No error
// is kept, for a worker may not be drawn again for long: C has to be right on average. The new x is
// sent to all as it is. Without compression it is fedavg.
#include <cstdint>
#include <optional>

#include "trainyard/base/even_split.hpp"
#include "trainyard/collective/parameter_server.hpp"
#include "trainyard/model/kernels.hpp"
#include "trainyard/runtime/coder.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "scheme/coded.hpp"
#include "scheme/participation.hpp"
#include "scheme/shared_hyperparameters.hpp"

namespace trainyard {

namespace {

/// Sends each server C(its shard of `update`), and the rows that it comes from.
void push_update(Worker& worker, Coder& coder, ConstVector update) {
  Communicator& comm = worker.comm();
  for_each_shard(comm, [&](int shard) {
    comm.send_encoded(comm.server(shard), coder.encode(even_split(update, shard, comm.servers())),
                      worker.minibatches().share_weight());
  });
}

/// Tells each server that there is none.
void push_nothing(Communicator& comm) {
  for_each_shard(comm, [&](int shard) { comm.send_control(comm.server(shard), 0); });
}

void work(Worker& worker) {
  Coder coder = worker.coder();
  const auto period = static_cast<std::uint64_t>(worker.hyperparameter("period"));
  const Vector model = worker.replica();
  const Vector common = worker.keep("common model", worker.initial_model());
  Participation participation(worker);
  while (worker.next_step()) {
    if (participation.begin_step(period)) worker.descend();
    if ((worker.step() + 1) % period != 0) continue;
    if (participation.steps() > 0) {
      kernels::axpy(-1.0, common, model);
      push_update(worker, coder, model);
    } else {
      push_nothing(worker.comm());
    }
    pull(worker.comm(), common);
    kernels::copy(common, model);
  }
}

void serve(Server& server) {
  Coder coder = server.coder();
  Communicator& comm = server.comm();
  while (comm.await_message()) {
    const Vector sum = server.zeroed_sum();
    double all_rows = 0.0;
    for (int worker = 0; worker < comm.workers(); ++worker) {
      const Message message = comm.receive(worker);
      const auto rows = static_cast<double>(message.tag());
      if (rows == 0.0) continue;  // it sat out
      coder.decode_add(rows, message.bytes(), sum);
      all_rows += rows;
    }
    kernels::axpy(1.0 / all_rows, sum, server.shard());
    answer_all(comm, server.shard());
  }
}

/// Workers that sit out say so while the others compute.
std::optional<Duration> step_time(const StepSetting& s) {
  if (hyperparameter(s.hyperparameters, "period") > 1) return s.compute;
  const int drawn = drawn_of(s.workers, hyperparameter(s.hyperparameters, participation_info.name));
  if (s.message(0) * (s.workers - drawn) > s.compute) return std::nullopt;
  return coded_server_time(s, s.codec(), {.pushing = drawn});
}

}  // namespace

Scheme fedpaq_scheme() {
  return {.name = "fedpaq",
          .summary = "fedavg whose workers send how far they have come, encoded; C unbiased",
          .step = "γ × own gradient; the average is a step of γ × mean over those who take part",
          .cost = {.formula =
                       "c, and every τ steps c + e + max(m + pd, pm + d) + n(α + t); e, d: coding, "
                       "m: an encoded message, p = Cn",
                   .rate = "as fedavg, the numerator over Cnε² (1 + ω) times as large",
                   .time = step_time,
                   .learns_from = learns_from_drawn},
          .source = "Reisizadeh, Mokhtari, Hassani, Jadbabaie & Pedarsani 2020; catalogue 4.1",
          .family = SchemeFamily::local_updates,
          .order = {.rhythm = Rhythm::by_chance},
          .cast = cast::servers,
          .takes = {"codec"},
          .messages = {.codec_need = CodecNeed::unbiased},
          .optimizers = {.range = OptimizerRange::plain,
                         .no_l1 = "moves one model by encoded ways, whose errors fill what was 0"},
          .hyperparameters = {period_info, participation_info, local_steps_info},
          .shares = {.in_program = true},
          .worker = work,
          .server = serve};
}

}  // namespace trainyard
