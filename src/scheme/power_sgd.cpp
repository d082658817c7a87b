// PowerSGD (Vogels, Karimireddy & Jaggi, NeurIPS 2019, Algorithms 1 and 2; catalogue §5):
// data-parallel SGD whose steps are averaged in r directions of each matrix
// (collective/low_rank.hpp), with error feedback:
//   M_i = γ g_i + e_i;  M̂ = low-rank mean of the M_i;  e_i ← M_i − …;  x ← x − M̂.
// Both all-reduces are of plain numbers, around a ring: a worker sends 2(n − 1)/n · r(rows +
// columns) of them for each matrix.
#include <algorithm>

#include "trainyard/collective/all_reduce.hpp"
#include "trainyard/collective/low_rank.hpp"
#include "trainyard/model/kernels.hpp"
#include "trainyard/runtime/own_coding.hpp"
#include "trainyard/scheme/scheme.hpp"

namespace trainyard {

namespace {

enum class Memory { averaged, local };

/// Q of the first step: normal numbers, the same at every worker.
void begin_with_random(Worker& worker, Vector q) {
  RandomStream random = worker.common_random();
  with_scalar(q.scalar(), [&]<typename T>(T) {
    for (T& value : q.as<T>()) value = static_cast<T>(random.normal());
  });
}

void work(Worker& worker) {
  const LowRankPlan plan(worker.model().tensors(),
                         static_cast<std::size_t>(worker.hyperparameter("rank")));
  const bool local = worker.choice<Memory>("power-memory") == Memory::local;
  const Vector model = worker.replica();
  const Vector error = worker.keep("error", model.size());
  const Vector q = worker.keep("Q", plan.second_length());
  if (worker.step() == 0) begin_with_random(worker, q);
  const AllReduce& ring = find_all_reduce("ring");
  OwnCoding coding(worker);
  VectorBuffer buffer(model.scalar(), plan.first_length());
  const Vector factors = buffer.view();
  while (worker.next_step()) {
    const auto step = worker.compute_gradient();
    kernels::scale(worker.step_size(), step);
    kernels::add(error, step);
    coding.encode(step, [&] { low_rank::project(plan, step, q, factors); });
    all_reduce_mean(worker.comm(), factors, ring);
    coding.encode(factors, [&] {
      low_rank::orthonormalise(plan, factors);
      low_rank::project_back(plan, step, factors, q);
    });
    if (local) coding.decode([&] { low_rank::keep_error(plan, step, factors, q, error); });
    all_reduce_mean(worker.comm(), q, ring);
    if (!local) coding.decode([&] { low_rank::keep_error(plan, step, factors, q, error); });
    coding.record(step.bytes().size(), factors.bytes().size() + q.bytes().size());
    coding.decode([&] { low_rank::add_product(plan, -1.0, factors, q, model); });
  }
}

HyperparameterInfo rank_info() {
  return {.name = "rank",
          .argument = "R",
          .help = "directions in which matrices are averaged",
          .fallback = 2,
          .low = 1,
          .high = 1024,
          .whole = true};
}

HyperparameterInfo memory_info() {
  return {.name = "power-memory",
          .argument = "averaged|local",
          .help =
              "what a worker keeps: its step but for the mean's, or but for its own, in the common "
              "directions",
          .choices = {"averaged", "local"}};
}

}  // namespace

Scheme power_sgd_scheme() {
  return {
      .name = "power-sgd",
      .summary =
          "PowerSGD: matrices averaged in --rank directions by two all-reduces, with error "
          "feedback",
      .step = "γ × mean over workers",
      .cost =
          {.formula =
               "c + coding, and two rings of r numbers for each row and each column of a matrix"},
      .source = "Vogels, Karimireddy & Jaggi 2019; catalogue 5",
      .family = SchemeFamily::synchronous,
      // How much it sends goes by the model's matrices, which a prediction does not know.
      .order = {.rhythm = Rhythm::by_data,
                .members_may_change = true,
                .rows_by_speed = RowsBySpeed::mean},
      .messages = {.own_coding = {Duration{300}, Duration{300}}},
      .optimizers = {.range = OptimizerRange::plain,
                     .no_l1 =
                         "subtracts encoded steps with the errors of earlier ones, and an error is "
                         "nothing to shrink by"},
      .hyperparameters = {rank_info(), memory_info()},
      .worker = work};
}

}  // namespace trainyard
