// SPARTA, sparse parameter averaging (Beton et al. 2025, as exogym's sparta.py has it; catalogue
// §4.1): every worker steps on its own replica, and after each step a few coordinates, drawn anew,
// are averaged over all workers:
//   x_i ← x_i − γ g_i(x_i);   j ∈ M with probability p, each j by itself;
//   (x_i)_j ← (1/n) Σ_k (x_k)_j for the j ∈ M.
// A coordinate is averaged once in 1/p steps, as with local-sgd of τ = 1/p, for which as many
// numbers are sent; but here a few after each step, and there all of them at once. p = 1 is
// local-sgd with τ = 1, which with plain SGD is `ring`.
//
// All draw M from a stream in common, where the authors' first worker tells it to the others: what
// travels is numbers alone, in the order of their places, around a ring. What the optimizer keeps
// stays with its worker, velocities too.
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "trainyard/base/random.hpp"
#include "trainyard/collective/all_reduce.hpp"
#include "trainyard/scheme/scheme.hpp"

namespace trainyard {

namespace {

const HyperparameterInfo averaged_share_info{
    .name = "averaged-share",
    .argument = "P",
    .help = "probability of a parameter to be averaged after a step",
    .fallback = 0.005,
    .low = 0.0,
    .high = 1.0};

/// M of a step, the same at every worker.
class Mask {
 public:
  Mask(const RandomStream& common, std::uint64_t step, double probability)
      : random_(common), rate_(-std::log1p(-probability)) {
    random_.jump_to(static_cast<std::uint32_t>(step));
  }

  /// Calls visit(j) for each j ∈ M, in their order, and again alike. How many places lie between
  /// two of them is geometric: a draw for each, and none for those that are not in M.
  template <typename Visit>
  void for_each(std::size_t dimension, const Visit& visit) const {
    RandomStream random = random_;
    const auto between = [&] { return std::floor(random.exponential() / rate_); };
    const auto end = static_cast<double>(dimension);
    double j = between();
    while (j < end) {
      visit(static_cast<std::size_t>(j));
      j += 1.0 + between();
    }
  }

 private:
  RandomStream random_;
  double rate_;  // ∞ for p = 1: nothing lies between
};

/// The numbers of x in M, one behind the other; part of `place`.
Vector gather(const Mask& mask, ConstVector x, Vector place) {
  std::size_t count = 0;
  with_scalar(x.scalar(), [&]<typename T>(T) {
    mask.for_each(x.size(), [&, from = x.as<T>(), to = place.as<T>()](std::size_t j) {
      to[count++] = from[j];
    });
  });
  return place.first(count);
}

/// Puts them back.
void scatter(const Mask& mask, ConstVector numbers, Vector x) {
  std::size_t count = 0;
  with_scalar(x.scalar(), [&]<typename T>(T) {
    mask.for_each(x.size(), [&, from = numbers.as<T>(), to = x.as<T>()](std::size_t j) {
      to[j] = from[count++];
    });
  });
}

void work(Worker& worker) {
  const double probability = worker.hyperparameter(averaged_share_info.name);
  const RandomStream common = worker.common_random();
  const AllReduce& ring = find_all_reduce("ring");
  const Vector model = worker.replica();
  VectorBuffer buffer(model.scalar(), model.size());
  while (worker.next_step()) {
    worker.descend();
    const Mask mask(common, worker.step(), probability);
    const Vector numbers = gather(mask, model, buffer.view());
    if (numbers.empty()) continue;
    all_reduce_mean(worker.comm(), numbers, ring);
    scatter(mask, numbers, model);
  }
}

/// How many numbers the first step sends is known where it is none or all of them.
std::optional<Duration> step_time(const StepSetting& s) {
  const double probability = hyperparameter(s.hyperparameters, averaged_share_info.name);
  if (probability == 0.0) return s.compute;
  if (probability < 1.0) return std::nullopt;
  return s.compute + s.all_reduce(find_all_reduce("ring"));
}

}  // namespace

Scheme sparta_scheme() {
  return {.name = "sparta",
          .summary =
              "workers step on replicas of their own; after each step a few parameters, drawn at "
              "random with --averaged-share, are averaged",
          .step = "γ × own gradient; what the optimizer keeps stays with each worker",
          .cost = {.formula = "c + 2(n-1)(α + pt/n) on average, p the share",
                   .rate = "not known",
                   .time = step_time},
          .source = "Beton et al. 2025; catalogue 4.1",
          .family = SchemeFamily::local_updates,
          // How often a step sends nothing goes by the model's size, and a prediction has a smaller
          // one.
          .order = {.rhythm = Rhythm::by_data,
                    .members_may_change = true,
                    .rows_by_speed = RowsBySpeed::replicas},
          .hyperparameters = {averaged_share_info},
          .worker = work};
}

}  // namespace trainyard
