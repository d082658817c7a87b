// Tensor split (Megatron-LM, Shoeybi et al. 2019, §3; COTS HPC, Coates et al. 2013): T workers hold
// one copy of a network together, a part of the units of each layer each, and take every minibatch
// together. Data parallelism sends gradients, as many numbers as the model has parameters, whatever
// the batch; this sends units, as many as there are rows, whatever the model, and several times a
// step. So it is for wide layers and small batches.
//
// A pair of layers, the first split by columns and the second by rows, needs one all-reduce forward
// and one backward (model/tensor_split.hpp); an odd last layer two numbers a row, for softmax.
//
// With n/T such copies it is a hybrid: each takes the minibatches of its own workers, and those who
// hold the same part all-reduce their gradients.
#include <optional>

#include "trainyard/collective/all_reduce.hpp"
#include "trainyard/model/layered_model.hpp"
#include "trainyard/runtime/group.hpp"
#include "trainyard/scheme/scheme.hpp"
#include "trainyard/scheme/split_stage.hpp"

#include "scheme/shared_hyperparameters.hpp"

namespace trainyard {

namespace {

void work(Worker& worker) {
  const int workers = worker.comm().workers(), rank = worker.comm().rank();
  const int size = static_cast<int>(worker.hyperparameter(tensor_size_info.name));
  GroupCommunicator twins(worker.comm(), ranks_from(rank % size, size, workers / size));
  StagePart part(worker, worker.layers().cut(1).front(), size, collective_of(worker));
  while (worker.next_step()) {
    part.forward(worker.minibatches().next());
    part.backward();
    all_reduce_sum(twins, part.gradient(), collective_of(worker));
    worker.apply(part.gradient(), 1.0 / twins.workers());
  }
}

/// Each all-reduce from lock-step: a tree's root goes on before the others are done, and the step
/// then takes a little less.
std::optional<Duration> step_time(const StepSetting& s) {
  if (s.model == nullptr || s.model->layered() == nullptr) return std::nullopt;
  const int size = static_cast<int>(hyperparameter(s.hyperparameters, tensor_size_info.name));
  const LayeredModel& model = *s.model->layered();
  const StagePartTimes part(s, model.cut(model.depth()), size, s.collective());
  if (!part.even()) return std::nullopt;
  const std::size_t rows = s.batch * static_cast<std::size_t>(size);
  return s.compute + part.adding_forward(rows) + part.adding_backward(rows) +
         s.collective().duration(s.workers / size, s.servers, part.parameters(), s.message);
}

}  // namespace

Scheme tensor_split_scheme() {
  return {.name = "tensor-split",
          .summary = "T workers hold a part of every layer each; units all-reduced, twice a pair",
          .step = "γ × mean over workers",
          .cost = {.formula = "c, and an all-reduce of b·h numbers forward and one backward for "
                              "each pair of layers",
                   .time = step_time},
          .source = "Shoeybi et al. 2019; Coates et al. 2013; catalogue 7",
          .family = SchemeFamily::synchronous,
          .cast = cast::pipelines,  // of one stage
          .takes = {"collective"},
          .hyperparameters = {tensor_size_info},
          .shares = {.fixed = "those who hold a copy of the model take the minibatches of all "
                              "their shares together"},
          .worker = work,
          .server = serve_collective};  // every row with a collective names it
}

}  // namespace trainyard
