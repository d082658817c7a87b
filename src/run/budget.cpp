#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "trainyard/base/counted.hpp"
#include "trainyard/base/error.hpp"
#include "trainyard/configuration/options.hpp"

#include "run/decisions.hpp"

namespace trainyard {

namespace {

constexpr double default_epochs = 10.0;
constexpr double default_epochs_to_target = 200.0;

/// Rows that the model learns from in a step of all workers.
double rows_of_step(const Configuration& c, std::span<const RunObjects> all) {
  std::uint64_t most = 1;
  for (const RunObjects& objects : all) {
    most = std::max(most, minibatches_of_step(*objects.scheme, c.workers, c.hyperparameters));
  }
  return static_cast<double>(c.batch) * static_cast<double>(most);
}

}  // namespace

void resolve_budget(Configuration& c, std::span<const RunObjects> all, const LoadedData& data) {
  if (!c.epochs && !c.steps && !c.seconds) {
    c.epochs = has_target(c) ? default_epochs_to_target : default_epochs;
  }
  std::uint64_t steps = c.steps.value_or(most_steps);
  if (c.epochs) {
    const double needed =
        std::ceil(*c.epochs * static_cast<double>(data.train.rows) / rows_of_step(c, all));
    steps = std::min(steps, static_cast<std::uint64_t>(std::clamp(needed, 1.0, 1e12)));
  }
  c.steps = steps;
}

void resolve_checkpoints(Configuration& c, std::span<const RunObjects> all) {
  if (!c.checkpoint.empty() && !c.checkpoint_every) c.checkpoint_every = 1.0;
  if (!c.checkpoint_every) return;
  if (c.checkpoint_time && c.time == TimeMode::wall) {
    throw OptionError("checkpoint-time",
                      "is simulated; in wall a checkpoint takes its time off the run's clock");
  }
  if (!c.trace.empty()) {
    throw OptionError("trace", "it records a run in one piece; leave out --checkpoint-every");
  }
  if (c.counters) {
    throw OptionError("counters",
                      "counts the events of a run in one piece; leave out "
                      "--checkpoint-every");
  }
  for (const RunObjects& objects : all) {
    const std::string& why = objects.scheme->order.no_checkpoint;
    if (why.empty()) continue;
    throw OptionError("checkpoint-every", fmt::format("{} {}", objects.scheme->name, why));
  }
}

void resolve_schedule(Configuration& c, std::span<const RunObjects> all, const LoadedData& data) {
  c.optimizer.step_epochs = rows_of_step(c, all) / static_cast<double>(data.train.rows);
  if (c.optimizer.lr_schedule.kind != LrSchedule::Kind::cosine) return;
  if (*c.steps >= static_cast<std::uint64_t>(most_steps)) {
    throw OptionError("lr-schedule", "cosine",
                      "it ends with the run, whose length it takes from --epochs or "
                      "--steps; give one of them");
  }
  c.optimizer.run_epochs = static_cast<double>(*c.steps) * c.optimizer.step_epochs;
}

void remark_rare_meetings(const Configuration& c, std::span<const RunObjects> all,
                          const std::function<void(const std::string&)>& remark) {
  for (const RunObjects& objects : all) {
    const std::uint64_t cycle = steps_of_cycle(*objects.scheme, c.workers, c.hyperparameters);
    // Averages of post-local-sgd are rare only after it has switched.
    const auto switches = c.hyperparameters.find("switch-epoch");
    const bool is_rare = switches == c.hyperparameters.end() || switches->second == 0.0;
    if (cycle == 1 || *c.steps >= cycle || !is_rare) continue;
    remark(
        fmt::format("note: {} needs {} to make each of its exchanges once, and the run has "
                    "{}: some never come",
                    objects.scheme->name, counted(cycle, "step"), *c.steps));
  }
}

}  // namespace trainyard
