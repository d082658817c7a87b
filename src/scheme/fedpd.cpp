// FedPD, federated primal-dual (Zhang, Hong, Dhople, Yin & Liu, IEEE Transactions on Signal
// Processing 2021, Algorithm 1 with oracle I): consensus by an augmented Lagrangian. Worker i has a
// model y, a multiplier λ, and x, what it takes the common model to be; in a round it lowers
//   f_i(y) + ⟨λ, y − x⟩ + ‖y − x‖² / 2η
// by steps from where its last round left y,
//   y ← y − γ (g_i(y) + λ + (y − x)/η),
// and then
//   λ ← λ + (y − x)/η,  x ← y + η λ,
// and with probability 1 − p x becomes the mean of all workers' x, which is the server's model.
// λ begins at 0, x and y where training does. All workers take part in every round; the coin is one
// that all of them draw alike, so that nobody has to be told. With p > 0 a worker that goes on from
// its own x does as a proximal step on f_i alone would.
//
// With p = 0 it rests where y = x, λ = −∇f_i(x) and all λ add up to 0: with full gradients the
// optimum, whatever τ. It does not where p > 0: there a round without a mean leaves x for x + ηλ.
// So p is for data that are alike, as the paper has it. Where the steps of a round minimise the
// Lagrangian, and p = 0, it is feddyn by all workers with α = 1/η and g_i = −λ; where they do not,
// feddyn differs: its rounds begin at x, these at y.
//
// As in fedavg a worker counts by its rows (--weights workers is the paper's mean). One vector each
// way, a whole one.
#include <cstdint>
#include <optional>

#include "trainyard/base/random.hpp"
#include "trainyard/collective/parameter_server.hpp"
#include "trainyard/model/kernels.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "scheme/fedavg.hpp"
#include "scheme/refusals.hpp"
#include "scheme/shared_hyperparameters.hpp"

namespace trainyard {

namespace {

constexpr const char* skip_name = "skip-probability";

void work(Worker& worker) {
  const auto period = static_cast<std::uint64_t>(worker.hyperparameter("period"));
  const double eta = worker.hyperparameter(proximal_step_info.name);
  const double skip = worker.hyperparameter(skip_name);
  RandomStream& coin = worker.common_random();
  const Vector y = worker.replica();
  const Vector x = worker.keep("x_0", y), multiplier = worker.keep("lambda", y.size());
  while (worker.next_step()) {
    const Vector gradient = worker.compute_gradient();
    kernels::add(multiplier, gradient);
    kernels::add_difference(1.0 / eta, y, x, gradient);
    worker.apply(gradient);
    if ((worker.step() + 1) % period != 0) continue;
    kernels::add_difference(1.0 / eta, y, x, multiplier);
    kernels::copy(y, x);
    kernels::axpy(eta, multiplier, x);
    if (coin.uniform() < skip) continue;
    push_of_round(worker, x, period);
    pull(worker.comm(), x);
  }
}

std::optional<Duration> step_time(const StepSetting& s) {
  if (hyperparameter(s.hyperparameters, "period") > 1) return s.compute;
  if (s.servers > 1 || hyperparameter(s.hyperparameters, skip_name) > 0) return std::nullopt;
  return s.compute + 2 * s.workers * s.whole_model();
}

}  // namespace

Scheme fedpd_scheme() {
  return {.name = "fedpd",
          .summary = "local steps on augmented Lagrangians, whose centres a server averages",
          .step = "γ × (own gradient + multiplier + the way from the centre / η)",
          .cost = {.formula = "c, and every τ steps, with probability 1 - p, 2n(α + t/k)",
                   .rate = "as feddyn by all workers, where p = 0",
                   .time = step_time},
          .source = "Zhang, Hong et al. 2021, Algorithm 1; catalogue 4.1",
          .family = SchemeFamily::local_updates,
          .order = {.rhythm = Rhythm::by_chance},
          .cast = cast::servers,
          .optimizers = {.range = OptimizerRange::plain, .no_l1 = refusal::corrected_by_ways},
          .hyperparameters = {period_info,
                              proximal_step_info,
                              {.name = skip_name,
                               .argument = "P",
                               .help = "that nothing is averaged at the end of a round",
                               .fallback = 0.0,
                               .low = 0.0,
                               .high = 0.999}},
          .shares = {.published = ShareWeights::rows, .in_program = true},
          .worker = work,
          .server = serve_fedavg};
}

}  // namespace trainyard
