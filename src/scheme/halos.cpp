// HALoS (Kim, Li, Gandham, Baldonado, Gangidi, Balaji, Wang & Akella, ICML 2025; catalogue §4.1):
// asynchronous local SGD on two levels, for regions whose machines are near each other and far from
// the rest. Within a region it is async-local-sgd: a worker takes H steps, sends the way that it
// has come to its region's server, which steps its model along it by Delayed Nesterov and answers
// with that. K ways after the last merge the region's server sends how far it has come itself, x at
// the merge − x, to the global server, one such message at a time; that steps the global model by a
// Delayed Nesterov of its own and answers; the region takes α of it, x ← (1 − α) x + α x_global.
// Nobody waits: workers go on while their region's way is under way.
//
// --servers is the number of regions; the global server comes on top. With as many --racks the
// links between regions carry one message in K of those within. One region, α = 1, K = 1, a global
// step of 1 without momentum, and messages that take no time: async-local-sgd.
#include <cstdint>
#include <span>
#include <vector>

#include "trainyard/collective/proxies.hpp"
#include "trainyard/model/kernels.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "scheme/delayed_nesterov.hpp"
#include "scheme/fetched_model.hpp"
#include "scheme/shared_hyperparameters.hpp"

namespace trainyard {

namespace {

DelayedNesterov::Setting setting_of(const Server& server, const std::string& level) {
  return {.step_size = server.hyperparameter(level + "-lr"),
          .momentum = server.hyperparameter(level + "-momentum"),
          .delay = server.hyperparameter(level + "-momentum-delay"),
          .activation = 0.0};
}

void work(Worker& worker) {
  const auto period = static_cast<std::uint64_t>(worker.hyperparameter("period"));
  FetchedModel fetched(worker);
  while (worker.next_step()) {
    worker.descend();
    if ((worker.step() + 1) % period != 0) continue;
    exchange_with_proxy(worker.comm(), fetched.way(), worker.replica());
    fetched.remember();
  }
}

/// A region's server, one of the proxies.
void serve_region(Server& server) {
  Communicator& comm = server.comm();
  const int global = comm.server(comm.servers() - 1);
  const auto period = static_cast<std::uint64_t>(server.hyperparameter("period"));
  const auto merge_period = static_cast<std::uint64_t>(server.hyperparameter("merge-period"));
  const double global_share = server.hyperparameter("global-share");
  const Vector model = server.keep("region's model", server.initial_model());
  const Vector at_merge = server.keep("model at the merge", server.initial_model());
  VectorBuffer way(model.scalar(), model.size());
  DelayedNesterov outer(server, model, setting_of(server, "region"));
  std::uint64_t& ways = server.keep_counts("ways since the merge", 1).front();
  bool is_under_way = false;
  while (const auto message = comm.receive_any()) {
    if (message->from() == global) {
      kernels::move_towards(global_share, message->vector(), model);
      kernels::copy(model, at_merge);
      ways = 0;
      is_under_way = false;
      continue;
    }
    outer.step(message->vector());
    ++ways;
    comm.send(message->from(), model);
    if (is_under_way || ways < merge_period) continue;
    kernels::copy(at_merge, way.view());
    kernels::axpy(-1.0, model, way.view());
    comm.send(global, way.view(), ways * period);
    is_under_way = true;
  }
}

void serve_globally(Server& server) {
  Communicator& comm = server.comm();
  DelayedNesterov outer(server, server.shard(), setting_of(server, "root"));
  const std::span<std::uint64_t> read =
      server.keep_counts("read", static_cast<std::size_t>(comm.size()));
  while (const auto way = comm.receive_any()) {
    std::uint64_t& version = read[static_cast<std::size_t>(way->from())];
    server.record_staleness(version);
    outer.step(way->vector());
    server.count_update(way->tag());
    version = server.version();
    comm.send(way->from(), server.shard());
  }
}

void serve(Server& server) {
  is_root(server.comm()) ? serve_globally(server) : serve_region(server);
}

Cast regions_before_model(const CastSetting& setting) {
  Cast made = cast::replicas_with_proxies(setting);
  made.model = ModelHome::servers;
  return made;
}

/// Whether a region sends its own way meanwhile, which the run's end would wait for, depends on K.
std::optional<Duration> step_time(const StepSetting& s) {
  if (hyperparameter(s.hyperparameters, "period") > 1) return s.compute;
  return std::nullopt;
}

using Fallback = double (*)(int workers, const Hyperparameters& before);

HyperparameterInfo lr_info(const char* name, const char* help, Fallback fallback) {
  return {.name = name,
          .argument = "ETA",
          .help = help,
          .low = 0.0,
          .high = 1e6,
          .step_size = true,
          .run_fallback = fallback};
}
HyperparameterInfo momentum_info(const char* name, const char* help, double fallback) {
  return {.name = name,
          .argument = "BETA",
          .help = help,
          .fallback = fallback,
          .low = 0.0,
          .high = 0.9999};
}
HyperparameterInfo count_info(const char* name, const char* argument, const char* help,
                              double fallback, Fallback of_run = nullptr) {
  return {.name = name,
          .argument = argument,
          .help = help,
          .fallback = fallback,
          .low = 1,
          .high = 1e6,
          .whole = true,
          .run_fallback = of_run};
}

/// The step sizes, momenta and shares are the authors', who have K = 32 and 16 workers.
std::vector<HyperparameterInfo> hyperparameters() {
  return {period_info,
          count_info("region-momentum-delay", "N",
                     "ways for which a region's momentum stays what it is; the number of workers",
                     1, [](int workers, const Hyperparameters&) -> double { return workers; }),
          lr_info("region-lr", "step size of a region's server, of N ways together; 0.2 N",
                  [](int, const Hyperparameters& before) {
                    return 0.2 * hyperparameter(before, "region-momentum-delay");
                  }),
          momentum_info("region-momentum", "momentum of a region's server", 0.9),
          count_info("merge-period", "K",
                     "ways after which a region sends its own; the number of workers", 1,
                     [](int workers, const Hyperparameters&) -> double { return workers; }),
          {.name = "global-share",
           .argument = "ALPHA",
           .help = "share of the global model in what a region goes on with",
           .fallback = 0.25,
           .low = 0.0,
           .high = 1.0},
          count_info("root-momentum-delay", "N",
                     "regions' ways for which the global momentum stays what it is", 2),
          lr_info("root-lr", "step size of the global server, of N ways together; 0.15 N",
                  [](int, const Hyperparameters& before) {
                    return 0.15 * hyperparameter(before, "root-momentum-delay");
                  }),
          momentum_info("root-momentum", "momentum of the global server", 0.5)};
}

}  // namespace

Scheme halos_scheme() {
  return {
      .name = "halos",
      .summary = "async-local-sgd in each region, whose servers merge by and by with a global one",
      .step =
          "γ × own gradient; each way is a step of η/N in its region, K of them one of the global "
          "model",
      .cost = {.formula = "c, and every τ steps, of each worker by itself, 2(α + t)",
               .rate = "as local-sgd, with staleness on two levels",
               .time = step_time},
      .source = "Kim et al. 2025; catalogue 4.1",
      .family = SchemeFamily::local_updates,
      .order = {.pace = Pace::free, .outlives_worker = true},
      .cast = regions_before_model,
      .optimizers = {.no_l1 = "has servers' models that move along ways, with momentum: nobody "
                              "would shrink them"},
      .hyperparameters = hyperparameters(),
      .worker = work,
      .server = serve};
}

}  // namespace trainyard
