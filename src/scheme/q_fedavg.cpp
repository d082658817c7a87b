// q-FedAvg (Li, Sanjabi, Beirami & Smith, ICLR 2020, Algorithm 2): fedavg that minimises not Σ p_k
// F_k but Σ p_k F_k^{q+1} / (q + 1), in which a worker counts the more the worse the model does on
// its rows, so that losses come out more alike. In a round from w worker k comes to w̄_k by local
// steps, and with L = 1/γ
//   Δw_k = L (w − w̄_k),  Δ_k = F_k^q Δw_k,  h_k = q F_k^{q−1} ‖Δw_k‖² + L F_k^q,
//   w ← w − Σ Δ_k / Σ h_k,
// over those who take part: Σ h_k bounds how fast the objective's gradient turns, as L does that of
// F_k, so that γ tuned for q = 0 serves for all q. q = 0 is fedavg; q → ∞ heeds the worst loss.
//
// F_k is F_k(w), regulariser included, of all of worker k's rows, as the authors have it in paper
// and program (which adds 1e-10 to it, as here): a pass over the share as a round begins, without
// gradients. It takes half as long as one with gradients would: in a linear model a product of two,
// in a network less. With rows that each pass deals anew it is over all of them.
//
// As computed: F_k^q is a weight, and Σ Δ_k / Σ h_k a part of the way from w to the mean of the
// w̄_k that it weighs, Σ F_k^q / Σ (F_k^q + q F_k^{q−1} L ‖w − w̄_k‖²) of it, ≤ 1. So what is sent
// is w̄_k and two numbers, F_k and L ‖w − w̄_k‖², which servers that hold a part of w cannot find.
// (The paper draws workers by their rows and counts those drawn alike; here all are drawn alike and
// Δ_k and h_k count by rows, as in fedavg.) γ is that of the round's first step.
//
// With a local step of the full gradient it rests where Σ p_k F_k^q ∇F_k = 0.
#include <cmath>
#include <cstdint>

#include "trainyard/base/even_split.hpp"
#include "trainyard/collective/parameter_server.hpp"
#include "trainyard/model/kernels.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "scheme/fedavg.hpp"
#include "scheme/own_rows.hpp"
#include "scheme/participation.hpp"
#include "scheme/shared_hyperparameters.hpp"

namespace trainyard {

namespace {

constexpr const char* q_name = "fairness";
constexpr double least_loss = 1e-10;  // added: 0 has no power q − 1
constexpr std::size_t numbers = 2;

/// F_k(w) and L ‖w − w̄_k‖².
struct Report {
  double loss = 0.0, bend = 0.0;
};

/// What a worker sends a server: its part of w̄_k, and the report behind it.
class ReportedModel {
 public:
  ReportedModel(Scalar scalar, std::size_t most) : wire_(scalar, most + numbers) {}

  void push(Communicator& comm, ConstVector model, const Report& report, std::uint64_t tag) {
    for_each_shard(comm, [&](int shard) {
      const ConstVector part = even_split(model, shard, comm.servers());
      kernels::copy(part, wire_.view().first(part.size()));
      const Vector behind = wire_.view().subspan(part.size(), numbers);
      with_scalar(behind.scalar(), [&]<typename T>(T) {
        behind.as<T>()[0] = static_cast<T>(report.loss);
        behind.as<T>()[1] = static_cast<T>(report.bend);
      });
      comm.send(comm.server(shard), wire_.view().first(part.size() + numbers), tag);
    });
  }
  static ConstVector model(const Message& message) {
    return message.vector().first(message.vector().size() - numbers);
  }
  static Report report(const Message& message) {
    const ConstVector behind = message.vector().subspan(model(message).size(), numbers);
    return with_scalar(behind.scalar(), [&]<typename T>(T) {
      return Report{static_cast<double>(behind.as<T>()[0]), static_cast<double>(behind.as<T>()[1])};
    });
  }

 private:
  VectorBuffer wire_;
};

/// ‖a − b‖²
double squared_distance(ConstVector a, ConstVector b) {
  return with_scalar(a.scalar(), [&]<typename T>(T) {
    double sum = 0.0;
    for (std::size_t j = 0; j < a.size(); ++j) {
      const double way = static_cast<double>(a.as<T>()[j]) - static_cast<double>(b.as<T>()[j]);
      sum += way * way;
    }
    return sum;
  });
}

void work(Worker& worker) {
  const auto period = static_cast<std::uint64_t>(worker.hyperparameter("period"));
  const Vector model = worker.replica();
  const Vector common = worker.keep("common model", model.size());
  ReportedModel message(model.scalar(), model.size());
  OwnRows own(worker);
  Participation participation(worker);
  const std::span<double> of_round = worker.keep("of the round", 2, Scalar::float64).doubles();
  double& step_size = of_round[0];
  Report report{.loss = of_round[1]};
  while (worker.next_step()) {
    if (participation.begin_step(period)) {
      if (worker.step() % period == 0) {
        kernels::copy(model, common);
        step_size = worker.step_size();
        report.loss = of_round[1] = own.take_loss(common, own.all());
      }
      worker.descend();
    }
    if ((worker.step() + 1) % period != 0) continue;
    const RoundTag tag{worker.minibatches().share_weight(), participation.steps()};
    if (tag.steps > 0) {
      // In a run γ is never 0; a library caller's warm-up without the length of a step begins so.
      report.bend = step_size > 0.0 ? squared_distance(model, common) / step_size : 0.0;
      message.push(worker.comm(), model, report, tag.tag());
    } else {
      push_of_round(worker, model, 0);
    }
    pull(worker.comm(), model);
  }
}

void serve(Server& server) {
  Communicator& comm = server.comm();
  const double q = server.hyperparameter(q_name);
  const Vector model = server.shard();
  while (comm.await_message()) {
    const Vector mean = server.zeroed_sum();
    double weights = 0.0, curvatures = 0.0;
    for (int worker = 0; worker < comm.workers(); ++worker) {
      const Message message = comm.receive(worker);
      const RoundTag tag = RoundTag::from_tag(message.tag());
      if (tag.steps == 0) continue;
      const auto [loss, bend] = ReportedModel::report(message);
      const double weight = static_cast<double>(tag.weight) * std::pow(loss + least_loss, q);
      kernels::axpy(weight, ReportedModel::model(message), mean);
      weights += weight;
      curvatures += weight * (1.0 + q * bend / (loss + least_loss));
    }
    kernels::scale(1.0 / weights, mean);
    kernels::move_towards(weights / curvatures, mean, model);
    answer_all(comm, model);
  }
}

}  // namespace

Scheme q_fedavg_scheme() {
  return {
      .name = "q-fedavg",
      .summary = "fedavg in which a worker counts the more the greater its loss is",
      .step = "γ × own gradient; the average goes a part of the way to a mean that losses weigh",
      .cost = {.formula = "c, every τ steps c + (Cn + n)(α + t/k), after which those who are "
                          "drawn take the loss of all their rows, half a pass",
               .rate = "not known",
               .learns_from = learns_from_drawn},
      .source = "Li, Sanjabi et al. 2020, Algorithm 2; catalogue 4.1",
      .family = SchemeFamily::local_updates,
      .order = {.rhythm = Rhythm::by_data},
      .cast = cast::servers,
      .optimizers = {.range = OptimizerRange::plain,
                     .no_l1 = "goes less far than the mean of replicas, which moves weights off "
                              "0"},
      .hyperparameters = {period_info,
                          participation_info,
                          local_steps_info,
                          {.name = q_name,
                           .argument = "Q",
                           .help = "power of a worker's loss by which it counts; 0: none",
                           .fallback = 1.0,
                           .low = 0.0,
                           .high = 10.0}},
      .shares = {.published = ShareWeights::rows, .in_program = true},
      .worker = work,
      .server = serve};
}

}  // namespace trainyard
