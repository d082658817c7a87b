#include "trainyard/analysis/split_search.hpp"

#include <algorithm>
#include <optional>
#include <tuple>

#include "trainyard/base/error.hpp"
#include "trainyard/model/layered_model.hpp"
#include "trainyard/network/network.hpp"
#include "trainyard/scheme/pipeline.hpp"
#include "trainyard/scheme/scheme.hpp"

namespace trainyard {

namespace {

constexpr std::size_t most_microbatches = 1024;

struct StageWork {
  Duration computing{0}, adding{0}, gradients{0};

  Duration all() const { return computing + adding + gradients; }
};

StageWork work_of(const PipelineTimes& times, std::size_t stage) {
  StageWork work{.gradients = times.sum_over_pipelines(stage)};
  for (std::size_t j = 0; j < times.microbatches(); ++j) {
    work.computing += times.forward(stage, j) + times.backward(stage, j);
    work.adding += times.adding_forward(stage, j) + times.adding_backward(stage, j);
  }
  return work;
}

/// Vectors as long as what a worker holds: the replica, its gradient, the sum of microbatches, and
/// what the optimizer keeps.
double vectors_of(const OptimizerOptions& optimizer, int microbatches) {
  double vectors = microbatches > 1 ? 3.0 : 2.0;
  if (optimizer.momentum > 0.0) vectors += 1.0;
  if (optimizer.adam() || optimizer.muon()) vectors += 2.0;
  if (optimizer.kind == OptimizerKind::adagrad || optimizer.kind == OptimizerKind::lion) {
    vectors += 1.0;
  }
  return vectors;
}

/// Numbers of a row in a stage's part: what came from below, units of its layers and their slopes.
double numbers_of_row(std::span<const Stage> layers, int parts) {
  double numbers = layers.front().first ? 0.0 : static_cast<double>(layers.front().inputs);
  for (const Stage& layer : layers) {
    const bool columns = parts > 1 && layer.first_layer % 2 == 0;
    numbers += 2.0 * static_cast<double>(largest_part(layer.outputs, columns ? parts : 1));
  }
  return numbers;
}

double parameters_of_part(std::span<const Stage> layers, int parts) {
  double sum = 0.0;
  for (const Stage& layer : layers) {
    const bool columns = layer.first_layer % 2 == 0;
    sum += static_cast<double>(columns ? (layer.inputs + 1) * largest_part(layer.outputs, parts)
                                       : (largest_part(layer.inputs, parts) + 1) * layer.outputs);
  }
  return sum;
}

double bytes_held(const Model& model, const Configuration& c, const Split& split,
                  std::span<const Stage> stages, int microbatches) {
  const std::vector<Stage> layers = model.layered()->cut(model.layered()->depth());
  const auto rows = static_cast<double>(
      rows_of_part(c.batch * static_cast<std::size_t>(split.pipeline * split.tensor), 0,
                   static_cast<std::size_t>(microbatches)));
  double most = 0.0;
  for (std::size_t s = 0; s < stages.size(); ++s) {
    const auto own = std::span(layers).subspan(stages[s].first_layer, stages[s].layers);
    const int on_their_way = std::min(microbatches, split.pipeline - static_cast<int>(s));
    most = std::max(most,
                    vectors_of(c.optimizer, microbatches) * parameters_of_part(own, split.tensor) +
                        on_their_way * rows * numbers_of_row(own, split.tensor));
  }
  return most * sizeof(float);
}

/// Empty where there are fewer units than parts.
std::optional<SplitCost> cost_of(const Model& model, const Configuration& c, const Split& split,
                                 std::span<const Stage> stages, int microbatches) {
  const Hyperparameters hyperparameters{
      {"stages", split.pipeline}, {"tensor-size", split.tensor}, {"microbatches", microbatches}};
  const Ingredients none;
  const FloatMessages floats{c.network};
  const ByteMessages bytes{c.network};
  const StepSetting setting{.workers = c.workers,
                            .servers = 1,
                            .parameters = model.dimension(),
                            .compute = *c.compute_time,
                            .message = floats,
                            .message_of_bytes = bytes,
                            .model = &model,
                            .ingredients = none,
                            .hyperparameters = hyperparameters,
                            .stages = stages,
                            .batch = c.batch};
  const std::optional<PipelineTimes> times = PipelineTimes::of(setting);
  if (!times) return std::nullopt;
  StageWork most = work_of(*times, 0);
  for (std::size_t s = 1; s < stages.size(); ++s) {
    const StageWork work = work_of(*times, s);
    if (work.all() > most.all()) most = work;
  }
  const Duration step = flush_time(*times);
  return SplitCost{.split = split,
                   .microbatches = microbatches,
                   .step_s = to_seconds(step),
                   .compute_s = to_seconds(most.computing),
                   .in_stages_s = to_seconds(most.adding),
                   .gradients_s = to_seconds(most.gradients),
                   .wait_s = to_seconds(step - most.all()),  // of whole picoseconds: exactly 0
                   .bytes_held = bytes_held(model, c, split, stages, microbatches)};
}

std::vector<int> microbatches_to_try(const Configuration& c, const Split& split) {
  const std::size_t rows = c.batch * static_cast<std::size_t>(split.pipeline * split.tensor);
  const auto given = c.hyperparameters.find("microbatches");
  if (given != c.hyperparameters.end()) {
    return {static_cast<int>(std::min(given->second, static_cast<double>(rows)))};
  }
  std::vector<int> all{1};
  if (split.pipeline == 1) return all;
  for (std::size_t m = 2; m <= std::min(rows, most_microbatches); m *= 2) {
    all.push_back(static_cast<int>(m));
  }
  return all;
}

/// The best of its numbers of microbatches.
std::optional<SplitCost> best_of(const Model& model, const Configuration& c, const Split& split) {
  const LayeredModel& layered = *model.layered();
  const int together = split.tensor == 1 ? 1 : 2;
  if (split.pipeline > (layered.depth() + together - 1) / together) return std::nullopt;
  const std::vector<Stage> stages = layered.cut(split.pipeline, together);
  std::optional<SplitCost> best;
  for (const int microbatches : microbatches_to_try(c, split)) {
    const auto cost = cost_of(model, c, split, stages, microbatches);
    if (cost && (!best || cost->step_s < best->step_s)) best = cost;
  }
  return best;
}

}  // namespace

SplitSearch search_splits(const Model& model, const Configuration& c) {
  require(c.compute_time.has_value(), "a prediction needs a compute time");
  if (model.layered() == nullptr) {
    throw UsageError("--model: a model without layers cannot be divided by them; mlp:H1,H2,… has");
  }
  SplitSearch search;
  for (int tensor = 1; tensor <= c.workers; ++tensor) {
    if (c.workers % tensor != 0) continue;
    const int groups = c.workers / tensor;
    for (int pipeline = 1; pipeline <= groups; ++pipeline) {
      if (groups % pipeline != 0) continue;
      const Split split{groups / pipeline, pipeline, tensor};
      if (const auto best = best_of(model, c, split)) {
        search.found.push_back(*best);
      } else {
        ++search.left_out;
      }
    }
  }
  std::ranges::sort(search.found, {}, [](const SplitCost& cost) {
    return std::tuple(cost.step_s, cost.split.tensor, cost.split.pipeline);
  });
  return search;
}

}  // namespace trainyard
