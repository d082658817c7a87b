// Compressed SGD: x ← x − γ · (1/n) Σ_i C(g_i(x)) (Alistarh et al., NIPS 2017, Algorithm 1; Liu &
// Zhang 2020; catalogue §5). Workers send encoded gradients to the server, which sends their mean
// back, as it is or encoded once more (--direction both). What C leaves out is gone, so that C has
// to be right on average: with an unbiased codec the mean is a stochastic gradient of variance
// (1 + ω) times as large, with a biased one, such as top-k, training stops where it should not
// (ec-sgd keeps what is left out).
#include "trainyard/collective/coded_exchange.hpp"
#include "trainyard/collective/parameter_server.hpp"
#include "trainyard/model/kernels.hpp"

#include "scheme/coded.hpp"

namespace trainyard {

namespace {

enum class Direction { up, both };

Direction direction_of(const Hyperparameters& hyperparameters) {
  return static_cast<Direction>(static_cast<int>(hyperparameter(hyperparameters, "direction")));
}

void work(Worker& worker) {
  Coder coder = worker.coder();
  const bool both = worker.choice<Direction>("direction") == Direction::both;
  while (worker.next_step()) {
    const auto gradient = worker.compute_gradient();
    push_coded(worker.comm(), coder, gradient);
    if (both) {
      kernels::set_to_zero(gradient);
      pull_coded(worker.comm(), coder, 1.0, gradient);
    } else {
      pull(worker.comm(), gradient);
    }
    worker.apply(gradient);
  }
}

void serve(Server& server) {
  Coder coder = server.coder();
  Communicator& comm = server.comm();
  const bool both = server.hyperparameter("direction") == static_cast<double>(Direction::both);
  while (comm.await_message()) {
    const auto mean = server.zeroed_sum();
    sum_coded_pushes(comm, coder, 1.0 / comm.workers(), mean);
    if (both) {
      answer_all_coded(comm, coder.encode(mean));
    } else {
      answer_all(comm, mean);
    }
  }
}

HyperparameterInfo direction_info() {
  return {.name = "direction",
          .argument = "up|both",
          .help = "which gradients are encoded: the workers', or the server's mean as well",
          .choices = {"up", "both"}};
}

}  // namespace

Scheme csgd_scheme() {
  return {.name = "csgd",
          .summary = "workers push encoded gradients, the server sends their mean back; C unbiased",
          .step = "γ × mean over workers",
          .cost = {.formula = "c + e + max(m + nd, nm + d) + n(α + t); e, d: coding, m: an encoded "
                              "message",
                   .rate = "1/ε + σ²/(nε²) + σ'²/ε²; with --direction up + σ'²/(nε²)",
                   .time = [](const StepSetting& s) -> std::optional<Duration> {
                     const bool both = direction_of(s.hyperparameters) == Direction::both;
                     return coded_server_time(s, s.codec(), {.answers = both});
                   }},
          .source = "Alistarh et al. 2017; catalogue 5",
          .family = SchemeFamily::synchronous,
          .order = {.members_may_change = true, .rows_by_speed = RowsBySpeed::mean},
          .cast = cast::replicas_with_servers,
          .takes = {"codec"},
          .messages = {.codec_need = CodecNeed::unbiased},
          .hyperparameters = {direction_info()},
          .worker = work,
          .server = serve};
}

}  // namespace trainyard
