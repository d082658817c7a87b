// Models in memory that processes share.
#include <fmt/format.h>

#include "trainyard/base/error.hpp"
#include "trainyard/run/processes.hpp"
#include "trainyard/runtime/shared_model.hpp"
#include "trainyard/scheme/scheme.hpp"

namespace trainyard {

namespace {

[[noreturn]] void refuse(const Plan& plan, const Hosts& hosts, int worker, int with) {
  const auto name = [&](int rank) { return hosts.names[static_cast<std::size_t>(rank)]; };
  const std::string why = fmt::format(
      "write to one model in memory, which only processes of one host share, and worker {} on {} "
      "shares none with worker {} on {}",
      worker, name(worker), with, name(with));
  if (plan.cast.model == ModelHome::shared) {
    throw OptionError(
        "scheme", plan.scheme->name,
        fmt::format("its workers {}; all of them on one host are accepted, and on several hosts "
                    "the schemes whose workers send messages",
                    why));
  }
  const int threads = plan.cast.machine_threads;
  throw OptionError("machine-threads", fmt::to_string(threads),
                    fmt::format("so many neighbouring workers {}; each {} of them on one host are "
                                "accepted, or --machine-threads 1",
                                why, threads));
}

}  // namespace

/// Where the model's home is shared memory, workers also look at other groups' models.
void check_hosts(const Plan& plan, const Hosts& hosts) {
  const int models = plan.cast.models_in_memory();
  if (models == 0) return;
  const SharedModels groups(plan.cast.workers, models);
  for (int worker = 0; worker < plan.cast.workers; ++worker) {
    const int with =
        plan.cast.model == ModelHome::shared ? 0 : groups.first_worker_of(groups.group_of(worker));
    if (!hosts.share_memory(worker, with)) refuse(plan, hosts, worker, with);
  }
}

/// Each is the first worker's of its group, who lays it out.
std::vector<std::span<std::byte>> share_models(const Plan& plan, Processes& processes) {
  std::vector<MemoryShare> shares;
  const int models = plan.cast.models_in_memory();
  if (models > 0) {
    const SharedModels groups(plan.cast.workers, models);
    const std::size_t bytes =
        SharedModel::bytes_of(plan.model->dimension(), {plan.cast.shared_format, plan.hot.get()});
    for (int group = 0; group < models; ++group) {
      shares.push_back({groups.first_worker_of(group), bytes});
    }
  }
  return processes.share_memory(shares);
}

}  // namespace trainyard
