#include "trainyard/run/rehearsal.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "trainyard/base/error.hpp"
#include "trainyard/collective/parameter_server.hpp"
#include "trainyard/data/generate.hpp"
#include "trainyard/run/plan.hpp"

namespace trainyard {

namespace {

// Enough steps that everything periodic happens once; a longer cycle is found out in the run
// itself.
constexpr std::uint64_t least_steps = 4;
constexpr std::uint64_t most_steps_rehearsed = 256;
constexpr std::size_t features = 64;  // a part for each of as many ranks

/// Simulated time would show nothing of it, and `wall` stops once channels are full. What is sent
/// at the end of one period may be meant for the end of the next.
void check_messages(const Scheme& scheme, const Configuration& c,
                    const std::vector<RankAccount>& accounts) {
  const std::uint64_t cycle = steps_of_cycle(scheme, c.workers, c.hyperparameters);
  if (scheme.order.rhythm != Rhythm::regular || *c.steps / 2 < cycle) return;
  std::uint64_t sent = 0, received = 0;
  for (const RankAccount& account : accounts) {
    sent += account.messages_sent;
    received += account.messages_received;
  }
  if (sent == 0 || received > 0) return;
  throw UsageError(
      fmt::format("scheme '{}': in its rehearsal its ranks sent {} messages and received none",
                  scheme.name, sent));
}

}  // namespace

Configuration configuration_of_rehearsal(const Scheme& scheme, const Configuration& configuration) {
  Configuration c;
  c.scheme = scheme.name;
  c.workers = configuration.workers;
  c.servers = configuration.servers;
  c.ingredients = configuration.ingredients;
  c.hyperparameters = configuration.hyperparameters;
  c.optimizer = configuration.optimizer;
  c.seed = configuration.seed;
  const bool in_parts = cast_of(scheme, configuration).holds != nullptr;
  c.model = in_parts ? configuration.model : "logistic";
  c.batch = 1;
  c.time = TimeMode::simulated;
  c.compute_time = std::chrono::milliseconds(1);
  c.evaluate_every = 1e9;  // nobody looks at the losses
  const std::uint64_t cycle = steps_of_cycle(scheme, c.workers, c.hyperparameters);
  c.steps = std::clamp(cycle + 1, least_steps, most_steps_rehearsed);
  c.optimizer.lr_schedule = {.kind = LrSchedule::Kind::constant};
  c.optimizer.lr_decay = 0.0;
  c.optimizer.warmup = 0.0;
  return c;
}

void rehearse(const Scheme& scheme, const Configuration& configuration) {
  const Configuration c = configuration_of_rehearsal(scheme, configuration);
  const LoadedData data{
      "rehearsal",
      generate_dense_logistic(static_cast<std::size_t>(c.workers), features, c.seed),
      {}};
  try {
    check_messages(scheme, c, run_experiment(plan_run(scheme, c, data), {}).accounts);
  } catch (const NoServers& error) {
    throw UsageError(fmt::format("scheme '{}': .cast: {}", scheme.name, error.what()));
  } catch (const InternalError& error) {
    throw InternalError(
        fmt::format("scheme '{}': in its rehearsal, {} steps with a model of {} parameters: {}",
                    scheme.name, *c.steps, features, error.what()));
  }
}

}  // namespace trainyard
