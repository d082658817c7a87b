// Hogwild whose most used lines each worker keeps for itself: phase reconciliation (Doppel: Narula,
// Cutler, Kohler & Morris, OSDI 2014) for the lines of a sparse linear model. In text every row has
// the same few dozen words, so that Hogwild's workers meet there at every step, and the lines that
// hold them go from core to core: two workers can be slower than one. A worker has slices, copies
// of these lines of its own, and steps by them; a line that a fraction p of the minibatches touches
// is reconciled in every C/p-th of its steps, and at least once a pass: what the worker has added
// since the last time is added to the shared model, and its slice becomes what is there then. A
// worker that ends reconciles what is left, for those that go on. All other lines are Hogwild's.
// runtime/hot_lines.hpp says which lines are hot, by the data's counts; without any this is
// hogwild, as it is for one worker and for models whose steps are not sparse.
//
// Sums commute, so the order of reconciliations does not matter, and no update is lost in a slice.
// Between two of them a worker does not see what others have added, C updates of each of them: SGD
// with that delay at those coordinates, which does no harm while C (n − 1) steps together are short
// against the curvature there. So C follows from workers, data and step size unless somebody says
// it (harmless_uses() of runtime/hot_lines.hpp); where less than four uses do no harm, no line is
// kept apart, and this is hogwild. The model that is evaluated, and the one that a run ends with,
// is the shared one and all that has not been added to it yet.
//
// --access is for all changes of the shared model, by steps and when lines are reconciled; `racy`
// may lose a reconciliation's part, as it may lose any update.
#include <cstdint>

#include "trainyard/runtime/shared_steps.hpp"
#include "trainyard/runtime/slices.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "scheme/shared_hyperparameters.hpp"

namespace trainyard {

namespace {

constexpr const char* uses_name = "exchange-uses";

Cast shared_with_slices(const CastSetting& s) {
  Cast made = cast::shared(s);
  made.uses_of_slices = static_cast<std::uint64_t>(hyperparameter(s.hyperparameters, uses_name));
  return made;
}

void work(Worker& worker) {
  const auto access = worker.choice<SharedAccess>("access");
  SharedSteps shared(worker);
  Slices slices(worker, shared);
  while (worker.next_step()) {
    shared.descend(access);
    slices.reconcile(access);
  }
  slices.reconcile_rest(access);
}

}  // namespace

Scheme hogwild_split_scheme() {
  return {
      .name = "hogwild-split",
      .summary = "hogwild; of lines that most rows touch each worker has a slice of its own",
      .step = "γ × each gradient: as ps-async",
      .cost = {.formula = "c",
               .rate = "as hogwild; hot coordinates as ps-async with staleness C (n−1), C as "
                       "--exchange-uses or γ h λ₁ C (n−1) ≤ θ",
               .time = [](const StepSetting& s) -> std::optional<Duration> { return s.compute; }},
      .source = "Narula et al. 2014, phase reconciliation; Niu et al. 2011; catalogue 2.16",
      .family = SchemeFamily::shared_memory,
      .order = {.pace = Pace::free, .outlives_worker = true},
      .cast = shared_with_slices,
      .optimizers =
          {.range = OptimizerRange::plain,
           .no_l1 =
               "adds up what workers changed in slices, and a sum of shrunk changes is not shrunk"},
      .hyperparameters = {access_info(),
                          {.name = uses_name,
                           .argument = "C",
                           .help = "uses of a hot cache line by a worker between two exchanges "
                                   "of it; 0: as many as do no harm, from workers, data and --lr",
                           .fallback = 0,
                           .low = 0,
                           .high = 1e9,
                           .whole = true}},
      .worker = work};
}

}  // namespace trainyard
