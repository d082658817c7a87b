#include "runtime/mpi/small_runs.hpp"

#include <fmt/format.h>

#include "trainyard/base/error.hpp"
#include "trainyard/run/plan.hpp"
#include "trainyard/run/resolve.hpp"

#include "support/left_out.hpp"
#include "support/training.hpp"

namespace trainyard::test {

std::string model_flag(const std::string& scheme) {
  const std::string model = model_for(scheme);
  return model.empty() ? "" : "--model " + model;
}

std::string small_run(const std::string& scheme, int workers) {
  return fmt::format(
      "--scheme {} --workers {} --dataset sparse-logistic:2000 --steps 12 --batch 4 --lr 0.5 "
      "--evaluate-every 0.05 --seed 3 {}",
      scheme, workers, model_flag(scheme));
}

int ranks_of(const std::string& scheme, int workers) {
  Configuration c = quick(scheme, workers, 12);
  try {
    const LoadedData data = dense_problem();
    return plan_run(resolve(c, {scheme}, data, {}), data).cast.ranks();
  } catch (const UsageError&) {
    return 0;
  }
}

bool shares_memory(const Scheme& scheme) {
  return cast_of(scheme, quick(scheme.name, 4, 1)).model == ModelHome::shared;
}

bool is_in_lockstep(const Scheme& scheme) {
  return repeats_with_one_tensor(scheme) && !shares_memory(scheme);
}

}  // namespace trainyard::test
