#include "run/pipelines.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "trainyard/base/error.hpp"
#include "trainyard/model/layered_model.hpp"
#include "trainyard/model/model.hpp"
#include "trainyard/run/resolve.hpp"

namespace trainyard {

namespace {

const HyperparameterInfo* taken(const Scheme& scheme, std::string_view name) {
  const auto found = std::ranges::find(scheme.hyperparameters, name, &HyperparameterInfo::name);
  return found == scheme.hyperparameters.end() ? nullptr : &*found;
}

void resolve_microbatches(Configuration& c, const HyperparameterInfo& info) {
  const auto workers = static_cast<std::size_t>(c.workers);
  const std::size_t batch = c.global_batch ? *c.global_batch / workers : c.batch;
  const double rows = static_cast<double>(batch) * hyperparameter(c.hyperparameters, "stages");
  const auto [entry, usual] =
      c.hyperparameters.try_emplace(info.name, std::min(info.fallback, rows));
  if (entry->second <= rows) return;
  throw OptionError(
      info.name, fmt::to_string(entry->second),
      fmt::format("a pipeline's minibatch has {} rows ({} of each of its {} workers), "
                  "and a microbatch one at least",
                  rows, batch, hyperparameter(c.hyperparameters, "stages")));
}

}  // namespace

int most_stages(int workers, const Model& model) {
  if (model.layered() == nullptr) return 1;
  const auto layers = static_cast<int>(model.layered()->cut(1).front().layers);
  int stages = std::min(workers, layers);
  while (workers % stages != 0) --stages;
  return stages;
}

void resolve_pipelines(Configuration& c, const Scheme& scheme, const LoadedData& data,
                       const std::function<void(const std::string&)>& say) {
  const HyperparameterInfo* const stages = taken(scheme, "stages");
  if (stages == nullptr) return;
  double& number = c.hyperparameters.try_emplace(stages->name, 0.0).first->second;
  if (number == 0.0) {
    const std::string name = model_name(c, data);
    const auto model = make_model({name, c.l2}, data.train);
    number = most_stages(c.workers, *model);
    if (c.workers > 1 && number == 1.0) {
      say(fmt::format(
          "note: {} has pipelines of one stage: {}", scheme.name,
          model->layered() == nullptr
              ? fmt::format("{} has no layers to cut; mlp:H1,H2,… has", name)
              : fmt::format("no more divide {} workers and the layers of {}", c.workers, name)));
    }
  }
  if (const HyperparameterInfo* info = taken(scheme, "microbatches")) {
    resolve_microbatches(c, *info);
  }
}

}  // namespace trainyard
