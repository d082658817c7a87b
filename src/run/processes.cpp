#include "trainyard/run/processes.hpp"

#include <fmt/format.h>

#include "trainyard/base/error.hpp"
#include "trainyard/collective/own_all_reduce.hpp"
#include "trainyard/scheme/scheme.hpp"

namespace trainyard {

namespace {

/// Where everything is emulated, or seen from one place.
void refuse_emulation(const Configuration& c) {
  if (c.time != TimeMode::wall) {
    throw OptionError("time", time_mode_text(c.time),
                      "processes go by the machine's clock; wall is accepted, and `trainyard run` "
                      "has virtual");
  }
  if (!c.network.perfect()) {
    throw OptionError("latency",
                      "processes talk over the network that they have, and none is emulated; "
                      "--latency 0us --bandwidth infinite is accepted, without racks, links or "
                      "jitter");
  }
  const bool is_traced = !c.trace.empty();
  if (is_traced || !c.html.empty()) {
    throw OptionError(is_traced ? "trace" : "html",
                      "what processes send each other is not recorded; `trainyard run` records it");
  }
  if (c.data_source == DataSource::server) {
    throw OptionError("data-source", "server",
                      "processes read their rows themselves; partitioned is accepted, and "
                      "`trainyard run` has a data server");
  }
  if (c.counters) {
    throw OptionError("counters",
                      "of processes nothing is counted; `trainyard run --time wall` does");
  }
}

/// What a library sums, it sums over all.
void check_collective(const Plan& plan) {
  const auto* way = plan.ingredients.find<AllReduce>("collective");
  const bool has_groups = plan.cast.holds != nullptr;  // of those who hold the same part
  if (way == nullptr || speaks_to(way->name) == SpeaksTo::groups || !has_groups) return;
  throw OptionError("collective", way->name,
                    fmt::format("sums over all workers, and {} over groups of them; ring and the "
                                "others without servers are accepted",
                                plan.scheme->name));
}

}  // namespace

void check_processes(const Plan& plan, int processes) {
  const Configuration& c = plan.configuration;
  if (plan.cast.model == ModelHome::shared) {
    throw OptionError("scheme", plan.scheme->name,
                      "its workers write to one model in memory that they share, and processes "
                      "share none; `trainyard run` has it");
  }
  if (plan.cast.models_in_memory() > 0) {
    throw OptionError("machine-threads", fmt::to_string(plan.cast.machine_threads),
                      "threads of one machine share a model in memory, and processes share none; 1 "
                      "is accepted, and `trainyard run` has more");
  }
  refuse_emulation(c);
  check_collective(plan);
  if (plan.cast.ranks() == processes) return;
  throw OptionError(
      "workers",
      fmt::format("{} with {} workers and {} servers needs {} processes, and {} were started "
                  "(mpirun -np {})",
                  plan.scheme->name, plan.cast.workers, plan.cast.servers, plan.cast.ranks(),
                  processes, plan.cast.ranks()));
}

}  // namespace trainyard
