// Local SGD whose changes are added up, and not averaged, and of which each line of the model is
// exchanged as often as it is used (derived; catalogue §4.1). Workers step on replicas of their
// own, y_i; after every τ steps those parts b whose turn it is, in the same order at all,
//   x_b ← x_b + ν Σ_i (y_i,b − x_b),  y_i,b ← x_b,
// x being what all have agreed on. A part that a fraction p of the minibatches touches has its turn
// in every 1/p-th such visit, to a power of two, at most --turns, and once a pass
// (runtime/line_turns.hpp).
//
// Where it is from. An average divides what a worker has learnt by n, and with sparse rows nearly
// all that is learnt of a feature is learnt by one worker at a time: n replicas that are averaged
// go as far in a pass as one does with γ/n, however often that is, and whoever has which rows
// (docs/limits.md). CoCoA+ adds (Ma et al., ICML 2015; ν is its γ, 1/n is averaging), and so does
// SySCD, one replica a thread (Ioannou, Mendler-Dünner & Parnell, NeurIPS 2019). Both have a local
// problem that is made n times as steep for it; SGD with small steps needs none as long as all
// workers' steps between two exchanges, τ n, are short against the curvature: it is SGD with that
// delay. That bound comes from the features that every row has. Phase reconciliation (Narula et
// al., OSDI 2014; `hogwild-split` has it in shared memory) splits what is contended and exchanges
// it by its use: with turns a rare line is exchanged after as many uses as a frequent one, so that
// what is sent is a few lines a visit instead of the model, and what others have done meanwhile is
// as little.
//
// With --turns 1 all of the model is exchanged: ν = 1/n is `local-sgd`, any ν `diloco` with η = nν
// and without momentum; of a model whose steps are not sparse that is so with any --turns. One
// worker is serial SGD where ν = 1.
//
// The sum goes by recursive doubling, as what is due is short: log2 n messages each way. The model
// that is evaluated is the mean of the replicas, in which of what has not had its turn yet a
// worker's share is 1/n.
#include <cstdint>

#include "trainyard/collective/all_reduce.hpp"
#include "trainyard/model/kernels.hpp"
#include "trainyard/runtime/line_turns.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "scheme/shared_hyperparameters.hpp"

namespace trainyard {

namespace {

constexpr const char* turns_name = "turns";

void work(Worker& worker) {
  const auto period = static_cast<std::uint64_t>(worker.hyperparameter("period"));
  const double added = worker.hyperparameter("added");
  LineTurns turns(worker, period, static_cast<std::uint64_t>(worker.hyperparameter(turns_name)));
  const Vector replica = worker.replica();
  const Vector x = worker.keep("x", replica);
  VectorBuffer changes(replica.scalar(), turns.most());
  std::uint64_t& visit = worker.keep_counts("visit", 1).front();
  while (worker.next_step()) {
    worker.descend();
    if ((worker.step() + 1) % period != 0) continue;
    const auto due = turns.due(visit++);
    std::size_t length = 0;
    for (const auto& [first, count] : due) {
      const Vector change = changes.view().subspan(length, count);
      kernels::copy(replica.subspan(first, count), change);
      kernels::axpy(-1.0, x.subspan(first, count), change);
      length += count;
    }
    if (length == 0) continue;
    recursive_doubling_sum(worker.comm(), changes.view().subspan(0, length));
    length = 0;
    for (const auto& [first, count] : due) {
      kernels::axpy(added, changes.view().subspan(length, count), x.subspan(first, count));
      kernels::copy(x.subspan(first, count), replica.subspan(first, count));
      length += count;
    }
  }
}

/// How long the sum takes depends on what rows touch, unless it is of the whole model.
std::optional<Duration> first_step(const StepSetting& s) {
  if (hyperparameter(s.hyperparameters, "period") > 1) return s.compute;
  if (hyperparameter(s.hyperparameters, turns_name) > 1) return std::nullopt;
  return s.compute + s.all_reduce(find_all_reduce("recursive-doubling"));
}

}  // namespace

Scheme local_sgd_sum_scheme() {
  return {
      .name = "local-sgd-sum",
      .summary =
          "local-sgd that adds up what workers changed, of sparse rows' lines each as often "
          "as it is used (derived)",
      .step = "γ × each gradient, ν times: as ps-async with ν = 1, local-sgd with ν = 1/n",
      .cost = {.formula = "c, and every τ steps ⌈log2 n⌉(α + t') of the lines that are due",
               .rate = "as ps-async, with the staleness of τ(n-1) uses of a line",
               .time = first_step},
      .source =
          "Ma et al. 2015; Ioannou et al. 2019; Narula et al. 2014; derived from these; catalogue "
          "4.1",
      .family = SchemeFamily::local_updates,
      .optimizers = {.range = OptimizerRange::plain,
                     .no_l1 =
                         "adds up what workers changed, and a sum of shrunk changes is not shrunk"},
      .hyperparameters = {period_info,
                          {.name = "added",
                           .argument = "NU",
                           .help = "by which the sum of all workers' changes is multiplied; 1 adds "
                                   "them, 1/n averages",
                           .fallback = 1.0,
                           .low = 0.0,
                           .high = 10.0},
                          {.name = turns_name,
                           .argument = "V",
                           .help = "exchanges, one in each --period, of which a cache line that "
                                   "few rows touch may wait for the last, at most a pass; 1: all "
                                   "lines in each",
                           .fallback = 64,
                           .low = 1,
                           .high = 1e6,
                           .whole = true}},
      .worker = work};
}

}  // namespace trainyard
