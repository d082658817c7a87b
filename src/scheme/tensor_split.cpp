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
#include "trainyard/model/tensor_split.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <vector>

#include <fmt/format.h>

#include "trainyard/base/error.hpp"
#include "trainyard/collective/all_reduce.hpp"
#include "trainyard/collective/all_reduce_max.hpp"
#include "trainyard/runtime/group.hpp"
#include "trainyard/runtime/split_pass.hpp"
#include "trainyard/scheme/scheme.hpp"

namespace trainyard {

namespace {

const HyperparameterInfo tensor_size_info{
    .name = "tensor-size",
    .argument = "T",
    .help =
        "workers that hold one copy of the model together; n/T copies; all workers if not given",
    .fallback = 1,
    .low = 1,
    .high = 32000,
    .whole = true,
    .run_fallback = [](int workers, const Hyperparameters&) -> double { return workers; }};

/// Throws OptionError where they do not divide the workers.
int tensor_size(const Hyperparameters& hyperparameters, int workers) {
  const double asked = hyperparameter(hyperparameters, tensor_size_info.name);
  const int size = static_cast<int>(asked);
  if (size > workers || workers % size != 0) {
    throw OptionError(tensor_size_info.name, fmt::format("{:g}", asked),
                      fmt::format("{} workers make no copies of the model with so many each; a "
                                  "number that divides {} is accepted",
                                  workers, workers));
  }
  return size;
}

/// Those who take the same minibatches hold a copy together.
std::vector<Holding> a_part_each(const Model& model, const Cast& made) {
  if (made.servers > 0) {
    throw OptionError("collective",
                      "tensor-split adds up vectors of many lengths, and servers know those of the "
                      "model alone; ring and the others without servers are accepted");
  }
  if (model.layered() == nullptr)
    throw UsageError("a model without layers cannot be split by them; mlp:H1,H2,… has layers");
  const int parts = static_cast<int>(made.shares.front().size());
  std::vector<Holding> of_copy, holdings;
  of_copy.reserve(made.shares.front().size());
  for (int part = 0; part < parts; ++part) {
    of_copy.push_back(TensorSplit(*model.layered(), part, parts).holding());
  }
  for (int copy = 0; copy < made.workers; copy += std::max(1, parts)) {
    holdings.insert(holdings.end(), of_copy.begin(), of_copy.end());
  }
  return holdings;
}

Cast copies_in_parts(const CastSetting& setting) {
  const int size = tensor_size(setting.hyperparameters, setting.workers);
  Cast made = cast::replicas(setting);
  made.holds = a_part_each;
  for (int worker = 0; worker < setting.workers; ++worker) {
    made.shares.push_back(ranks_from(worker - worker % size, 1, size));
  }
  return made;
}

void work(Worker& worker) {
  const int workers = worker.comm().workers(), rank = worker.comm().rank();
  const int size = static_cast<int>(worker.hyperparameter(tensor_size_info.name));
  GroupCommunicator copy(worker.comm(), ranks_from(rank - rank % size, 1, size));
  GroupCommunicator twins(worker.comm(), ranks_from(rank % size, size, workers / size));
  const auto add_up = [&](Communicator& among, Vector terms) {
    if (!terms.empty()) all_reduce_sum(among, terms, worker.collective());
  };
  SplitPass pass(worker, copy.rank(), size);
  while (worker.next_step()) {
    pass.begin(worker.next_minibatch());
    for (std::size_t block = 0; block < pass.blocks(); ++block) add_up(copy, pass.forward(block));
    if (pass.scores_are_split()) {
      all_reduce_max(copy, pass.greatest_scores().floats());
      add_up(copy, pass.sums_of_exponentials());
    }
    for (std::size_t block = pass.blocks(); block-- > 0;) add_up(copy, pass.backward(block));
    add_up(twins, pass.gradient());
    worker.apply(pass.gradient(), 1.0 / twins.workers());
  }
}

/// Whether all parts are of one size, but for the biases that the first one has for all.
bool even_parts(std::span<const Stage> layers, std::size_t size) {
  for (std::size_t l = 0; l < layers.size(); l += 2) {
    if (layers[l].outputs % size != 0) return false;
  }
  return true;
}

/// Parameters of the first part, the largest.
std::size_t first_part(std::span<const Stage> layers, std::size_t size) {
  std::size_t count = 0;
  for (std::size_t l = 0; l < layers.size(); ++l) {
    const std::size_t weights = layers[l].inputs * layers[l].outputs / size;
    count += weights + (l % 2 == 0 ? layers[l].outputs / size : layers[l].outputs);
  }
  return count;
}

/// Each all-reduce from lock-step: a tree's root goes on before the others are done, and the step
/// then takes a little less.
std::optional<Duration> step_time(const StepSetting& s) {
  const int size = tensor_size(s.hyperparameters, s.workers);
  const auto parts = static_cast<std::size_t>(size);
  if (s.stages.empty() || !even_parts(s.stages, parts)) return std::nullopt;
  const auto sum = [&](int among, std::size_t length) {
    return s.collective().duration(among, s.servers, length, s.message);
  };
  const std::size_t rows = s.batch * parts;
  Duration time = s.compute;
  for (std::size_t l = 0; l < s.stages.size(); l += 2) {
    if (l > 0) time += sum(size, rows * s.stages[l].inputs);
    if (l + 1 < s.stages.size()) {
      time += sum(size, rows * s.stages[l + 1].outputs);
    } else {
      time += all_reduce_max_time(size, rows, s.message) + sum(size, rows);
    }
  }
  return time + sum(s.workers / size, first_part(s.stages, parts));
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
          .cast = copies_in_parts,
          .takes = {"collective"},
          .hyperparameters = {tensor_size_info},
          .worker = work,
          .server = serve_collective};  // every row with a collective names it
}

}  // namespace trainyard
