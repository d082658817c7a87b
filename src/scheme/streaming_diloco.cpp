// Streaming DiLoCo (Douillard et al. 2025, Algorithm 2; catalogue §4.1): DiLoCo whose parameters
// are not sent all at once, nor waited for. They are cut into P fragments, of which one is sent
// every H/P steps, so that the link never has to carry more than a P-th at a time; and a worker
// goes on stepping for τ steps while its fragment is summed around the ring:
//   τ steps before the fragment's turn   Δ_i = x − x_i of the fragment; its all-reduce begins
//   at its turn                          v ← μ v + Δ,  x ← x − η (Δ + μ v), of the fragment
//                                        x_i ← (1 − α) x + α x_i
// so that what a worker did meanwhile is not lost, unless α = 0. α = 1 never hears of the others.
// The rule, with α as the share of the local model, is torchft's (local_sgd.py), to whose recorded
// trajectories a test holds it. P = 1, τ = 0, α = 0 is `diloco`.
//
// A fragment is one of P equal parts of the parameters in their order; the paper's are of whole
// layers, three neighbouring ones or every so manieth. The all-reduce is a ring
// (collective/concurrent_rings.hpp), since it has to go on while its workers compute. With --wire
// fp16 outer gradients travel in half the bytes; the paper has 4 bits.
#include <cstdint>
#include <optional>

#include "trainyard/base/even_split.hpp"
#include "trainyard/collective/concurrent_rings.hpp"
#include "trainyard/runtime/listening_gradient.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "scheme/fragment_schedule.hpp"
#include "scheme/gradient_wire.hpp"
#include "scheme/outer_model.hpp"
#include "scheme/shared_hyperparameters.hpp"

namespace trainyard {

namespace {

Cast checked_replicas(const CastSetting& s) {
  (void)FragmentSchedule(s.hyperparameters);
  return cast::replicas(s);
}

/// A worker's fragments, one after another.
class Fragments {
 public:
  explicit Fragments(Worker& worker)
      : worker_(worker),
        schedule_(FragmentSchedule::of(worker)),
        local_share_(worker.hyperparameter("local-share")),
        outer_(worker),
        wire_(worker),
        rings_(worker.comm(), wire_.codec()),
        way_(worker.keep("sum of ways",
                         largest_part(worker.replica().size(), schedule_.fragments()))) {}

  bool is_under_way() const { return rings_.under_way() > 0; }
  void take(Message& message) { rings_.take(message); }

  /// After a step: sends the fragment whose turn comes, and takes in what has come back of it.
  void take_turns(std::uint64_t step) {
    if (schedule_.sends(next_, step)) send();
    if (schedule_.merges(next_, step)) merge();
  }

 private:
  void send() {
    const std::size_t first = even_cut(worker_.replica().size(), next_, schedule_.fragments());
    const ConstVector fragment = replica();
    outer_.way_to(fragment, way(), first);
    wire_.round(way());
    rings_.start(0, way());
  }
  void merge() {
    rings_.finish();
    const std::size_t first = even_cut(worker_.replica().size(), next_, schedule_.fragments());
    outer_.step(way(), 1.0 / worker_.comm().workers(), first);
    const ConstVector merged = outer_.part(first, way().size());
    if (local_share_ == 0.0) {
      kernels::copy(merged, replica());  // to the bit, for all workers alike
    } else {
      kernels::move_towards(1.0 - local_share_, merged, replica());
    }
    next_ = (next_ + 1) % schedule_.fragments();
  }

  Vector replica() { return even_split(worker_.replica(), next_, schedule_.fragments()); }
  Vector way() { return way_.subspan(0, replica().size()); }

  Worker& worker_;
  const FragmentSchedule schedule_;
  const double local_share_;  // α
  OuterModel outer_;
  GradientWire wire_;
  ConcurrentRings rings_;
  const Vector way_;  // of the fragment whose turn it is, over all workers where its ring is done
  int next_ = 0;      // that fragment
};

void work(Worker& worker) {
  Fragments fragments(worker);
  ListeningGradient gradients(worker);
  while (worker.next_step()) {
    if (fragments.is_under_way()) {
      worker.apply(gradients.compute([&](Message& message) { fragments.take(message); }));
    } else {
      worker.descend();
    }
    fragments.take_turns(worker.step());
  }
  // A sum that is under way at the run's end would not be taken in any more.
}

std::optional<Duration> step_time(const StepSetting& s) {
  const FragmentSchedule schedule(s.hyperparameters);
  if (!schedule.merges(0, 0)) return s.compute;
  const Wire wire = wire_of(s.hyperparameters);
  const auto message = [&](std::size_t numbers) { return wire_message(s, wire, numbers); };
  const std::size_t first = even_cut(s.parameters, 1, schedule.fragments());
  return s.compute + find_all_reduce("ring").duration(s.workers, s.servers, first, message);
}

}  // namespace

Scheme streaming_diloco_scheme() {
  return {
      .name = "streaming-diloco",
      .summary =
          "diloco by fragments that take turns, each summed around a ring while workers "
          "go on",
      .step =
          "γ × own gradient; a fragment every τ/P steps η × the mean way of the workers, "
          "and momentum",
      .cost = {.formula = "c, while rings of t/P take less than the steps of the delay",
               .rate = "as local-sgd",
               .time = step_time},
      .source = "Douillard et al. 2025, Algorithm 2; catalogue 4.1",
      .family = SchemeFamily::local_updates,
      .cast = checked_replicas,
      .optimizers = {.no_l1 = "steps along a mean way with momentum, which moves weights off 0"},
      .hyperparameters = {period_info, fragments_info, fragment_delay_info, local_share_info,
                          outer_lr_info, outer_momentum_info, outer_optimizer_info, wire_info()},
      .worker = work};
}

}  // namespace trainyard
