// 1-bit Adam (Tang, Gan et al., ICML 2021, Algorithm 1): Adam's
// step is no linear function of gradients, so errors fed back into them would not add up. But its
// second moment v soon stands nearly still, and with v frozen the step is linear in the momentum,
// which can be encoded with error feedback on both ways:
//   for --freeze-step steps:  Adam on the mean gradient (m and v the same at every worker)
//   then:  m_i = β₁ m + (1 − β₁) g_i;  send C(m_i + e_i);  m ← C(mean of these + E);
//          x ← x − γ m / (√v̂ + 10⁻⁸)
// with v̂ as it was at the end of the first phase, its bias corrected, and DoubleSqueeze's errors
// e_i and E. β₁ = 0.9, β₂ = 0.999. Errors are of momenta, and not of steps: γ multiplies them when
// they are applied, as in the authors' code (DeepSpeed's OnebitAdam).
//
// A parameter without any gradient in the first phase, as of a word that has not come up yet, has
// v = 0, and its first momentum would be divided by 10⁻⁸. The authors' code takes a mask of such
// parameters, which their user writes, and sets their momenta to 0 after each exchange; here it is
// made of v at the freeze. They stay where they are then, and the run says how many they are.
#include <algorithm>
#include <cmath>
#include <span>
#include <string>

#include <fmt/format.h>

#include "trainyard/collective/coded_exchange.hpp"
#include "trainyard/collective/parameter_server.hpp"
#include "trainyard/collective/short_parts.hpp"
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
        squares_(worker.keep("v", model_.size())),
        steps_(worker.keep_counts("t", 1).front()) {
    if (steps_ > 0) root_scale_ = root_scale_of(steps_);
    if (worker.step() > steps_) freeze();
  }

  Vector mean() { return mean_; }

  /// Adam's t-th step, from 1.
  void step(ConstVector gradient, std::uint64_t t, double step_size) {
    steps_ = t;
    root_scale_ = root_scale_of(t);
    kernels::adam_step({.beta1 = beta1,
                        .beta2 = beta2,
                        .scale = 1.0,
                        .step = step_size / (1.0 - std::pow(beta1, static_cast<double>(t))),
                        .root_scale = root_scale_},
                       gradient, mean_, squares_, model_);
  }
  /// From now on v stands still. Returns of how many parameters it is 0.
  std::size_t freeze() {
    without_gradient_ = with_scalar(squares_.scalar(), [&]<typename T>(T) {
      return static_cast<std::size_t>(std::ranges::count(squares_.as<T>(), T{0}));
    });
    return without_gradient_;
  }
  /// x ← x − γ m / (√v̂ + 10⁻⁸): Adam's step in which neither moment moves, and m is 0 where v is.
  void step_with_frozen(double step_size) {
    if (without_gradient_ > 0) hold_without_gradient();
    kernels::adam_step(
        {.beta1 = 1.0, .beta2 = 1.0, .scale = 1.0, .step = step_size, .root_scale = root_scale_},
        mean_, mean_, squares_, model_);
  }

 private:
  static double root_scale_of(std::uint64_t t) {
    return 1.0 / std::sqrt(1.0 - std::pow(beta2, static_cast<double>(t)));
  }
  void hold_without_gradient() {
    with_scalar(mean_.scalar(), [&]<typename T>(T) {
      const std::span<T> mean = mean_.as<T>();
      const std::span<const T> squares = squares_.as<T>();
      for (std::size_t j = 0; j < mean.size(); ++j) {
        mean[j] = squares[j] == T{0} ? T{0} : mean[j];
      }
    });
  }

  Vector model_, mean_, squares_;
  std::uint64_t& steps_;  // before the freeze
  double root_scale_ = 1.0;
  std::size_t without_gradient_ = 0;  // counted at the freeze
};

std::string without_gradient_text(std::size_t count, std::size_t parameters,
                                  std::uint64_t warm_up) {
  return fmt::format(
      "warning: one-bit-adam froze its second moment after {} step{}, in which {} of {} parameters "
      "had no gradient: these stay where they were, whatever gradients they get later "
      "(--freeze-step makes the warm-up longer)",
      warm_up, warm_up == 1 ? "" : "s", count, parameters);
}

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
    if (worker.step() == warm_up) {
      const std::size_t count = moments.freeze();
      const std::size_t all = worker.replica().size();
      if (count > 0) worker.remark(without_gradient_text(count, all, warm_up));
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
  for (std::uint64_t& step = server.keep_counts("step", 1).front(); comm.await_message(); ++step) {
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

/// The first step is one of the warm-up, which is as ps-sync.
std::optional<Duration> step_time(const StepSetting& s) {
  if (s.servers > s.workers || takes_turns(s.parameters, s.workers, s.servers)) {
    return std::nullopt;
  }
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
  return {
      .name = "one-bit-adam",
      .summary =
          "1-bit Adam: after a warm-up the second moment stands still, and momenta are encoded, in "
          "one bit with --codec one-bit; parameters without a gradient till then stay",
      .step = "γ × Adam's direction of the mean over workers, with β₁ = 0.9 and β₂ = 0.999",
      .cost = {.formula = "c + 2n(α + t/k); after the warm-up as double-squeeze",
               .rate = "as Adam's warm-up leaves it, then as double-squeeze",
               .time = step_time},
      .source = "Tang, Gan et al. 2021; catalogue 5",
      .family = SchemeFamily::synchronous,
      .cast = cast::replicas_with_servers,
      .takes = {"codec"},
      .messages = {.codec_need = CodecNeed::contraction},
      .optimizers = {.range = OptimizerRange::plain,
                     .no_l1 =
                         "steps by Adam's rule, which has no such step here; sgd and adagrad have"},
      .hyperparameters = {freeze_info()},
      .worker = work,
      .server = serve};
}

}  // namespace trainyard
