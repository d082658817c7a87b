#include <algorithm>

#include <fmt/format.h>

#include "trainyard/base/counted.hpp"
#include "trainyard/base/error.hpp"
#include "trainyard/model/layered_model.hpp"
#include "trainyard/model/model.hpp"
#include "trainyard/run/resolve.hpp"
#include "trainyard/scheme/scheme.hpp"

namespace trainyard {

namespace {

const HyperparameterInfo* taken(const Scheme& scheme, std::string_view name) {
  const auto found = std::ranges::find(scheme.hyperparameters, name, &HyperparameterInfo::name);
  return found == scheme.hyperparameters.end() ? nullptr : &*found;
}

void resolve_microbatches(Configuration& c, const HyperparameterInfo& info, int tensor_size) {
  const auto workers = static_cast<std::size_t>(c.workers);
  const std::size_t batch = c.global_batch ? *c.global_batch / workers : c.batch;
  const double of_pipeline = tensor_size * hyperparameter(c.hyperparameters, "stages");
  const double rows = static_cast<double>(batch) * of_pipeline;
  const auto [entry, usual] =
      c.hyperparameters.try_emplace(info.name, std::min(info.fallback, rows));
  if (entry->second <= rows) return;
  throw OptionError(
      info.name, fmt::to_string(entry->second),
      fmt::format("a pipeline's minibatch has {} ({} of each of its {}), and a microbatch one "
                  "at least",
                  counted(fmt::to_string(rows), "row"), batch,
                  counted(fmt::to_string(of_pipeline), "worker")));
}

/// Workers that hold a stage together. Throws OptionError where they do not divide all.
int tensor_size(const Configuration& c, const Scheme& scheme) {
  const auto given = c.hyperparameters.find("tensor-size");
  if (taken(scheme, "tensor-size") == nullptr || given == c.hyperparameters.end()) return 1;
  const int size = static_cast<int>(given->second);
  (void)scheme.cast(
      {.workers = c.workers, .hyperparameters = {{"stages", 1.0}, {"tensor-size", given->second}}});
  return size;
}

/// The greatest number of stages that divides so many workers, or groups of them, and has layers:
/// so many together, but for the last.
int most_stages(int groups, int together, const Model& model) {
  if (model.layered() == nullptr) return 1;
  const int most = (model.layered()->depth() + together - 1) / together;
  int stages = std::min(groups, most);
  while (groups % stages != 0) --stages;
  return stages;
}

}  // namespace

void resolve_pipelines(Configuration& c, const Scheme& scheme, const LoadedData& data,
                       const Remark& say) {
  const HyperparameterInfo* const stages = taken(scheme, "stages");
  if (stages == nullptr) return;
  const int size = tensor_size(c, scheme), groups = c.workers / size;
  double& number = c.hyperparameters.try_emplace(stages->name, 0.0).first->second;
  if (number == 0.0) {
    const std::string name = model_name(c, data);
    const auto model = make_model({name, c.l2, c.l1}, data.train);
    number = most_stages(groups, size == 1 ? 1 : 2, *model);
    if (groups > 1 && number == 1.0) {
      say(fmt::format(
          "note: {} has pipelines of one stage: {}", scheme.name,
          model->layered() == nullptr
              ? fmt::format("{} has no layers to cut; mlp:H1,H2,… has", name)
          : size == 1
              ? fmt::format("no more divide {} and the layers of {}", counted(c.workers, "worker"),
                            name)
              : fmt::format("no more divide {} groups of {} workers and the pairs of layers of {}",
                            groups, size, name)));
    }
  }
  if (const HyperparameterInfo* info = taken(scheme, "microbatches")) {
    resolve_microbatches(c, *info, size);
  }
}

}  // namespace trainyard
