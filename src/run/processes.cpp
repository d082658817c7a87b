#include "trainyard/run/processes.hpp"

#include <algorithm>
#include <climits>

#include <fmt/format.h>

#include "trainyard/base/counted.hpp"
#include "trainyard/base/error.hpp"
#include "trainyard/base/units.hpp"
#include "trainyard/collective/own_all_reduce.hpp"
#include "trainyard/configuration/options.hpp"
#include "trainyard/scheme/scheme.hpp"

namespace trainyard {

namespace {

/// Refuses options that need a simulation, or a view of all ranks from one place.
void refuse_what_needs_one_place(const Configuration& c) {
  if (c.time != TimeMode::wall) {
    throw OptionError("time", time_mode_text(c.time),
                      "processes go by the machine's clock; wall is accepted, and `trainyard run` "
                      "has virtual");
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
  if (c.deal != Deal::once) {
    throw OptionError("deal", deal_text(c.deal),
                      "a process has only its own rows laid out; once is accepted, and `trainyard "
                      "run` deals them anew");
  }
  if (c.counters) {
    throw OptionError("counters",
                      "of processes nothing is counted; `trainyard run --time wall` does");
  }
}

/// A library sums over all ranks, and by messages that the switch never sees.
void check_collective(const Plan& plan, bool is_emulated) {
  const auto* way = plan.ingredients.find<AllReduce>("collective");
  if (way == nullptr || speaks_to(way->name) == SpeaksTo::groups) return;
  if (plan.cast.holds != nullptr) {  // groups are of those who hold the same part
    throw OptionError("collective", way->name,
                      fmt::format("sums over all workers, and {} over groups of them; ring and the "
                                  "others without servers are accepted",
                                  plan.scheme->name));
  }
  if (is_emulated) {
    throw OptionError("collective", way->name,
                      "what the library sends does not go over the emulated network; ring and the "
                      "others of ours are accepted, or --latency 0us --bandwidth infinite");
  }
}

/// If the model lies in ranks, the leading one gets each replica or shard in one message.
void check_size(const Plan& plan) {
  const ModelLayout layout = plan.layout();
  std::size_t parameters = 0;
  for (int w = 0; w < layout.workers && layout.home == ModelHome::replicas; ++w) {
    parameters = std::max(parameters, layout.count_of(w));
  }
  const auto servers = static_cast<std::size_t>(layout.servers);
  if (layout.home == ModelHome::servers) parameters = (layout.dimension + servers - 1) / servers;
  const std::size_t bytes = parameters * bytes_of(layout.scalar);
  if (bytes <= INT_MAX) return;
  throw OptionError(
      "model", plan.configuration.model,
      fmt::format("{} of parameters are more than a message of MPI holds, 2 GiB; `trainyard run` "
                  "takes them",
                  human_bytes(static_cast<double>(bytes))));
}

/// Memory that several write is no one's to put down.
void check_checkpoints(const Plan& plan) {
  if (!plan.configuration.checkpoint_every || plan.cast.models_in_memory() == 0) return;
  throw OptionError("checkpoint-every",
                    fmt::format("processes of {} write to one model in memory, which none of "
                                "them puts down; `trainyard run` makes checkpoints",
                                plan.scheme->name));
}

}  // namespace

void check_processes(const Plan& plan, int processes) {
  const Configuration& c = plan.configuration;
  refuse_what_needs_one_place(c);
  check_size(plan);
  check_checkpoints(plan);
  const bool has_switch = !c.network.perfect() && nothing_is_sent({c, *plan.scheme}).empty();
  check_collective(plan, has_switch);
  const int wanted = plan.cast.ranks() + (has_switch ? 1 : 0);
  if (wanted == processes) return;
  throw OptionError(
      "workers",
      fmt::format("{} with {} and {}{} needs {}, and {} started (mpirun -np {})", plan.scheme->name,
                  counted(plan.cast.workers, "worker"), counted(plan.cast.servers, "server"),
                  has_switch ? ", and the switch of its emulated network," : "",
                  counted(wanted, "process", "processes"), counted(processes, "was", "were"),
                  wanted));
}

}  // namespace trainyard
