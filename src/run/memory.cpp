#include "run/memory.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "trainyard/base/counted.hpp"
#include "trainyard/base/error.hpp"
#include "trainyard/base/memory_account.hpp"
#include "trainyard/data/generate.hpp"
#include "trainyard/run/plan.hpp"
#include "trainyard/run/rehearsal.hpp"
#include "trainyard/run/run.hpp"
#include "trainyard/runtime/hot_lines.hpp"

#include "run/lines.hpp"

namespace trainyard {

namespace {

constexpr std::size_t small_model = 128;
/// Features of a row in the rehearsal that is not sparse; the model then grows by its classes, and
/// the logits of a row are a sixteenth of it.
constexpr std::size_t dense_features = 16;
/// No scheme holds more than so many times its replicas and gradients and what all neighbours send
/// at once, but those with a table of gradients, who ask for its room as they begin
/// (scheme/gradient_table.hpp).
constexpr double generous = 8.0;

/// A model of `parameters` numbers, on rows whose size does not depend on that: sparse ones where
/// the run has such updates, since it then keeps no gradients; else of few features and many
/// classes.
LoadedData data_of(std::size_t parameters, int rows, bool sparse) {
  const auto count = static_cast<std::size_t>(rows);
  LoadedData data{"rehearsal", {}, {}};
  data.train = sparse ? generate_sparse_logistic(count, parameters, 4, 1)
                      : generate_blobs(count, dense_features,
                                       static_cast<int>(parameters / dense_features), 1.0, 1);
  return data;
}

/// Bytes at the most, and the size of the model.
struct Held {
  double bytes, model_bytes;
};

Held held_with(const Scheme& scheme, Configuration c, double run_bytes, std::size_t parameters,
               bool sparse) {
  c.model = sparse ? "logistic" : "softmax";
  const LoadedData data = data_of(parameters, c.workers, sparse);
  Plan plan = plan_run(scheme, c, data);
  const double model_bytes =
      static_cast<double>(plan.model->dimension() * bytes_of(plan.model->scalar()));
  slow_down(plan.configuration.network, model_bytes / run_bytes);
  reset_memory_peak();
  const std::size_t before = memory_held();
  (void)run_experiment(plan, {});
  return {static_cast<double>(memory_peak() - before), model_bytes};
}

/// How many models the replicas, gradients and shared models are: what every run holds.
double least_models(const RunObjects& objects) {
  const Cast& cast = objects.cast;
  double replicas = cast.model == ModelHome::shared ? 0.0 : cast.workers;
  if (cast.holds != nullptr) {
    std::size_t held = 0;
    for (const Holding& part : objects.holdings) held += part.count();
    replicas = static_cast<double>(held) / static_cast<double>(objects.model->dimension());
  }
  // And the first one, the mean, the result.
  return 2.0 * replicas + cast.models_in_memory() + 3.0;
}

std::size_t most_neighbours(const RunObjects& objects, const Configuration& c) {
  if (!objects.graph) return 0;
  std::size_t most = 0;
  const Topology rounds = rounds_over(*objects.scheme, *objects.graph, c.hyperparameters, c.seed);
  for (const MixingMatrix& matrix : rounds.matrices) {
    for (const MixingRow& row : matrix) most = std::max(most, row.receives.size());
  }
  return most;
}

/// In models: slices of hot lines as they are and as they were. The few rows of a rehearsal have
/// none.
double slices(const RunObjects& objects, const Configuration& c, const LoadedData& data) {
  const HotLines hot = hot_lines_for(objects.cast, c, data.train, *objects.model);
  const auto parameters = static_cast<double>(hot.blocks.size() * hot.parameters);
  return 2.0 * objects.cast.workers * parameters / static_cast<double>(objects.model->dimension());
}

/// A model may be long because of one wrong index, which the message then names.
std::string why_so_long(const LoadedData& data) {
  if (data.largest_feature_line == 0) return "";
  return fmt::format(" (line {} of {} has feature index {}, the largest)",
                     data.largest_feature_line, data.name, data.train.features);
}

/// `models` with its "at least" or "about".
[[noreturn]] void refuse(const Scheme& scheme, const Configuration& c, const LoadedData& data,
                         const Model& model, const std::string& models, double bytes, double room) {
  throw RunError(fmt::format(
      "not enough memory: {} with {} holds {} vectors of {}{}: {}, and {} are free; fewer workers "
      "or a smaller model take less, and --force-memory runs it all the same",
      scheme.name, counted(c.workers, "worker"), models, counted(model.dimension(), "parameter"),
      why_so_long(data), human_bytes(bytes), human_bytes(room)));
}

}  // namespace

double models_held(const Scheme& scheme, const Configuration& configuration, const Model& model) {
  Configuration c = configuration_of_rehearsal(scheme, configuration);
  // The same times as in the run, so that as many messages are under way.
  c.network = configuration.network;
  c.compute_time = configuration.compute_time.value_or(*c.compute_time);
  c.compute_noise = configuration.compute_noise;
  c.stragglers = configuration.stragglers;
  c.sparse_wire = configuration.sparse_wire;
  c.l2 = configuration.l2;
  c.l1 = configuration.l1;
  c.optimizer.clip_norm = configuration.optimizer.clip_norm;
  if (configuration.patience) c.patience = 1'000'000;  // the best model is kept; nobody ends it
  c.evaluate_every = 2.0;  // epochs, which are steps here: evaluation makes copies as well
  const bool sparse = configuration.optimizer.plain() && model.sparse_update() != nullptr;
  const double bytes = static_cast<double>(model.dimension() * bytes_of(model.scalar()));
  const Held small = held_with(scheme, c, bytes, small_model, sparse);
  const Held large = held_with(scheme, c, bytes, 2 * small_model, sparse);
  return (large.bytes - small.bytes) / (large.model_bytes - small.model_bytes);
}

void check_memory(const RunObjects& objects, const Configuration& configuration,
                  const LoadedData& data) {
  if (memory_bound() == std::numeric_limits<std::size_t>::max()) return;
  const Scheme& scheme = *objects.scheme;
  const Model& model = *objects.model;
  const double room = static_cast<double>(memory_bound()) - static_cast<double>(memory_held());
  const double model_bytes = static_cast<double>(model.dimension() * bytes_of(model.scalar()));
  const double least = least_models(objects);
  if (least * model_bytes > room) {
    refuse(scheme, configuration, data, model, fmt::format("at least {:.0f}", least),
           least * model_bytes, room);
  }
  const auto surely_fits = [&](double neighbours) {
    const double models = 3.0 + objects.cast.workers * (2.0 + neighbours);
    return generous * models * model_bytes < room;
  };
  // Nobody knows a smaller model that can be divided like this one.
  if (objects.cast.holds != nullptr) return;
  // The rounds over a graph may take long to make: only where it matters.
  if (surely_fits(configuration.workers)) return;
  if (surely_fits(static_cast<double>(most_neighbours(objects, configuration)))) return;
  const double models =
      models_held(scheme, configuration, model) + slices(objects, configuration, data);
  if (models * model_bytes > room) {
    refuse(scheme, configuration, data, model, fmt::format("about {:.0f}", models),
           models * model_bytes, room);
  }
}

}  // namespace trainyard
