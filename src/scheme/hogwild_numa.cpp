// Hogwild on a machine of several memories (DimmWitted: Zhang & Ré, VLDB 2014; catalogue §2.16). A
// cache line that two sockets write goes through the link between them at every step, so each NUMA
// node has a replica of its own: Hogwild inside, and the replicas are drawn to their mean as the
// run goes on. Of DimmWitted's three ways to replicate the model this is PerNode, and with --groups
// it spans the others:
//   PerMachine  --groups 1, which is hogwild
//   PerNode     --groups of the machine's nodes, the default
//   PerCore     --groups of the workers: independent replicas. Averaged in lock-step, at the end of
//               each epoch, it is local-sgd with --period of an epoch's steps.
// Groups are of neighbouring ranks, which --placement compact puts on the same node; on a machine
// of one node they emulate several.
//
// DimmWitted averages in a thread of its own, "as often as possible". Here whoever takes each
// (τ · n)-th minibatch does it, τ being --period: the others go on meanwhile, none waits, and what
// they add while replicas are averaged is kept, as each replica grows by mean − what was read of
// it. So averaging alone never changes the sum of the replicas (with cas-add and locked; racy may
// lose some of it as it may lose any update).
#include <cstdint>

#include "trainyard/runtime/shared_steps.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "scheme/shared_hyperparameters.hpp"

namespace trainyard {

namespace {

void work(Worker& worker) {
  SharedSteps shared(worker);
  SharedModels& replicas = shared.models();
  const auto access = worker.choice<SharedAccess>("access");
  const auto every = static_cast<std::uint64_t>(worker.hyperparameter("period")) *
                     static_cast<std::uint64_t>(worker.comm().workers());
  AlignedBuffer<float> scratch(replicas.average_scratch());
  while (worker.next_step()) {
    shared.descend(access);
    if (replicas.groups() > 1 && (worker.minibatches().number() + 1) % every == 0) {
      for (int group = 0; group < replicas.groups(); ++group) {
        shared.touch(group, LineUse::write);
      }
      replicas.average(scratch.span(), access);
      shared.forget_read();
    }
  }
}

}  // namespace

Scheme hogwild_numa_scheme() {
  return {
      .name = "hogwild-numa",
      .summary = "a shared model for each NUMA node, averaged every --period steps while all go on",
      .step = "γ × each gradient, on one of the groups' replicas; the mean moves γ/groups",
      .cost = {.formula = "c",
               .rate = "between hogwild (one group) and local-sgd (a group a worker)",
               .time = [](const StepSetting& s) -> std::optional<Duration> { return s.compute; }},
      .source = "Zhang & Ré 2014; catalogue 2.16",
      .family = SchemeFamily::shared_memory,
      .order = {.pace = Pace::free, .outlives_worker = true},
      .cast = cast::shared_by_groups,
      .messages = {.within = "the NUMA nodes of one machine"},
      .optimizers = {.range = OptimizerRange::plain},
      .hyperparameters = {access_info(), groups_info(), period_info},
      .worker = work};
}

}  // namespace trainyard
