// NoLoCo (Kolehmainen et al. 2025, eq. 2 and 3 as their code has them; catalogue §4.1): DiLoCo
// without an all-reduce. In each round the workers are dealt anew to groups, pairs in the paper; a
// worker hears of its group alone. With x_i the model that worker i began the round from and x_i'
// where H inner steps have led it, its outer optimizer is drawn both along the group's way and to
// the group's mean:
//   m_i ← μ m_i + η mean_j (x_j' − x_j) + η (mean_j x_j − x_i),  x_i ← x_i + m_i.
// The mean of the x_j is in both terms and cancels, so what is sent is one vector, x_j', where the
// code sends two:
//   m_i ← μ m_i + η (mean_j x_j' − x_i).
// No worker waits for all others, and no two models are the same; that deals change mixes them.
// Groups of all workers are `diloco` with heavy ball.
//
// All draw the deal from a stream in common. Groups have k workers; what is left over joins others.
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "trainyard/base/even_split.hpp"
#include "trainyard/model/kernels.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "scheme/outer_model.hpp"
#include "scheme/shared_hyperparameters.hpp"

namespace trainyard {

namespace {

/// The ranks of a worker's group, one deal after another.
class Deals {
 public:
  Deals(Worker& worker, int workers, int rank, int group_size)
      : random_(worker.common_random()),
        ranks_(worker.keep_counts("deal", static_cast<std::size_t>(workers))),
        rank_(static_cast<std::uint64_t>(rank)),
        groups_(std::max(1, workers / group_size)) {
    if (worker.step() == 0) std::iota(ranks_.begin(), ranks_.end(), 0U);
  }

  /// In the same order at each of them; valid until the next deal.
  std::span<const std::uint64_t> next() {
    random_.shuffle(ranks_);
    const std::span<const std::uint64_t> all(ranks_);
    for (int group = 0;; ++group) {
      const std::span<const std::uint64_t> ranks = even_split(all, group, groups_);
      if (std::ranges::count(ranks, rank_) > 0) return ranks;
    }
  }

 private:
  RandomStream& random_;
  const std::span<std::uint64_t> ranks_;
  const std::uint64_t rank_;
  const int groups_;
};

/// The mean of the group's replicas. All add them up in the same order.
void average_group(Communicator& comm, std::span<const std::uint64_t> group, ConstVector replica,
                   Vector mean) {
  // By offsets, so that no port is asked for by two at once.
  const auto rank = static_cast<std::uint32_t>(comm.rank());
  const auto own = static_cast<std::size_t>(std::ranges::find(group, rank) - group.begin());
  for (std::size_t offset = 1; offset < group.size(); ++offset) {
    comm.send(static_cast<int>(group[(own + offset) % group.size()]), replica);
  }
  kernels::set_to_zero(mean);
  for (const std::uint32_t other : group) {
    if (other == rank) {
      kernels::add(replica, mean);
    } else {
      kernels::add(comm.receive(static_cast<int>(other)).vector(), mean);
    }
  }
  kernels::scale(1.0 / static_cast<double>(group.size()), mean);
}

void work(Worker& worker) {
  const auto period = static_cast<std::uint64_t>(worker.hyperparameter("period"));
  const auto group_size = static_cast<int>(worker.hyperparameter("mixing-group"));
  const double step_size = worker.hyperparameter("outer-lr");
  const double momentum = worker.hyperparameter("outer-momentum");
  Communicator& comm = worker.comm();
  Deals deals(worker, comm.workers(), comm.rank(), group_size);
  const std::size_t size = worker.replica().size();
  const Vector x = worker.keep("outer model", worker.replica()),
               m = worker.keep("outer momentum", size);
  VectorBuffer mean(x.scalar(), size);
  while (worker.next_step()) {
    worker.descend();
    if ((worker.step() + 1) % period != 0) continue;
    average_group(comm, deals.next(), worker.replica(), mean.view());
    kernels::scale(momentum, m);
    kernels::add_difference(step_size, mean.view(), x, m);
    kernels::add(m, x);
    kernels::copy(x, worker.replica());
  }
}

const HyperparameterInfo mixing_group_info{
    .name = "mixing-group",
    .argument = "K",
    .help = "workers that are dealt to a group in each round",
    .fallback = 2,
    .low = 1,
    .high = 32000,
    .whole = true};

}  // namespace

Scheme noloco_scheme() {
  return {
      .name = "noloco",
      .summary =
          "diloco without an all-reduce: every --period steps each worker averages with "
          "another one, drawn at random",
      .step = "γ × own gradient; every τ steps η × the group's way, and momentum",
      .cost = {.formula = "c, and every τ steps α + (k-1)t",
               .rate = "as local-sgd, with the mixing of random groups",
               .time = [](const StepSetting& s) -> std::optional<Duration> {
                 if (hyperparameter(s.hyperparameters, "period") > 1) return s.compute;
                 return std::nullopt;
               }},
      .source = "Kolehmainen et al. 2025; catalogue 4.1",
      .family = SchemeFamily::local_updates,
      .order = {.rhythm = Rhythm::by_chance},
      .optimizers = {.no_l1 = "steps along a mean way with momentum, which moves weights off 0"},
      .hyperparameters = {period_info, outer_lr_info, outer_momentum_info, mixing_group_info},
      .worker = work};
}

}  // namespace trainyard
