// 1-bit Adam (Tang, Gan et al., ICML 2021, Algorithm 1): Adam's
// step is no linear function of gradients, so errors fed back into them would not add up. But its
// second moment v soon stands nearly still, and with v frozen the step is linear in the momentum,
// which can be encoded with error feedback on both ways:
//   for --freeze-step steps:  Adam on the mean gradient (m and v the same at every worker)
//   then:  m_i = β₁ m + (1 − β₁) g_i;  send C(m_i + e_i);  m ← C(mean of these + E);
//          x ← x − γ m / (√v̂ + 10⁻⁸)
// with v̂ as it was at the end of the first phase, its bias corrected, and DoubleSqueeze's errors
// e_i and E. β₁ = 0.9, β₂ = 0.999. Errors are of momenta, and not of steps: γ multiplies them when
// they are applied, as in the authors' code.
#include <cmath>

#include "trainyard/collective/coded_exchange.hpp"
#include "trainyard/collective/parameter_server.hpp"
#include "trainyard/model/kernels.hpp"
#include "trainyard/scheme/scheme.hpp"

namespace trainyard {

namespace {

constexpr double beta1 = 0.9, beta2 = 0.999;

std::uint64_t freeze_step(double hyperparameter) {
  return static_cast<std::uint64_t>(hyperparameter);
}

/// m and v, the same at every worker.
class Moments {
 public:
  explicit Moments(Worker& worker)
      : model_(worker.replica()),
        mean_(worker.keep("m", model_.size())),
        squares_(worker.keep("v", model_.size())) {}

  Vector mean() { return mean_; }

  /// Adam's t-th step, from 1.
  void step(ConstVector gradient, std::uint64_t t, double step_size) {
    const auto power = static_cast<double>(t);
    root_scale_ = 1.0 / std::sqrt(1.0 - std::pow(beta2, power));
    kernels::adam_step({.beta1 = beta1,
                        .beta2 = beta2,
                        .scale = 1.0,
                        .step = step_size / (1.0 - std::pow(beta1, power)),
                        .root_scale = root_scale_},
                       gradient, mean_, squares_, model_);
  }
  /// x ← x − γ m / (√v̂ + 10⁻⁸): Adam's step in which neither moment moves.
  void step_with_frozen(double step_size) {
    kernels::adam_step(
        {.beta1 = 1.0, .beta2 = 1.0, .scale = 1.0, .step = step_size, .root_scale = root_scale_},
        mean_, mean_, squares_, model_);
  }

 private:
  Vector model_, mean_, squares_;
  double root_scale_ = 1.0;
};

void work(Worker& worker) {
  Coder coder = worker.coder();
  Moments moments(worker);
  const Vector error = worker.keep("error", worker.replica().size());
  const std::uint64_t warm_up = freeze_step(worker.hyperparameter("freeze-step"));
  while (worker.next_step()) {
    const auto gradient = worker.compute_gradient();
    if (worker.step() < warm_up) {
      push(worker.comm(), gradient);
      pull(worker.comm(), gradient);
      moments.step(gradient, worker.step() + 1, worker.step_size());
      continue;
    }
    kernels::scale(1.0 - beta1, gradient);
    kernels::axpy(beta1, moments.mean(), gradient);
    push_coded(worker.comm(), coder, gradient, error);
    kernels::set_to_zero(moments.mean());
    pull_coded(worker.comm(), coder, 1.0, moments.mean());
    moments.step_with_frozen(worker.step_size());
  }
}

void serve(Server& server) {
  Coder coder = server.coder();
  Communicator& comm = server.comm();
  const Vector error = server.keep("error", server.shard().size());
  const std::uint64_t warm_up = freeze_step(server.hyperparameter("freeze-step"));
  for (std::uint64_t step = 0; comm.await_message(); ++step) {
    const auto mean = server.zeroed_sum();
    if (step < warm_up) {
      sum_pushes(comm, mean);
      kernels::scale(1.0 / comm.workers(), mean);
      answer_all(comm, mean);
    } else {
      sum_coded_pushes(comm, coder, 1.0 / comm.workers(), mean);
      answer_all_coded(comm, coder.encode(mean, error));
    }
  }
}

/// The first step is one of the warm-up.
std::optional<Duration> step_time(const StepSetting& s) {
  if (s.servers > s.workers) return std::nullopt;
  return s.compute + s.all_reduce(find_all_reduce("ps-sharded"));
}

HyperparameterInfo freeze_info() {
  return {.name = "freeze-step",
          .argument = "STEPS",
          .help = "steps of plain Adam, before its second moment is frozen and momenta are encoded",
          .fallback = 100,
          .low = 1,
          .high = 1e12,
          .whole = true,
          .in_the_long_run = 1};
}

}  // namespace

Scheme one_bit_adam_scheme() {
  return {.name = "one-bit-adam",
          .summary =
              "1-bit Adam: after a warm-up the second moment stands still, and momenta are encoded",
          .step = "γ × Adam's direction of the mean over workers",
          .cost = {.formula = "c + 2n(α + t/k); after the warm-up as double-squeeze",
                   .rate = "as Adam's warm-up leaves it, then as double-squeeze",
                   .time = step_time},
          .source = "Tang, Gan et al. 2021",
          .family = SchemeFamily::synchronous,
          .cast = cast::replicas_with_servers,
          .takes = {"codec"},
          .codec_need = CodecNeed::contraction,
          .optimizers = OptimizerRange::plain,
          .hyperparameters = {freeze_info()},
          .worker = work,
          .server = serve};
}

}  // namespace trainyard
