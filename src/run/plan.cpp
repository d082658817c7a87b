#include "trainyard/run/plan.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <variant>

#include "trainyard/data/catalog.hpp"
#include "trainyard/data/partition.hpp"
#include "trainyard/run/resolve.hpp"
#include "trainyard/run/scheme_graph.hpp"
#include "trainyard/runtime/robust_mean.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "run/decisions.hpp"
#include "run/lines.hpp"
#include "run/objects.hpp"

namespace trainyard {

namespace {

/// More steps than that without time passing are taken for a clock that stands still, or twice as
/// many as a scheme has between two exchanges. Those with periods beyond are refused, too: who only
/// sends meanwhile would fill the memory. 0: time passes in the end.
std::uint64_t steps_of_instant(const Scheme& scheme, const Configuration& c) {
  if (!ends_by_clock(c) || c.compute_noise.pauses()) return 0;
  constexpr std::uint64_t most = 10'000, longest_cycle = 50'000;
  const std::uint64_t cycle = steps_of_cycle(scheme, c.workers, c.hyperparameters);
  return cycle > longest_cycle ? most : std::max(most, 2 * cycle);
}

/// At least 1.
std::uint64_t steps_of(double epochs, const Scheme& scheme, const Configuration& c,
                       const LoadedData& data) {
  const auto minibatches = minibatches_of_step(scheme, c.workers, c.hyperparameters);
  const double epochs_a_step = static_cast<double>(c.batch) / static_cast<double>(data.train.rows) *
                               static_cast<double>(minibatches);
  return static_cast<std::uint64_t>(std::clamp(std::round(epochs / epochs_a_step), 1.0, 1e15));
}

/// Of whole cycles, if one is no longer: between two rounds less is half done. Who sends by keys
/// forgets between two legs which keys it has changed in a round.
std::optional<std::uint64_t> leg_of(const Scheme& scheme, const Configuration& c,
                                    const LoadedData& data, bool by_keys) {
  const double* const epochs =
      c.checkpoint_every ? std::get_if<double>(&*c.checkpoint_every) : nullptr;
  if (epochs == nullptr) return std::nullopt;
  const std::uint64_t steps = steps_of(*epochs, scheme, c, data);
  const std::uint64_t cycle = steps_of_cycle(scheme, c.workers, c.hyperparameters);
  return cycle <= steps || by_keys ? (steps + cycle - 1) / cycle * cycle : steps;
}

RunLimits limits_of(const Scheme& scheme, const Configuration& c, const LoadedData& data) {
  return {.steps = *c.steps,
          .evaluate_every = steps_of(c.evaluate_every, scheme, c, data),
          .time = c.seconds.value_or(Duration::max()),
          .steps_of_instant = steps_of_instant(scheme, c),
          .cycle = steps_of_cycle(scheme, c.workers, c.hyperparameters)};
}

/// nullptr where workers keep no lines for themselves.
std::shared_ptr<const HotLines> hot_lines_of(const Cast& cast, const Configuration& c,
                                             const LoadedData& data, const Model& model) {
  HotLines hot = hot_lines_for(cast, c, data.train, model);
  return hot.empty() ? nullptr : std::make_shared<const HotLines>(std::move(hot));
}

Plan plan_of(RunObjects objects, const Configuration& c, const LoadedData& data) {
  const Scheme& scheme = *objects.scheme;
  const Model& model = *objects.model;
  const std::size_t key_width = key_width_of(scheme, objects.cast, c, model, data.train);
  // A replica is then of the last minibatch's keys, and elsewhere of older ones.
  if (key_width > 0) objects.cast.model = ModelHome::servers;
  auto hot = hot_lines_of(objects.cast, c, data, model);
  return {.configuration = c,
          .scheme = &scheme,
          .data = &data,
          .model = std::move(objects.model),
          .cast = std::move(objects.cast),
          .holdings = std::move(objects.holdings),
          .ingredients = make_ingredients(scheme, c, objects.graph),
          .parts = partition(data.train, c.partition, static_cast<std::size_t>(c.workers), c.seed,
                             c.order),
          .limits = limits_of(scheme, c, data),
          .hot = std::move(hot),
          .key_width = key_width,
          .leg = leg_of(scheme, c, data, key_width > 0)};
}

}  // namespace

ModelLayout Plan::layout() const {
  return {.home = cast.model,
          .workers = cast.workers,
          .servers = cast.servers,
          .liars = cast.model == ModelHome::replicas ? byzantine_of(ingredients).liars : 0,
          .shared_models = cast.models_in_memory(),
          .shared_format = cast.shared_format,
          .scalar = model->scalar(),
          .dimension = model->dimension(),
          .holdings = holdings};
}

Plan prepare_run(const Configuration& asked, const LoadedData& data, const Remark& remark) {
  Configuration c = asked;
  std::vector<RunObjects> objects = decide(c, {asked.scheme}, data, remark);
  return plan_of(std::move(objects.front()), c, data);
}

Plan plan_run(const Configuration& resolved, const LoadedData& data, std::vector<Note> notes) {
  Plan plan = plan_run(find_scheme(resolved.scheme), resolved, data);
  plan.notes = std::move(notes);
  return plan;
}

Plan plan_run(const Scheme& scheme, const Configuration& c, const LoadedData& data) {
  return plan_of(make_objects(scheme, c, data), c, data);
}

}  // namespace trainyard
