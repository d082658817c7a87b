// DiLoCo that never waits for its outer gradients (Kale, Douillard & Donchev 2025; catalogue §4.1).
// The ways of a round are summed while the next round is computed, so that the sum Δ^{t−1} is there
// one outer step late. What a worker has come by itself it knows at once, and takes in place of its
// stale part (--outer-gradient eager):
//   Δ_i^t = x − x_i after H steps, its ring begins,
//   Δ̂_i = Δ^{t−1} + (1/n) (Δ_i^t − Δ_i^{t−1}),
//   v ← μ v + Δ̂_i,  x ← x − η (Δ̂_i + μ v),  x_i ← x.
// So each worker has an outer model of its own, which differs from the others' by the fresh parts
// until those have gone around. --outer-gradient delayed takes Δ^{t−1} alone, which the paper has
// for comparison: then all models are one, and it converges worse. Before the first sum is there
// Δ^{t−1} is 0.
//
// A single worker's is `diloco`: its own part is the whole.
//
// At the run's end the last sum goes around to its end, though nobody takes it in.
//
// The all-reduce is a ring (collective/concurrent_rings.hpp), since it has to go on while its
// workers compute; the whole model goes around in the H steps of a round, with --wire fp16 in half
// the bytes. streaming-diloco is the other way not to wait: fragments, that overlap a few steps.
#include <cstdint>

#include "trainyard/collective/concurrent_rings.hpp"
#include "trainyard/runtime/listening_gradient.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "scheme/gradient_wire.hpp"
#include "scheme/outer_model.hpp"
#include "scheme/shared_hyperparameters.hpp"

namespace trainyard {

namespace {

enum class OuterGradient { eager, delayed };

/// The ways of the rounds, one of which is always on its way around.
class Ways {
 public:
  explicit Ways(Worker& worker)
      : worker_(worker),
        share_(1.0 / worker.comm().workers()),
        is_eager_(worker.choice<OuterGradient>("outer-gradient") == OuterGradient::eager),
        outer_(worker),
        wire_(worker),
        rings_(worker.comm(), wire_.codec()),
        sum_(worker.keep("sum of ways", worker.replica().size())),
        stale_(worker.keep("stale way", is_eager_ ? sum_.size() : 0)),
        way_(sum_.scalar(), sum_.size()),
        mixed_(sum_.scalar(), sum_.size()) {}

  bool is_under_way() const { return rings_.under_way() > 0; }
  void take(Message& message) { rings_.take(message); }

  /// Waits for what is under way.
  void finish() { rings_.finish(); }

  /// At a round's end.
  void turn() {
    finish();
    const Vector fresh = way_.view(), outer_gradient = mixed_.view();
    outer_.way_to(worker_.replica(), fresh);
    wire_.round(fresh);
    kernels::scaled_copy(share_, sum_, outer_gradient);  // Δ^{t−1}
    if (is_eager_) {
      kernels::axpy(share_, fresh, outer_gradient);
      kernels::axpy(-share_, stale_, outer_gradient);
      kernels::copy(fresh, stale_);
    }
    kernels::copy(fresh, sum_);
    rings_.start(0, sum_);
    outer_.step(outer_gradient);
    kernels::copy(outer_.whole(), worker_.replica());
  }

 private:
  Worker& worker_;
  const double share_;  // 1/n
  const bool is_eager_;
  OuterModel outer_;
  GradientWire wire_;
  ConcurrentRings rings_;
  const Vector sum_;    // n Δ^{t−1}, or being summed
  const Vector stale_;  // Δ_i^{t−1}
  VectorBuffer way_, mixed_;
};

void work(Worker& worker) {
  const auto period = static_cast<std::uint64_t>(worker.hyperparameter("period"));
  Ways ways(worker);
  ListeningGradient gradients(worker);
  while (worker.next_step()) {
    if (ways.is_under_way()) {
      worker.apply(gradients.compute([&](Message& message) { ways.take(message); }));
    } else {
      worker.descend();
    }
    if ((worker.step() + 1) % period == 0) ways.turn();
  }
  ways.finish();
}

}  // namespace

Scheme eager_diloco_scheme() {
  return {
      .name = "eager-diloco",
      .summary = "diloco whose ways are summed during the next round, a worker's own taken at once",
      .step =
          "γ × own gradient; every τ steps η × the others' ways of one round ago and the own one, "
          "and momentum",
      .cost = {.formula = "c, while a ring takes less than τ steps",
               .rate = "as local-sgd, an outer step late",
               .time = [](const StepSetting& s) -> std::optional<Duration> { return s.compute; }},
      .source = "Kale, Douillard & Donchev 2025; catalogue 4.1",
      .family = SchemeFamily::local_updates,
      .optimizers = {.no_l1 = "steps along a mean way with momentum, which moves weights off 0"},
      .hyperparameters = {period_info,
                          outer_lr_info,
                          outer_momentum_info,
                          outer_optimizer_info,
                          {.name = "outer-gradient",
                           .argument = "eager|delayed",
                           .help = "what an outer step takes: the last round's mean way with the "
                                   "worker's own brought up to date, or as it is",
                           .choices = {"eager", "delayed"}},
                          wire_info()},
      .worker = work};
}

}  // namespace trainyard
