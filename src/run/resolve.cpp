#include "trainyard/run/resolve.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include <fmt/format.h>

#include "trainyard/base/error.hpp"
#include "trainyard/configuration/options.hpp"
#include "trainyard/configuration/preset.hpp"
#include "trainyard/configuration/split.hpp"
#include "trainyard/data/split_file.hpp"
#include "trainyard/hardware/processor_quota.hpp"
#include "trainyard/model/model.hpp"
#include "trainyard/network/links.hpp"
#include "trainyard/run/calibration.hpp"
#include "trainyard/run/rehearsal.hpp"
#include "trainyard/run/scheme_graph.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "run/decisions.hpp"
#include "run/lines.hpp"
#include "run/memory.hpp"
#include "run/remarks.hpp"
#include "run/share_weights.hpp"

namespace trainyard {

namespace {

/// Each pair of threads may need a channel: 4096² pointers are 128 MiB.
constexpr int most_threads = 4096;

/// They take 26 GB of address space and of memory 0.8 (virtual/stacks.hpp).
constexpr int most_fibers = 100'000;
/// The clock holds 106 days.
constexpr double longest_message_s = 9e6;

std::string ranks_text(int ranks) {
  return fmt::format("{} rank{}", ranks, ranks == 1 ? "" : "s");
}

std::string cores_here() {
  return cores_text(this_machine().cores, processor_quota());
}

void check_optimizer(const OptimizerOptions& optimizer) {
  if (optimizer.kind == OptimizerKind::nesterov && optimizer.momentum == 0.0) {
    throw OptionError("optimizer", "nesterov", "it needs a --momentum above 0, like 0.9");
  }
  const std::string schedule = lr_schedule_text(optimizer.lr_schedule);
  if (optimizer.lr_decay > 0.0 && optimizer.lr_schedule.kind != LrSchedule::Kind::inverse_time) {
    throw OptionError(
        "lr-decay",
        fmt::format("it belongs to --lr-schedule inverse-time; with {} leave it 0", schedule));
  }
}

/// Such a minibatch has rows twice, and steps end where epochs do not.
void remark_long_minibatches(const Configuration& c, const std::vector<std::string>& schemes,
                             const Dataset& train, const Remark& remark) {
  for (const std::string& name : schemes) {
    const Cast cast = cast_of(find_scheme(name), c);
    const std::size_t rows = train.rows / static_cast<std::size_t>(std::max(1, cast.workers));
    if (cast.holds != nullptr || rows == 0 || c.batch <= rows) continue;
    remark(
        fmt::format("note: a minibatch of {} rows is more than a worker's share, {} rows on "
                    "average: it has rows more than once",
                    c.batch, rows));
    return;
  }
}

/// Throws UsageError where its rule does not allow what is asked for.
void check_optimizer_of(const Scheme& scheme, const OptimizerOptions& optimizer) {
  const bool of_sgd =
      optimizer.kind == OptimizerKind::sgd || optimizer.kind == OptimizerKind::nesterov;
  if (scheme.optimizers == OptimizerRange::any || optimizer.plain()) return;
  if (scheme.optimizers == OptimizerRange::velocity) {
    if (of_sgd) return;
    throw OptionError("optimizer", optimizer_text(optimizer.kind),
                      fmt::format("{} takes sgd and nesterov", scheme.name));
  }
  if (optimizer.kind == OptimizerKind::sgd) {
    throw OptionError("momentum", fmt::format("{} takes none; leave it 0", scheme.name));
  }
  throw OptionError(
      "optimizer", optimizer_text(optimizer.kind),
      fmt::format("{} takes sgd without momentum, the default: how it steps is its own rule",
                  scheme.name));
}

/// Throws OptionError where not every worker of the scheme needs whole rows of its own.
void check_data_source(const Scheme& scheme, const Cast& cast) {
  if (cast.data_servers == 0) return;
  const bool is_shared = cast.model == ModelHome::shared;
  if (!is_shared && cast.holds == nullptr) return;
  throw OptionError(
      "data-source", "server",
      fmt::format("{} {}; partitioned is accepted, and server with schemes whose workers compute "
                  "gradients of the whole model",
                  scheme.name,
                  is_shared ? "has its workers in one memory, in which the rows lie, too"
                            : "divides the model, and most of its parts need no rows"));
}

}  // namespace

std::string model_name(const Configuration& c, const LoadedData& data) {
  if (!c.model.empty()) return c.model;
  if (!data.train.targets.empty()) return "least-squares";
  return data.train.classes == 2 ? "logistic" : "softmax";
}

TimeMode clock_for(int ranks) {
  return has_core_for_each(ranks, this_machine().cores, processor_quota()) ? TimeMode::wall
                                                                           : TimeMode::simulated;
}

std::string clock_remark(TimeMode chosen, int ranks) {
  return fmt::format("time: {} ({} on {})", time_mode_text(chosen), ranks_text(ranks),
                     cores_here());
}

bool ends_by_clock(const Configuration& c) {
  return c.time == TimeMode::simulated && c.seconds &&
         *c.steps >= static_cast<std::uint64_t>(most_steps);
}

std::optional<std::string> check_scheme(const Scheme& scheme, const Configuration& c,
                                        const Model& model) {
  check_optimizer_of(scheme, c.optimizer);
  const Cast cast = cast_of(scheme, c);
  (void)holdings_of(scheme, cast, model, c.model);
  check_data_source(scheme, cast);
  check_weights(scheme, cast, c);
  if (model.scalar() != Scalar::float32 && cast.models_in_memory() > 0) {
    throw OptionError(
        "model", c.model,
        fmt::format("its parameters are double, and the model that workers of {} share is float; "
                    "schemes that share none take it",
                    scheme.name));
  }
  return check_graph(scheme, c);
}

namespace {

void check_against_data(const Configuration& c, const LoadedData& data) {
  const std::size_t rows = data.train.rows;
  if (rows < static_cast<std::size_t>(c.workers)) {
    throw OptionError("workers",
                      fmt::format("{} workers need at least as many training rows; {} has {}",
                                  c.workers, data.name, rows));
  }
  if (rows < c.batch) {
    throw OptionError("batch", fmt::format("{} rows are more than the {} training rows of {}",
                                           c.batch, rows, data.name));
  }
}

void check_stragglers(const Configuration& c) {
  for (const Straggler& straggler : c.stragglers) {
    if (straggler.rank >= c.workers) {
      throw OptionError("straggler", fmt::format("there is no worker {}; workers are 0 to {}",
                                                 straggler.rank, c.workers - 1));
    }
  }
}

/// A table may name ranks that only another scheme has: one table serves a whole comparison.
void check_network(const Configuration& c, int ranks) {
  ranks = std::max(ranks, c.workers + c.servers);
  if (c.network.links.ranks() > ranks) {
    throw OptionError("links", fmt::format("{} names rank {}; there are ranks 0 to {}",
                                           c.network.links.file.string(),
                                           c.network.links.ranks() - 1, ranks - 1));
  }
  if (c.network.jitter.any() && ranks > most_ranks_with_jitter) {
    throw OptionError("jitter", fmt::format("{} ranks are too many for it (at most {})", ranks,
                                            most_ranks_with_jitter));
  }
}

/// At most one, and one that can be measured.
void check_target(const Configuration& c, const LoadedData& data) {
  const int targets =
      (c.target_loss ? 1 : 0) + (c.target_accuracy ? 1 : 0) + (c.target_gradient ? 1 : 0);
  if (targets > 1) {
    throw OptionError(c.target_accuracy ? "target-accuracy" : "target-gradient",
                      "another target is given, too; a run has one");
  }
  if (c.target_accuracy && !data.train.targets.empty()) {
    throw OptionError(
        "target-accuracy",
        "real labels have no accuracy; --target-loss and --target-gradient are for them");
  }
  if (c.target_accuracy && data.test.rows == 0) {
    throw OptionError("target-accuracy", fmt::format("{} has no test rows; --test FILE names some, "
                                                     "--test every-fifth takes them out",
                                                     data.name));
  }
}

/// Labels whose mean is far from 0, and features that can only explain what is around it. Who has
/// not looked at the rows of a file leaves it to who has.
void remark_missing_intercept(const LoadedData& data, const Remark& remark) {
  const auto& targets = data.train.targets;
  if (targets.empty() || data.train.intercept || !data.train.unchecked_file.empty()) return;
  double sum = 0.0, squares = 0.0;
  for (const float target : targets) {
    sum += target;
    squares += static_cast<double>(target) * target;
  }
  const double mean = sum / static_cast<double>(data.train.rows);
  const double deviation =
      std::sqrt(std::max(0.0, squares / static_cast<double>(data.train.rows) - mean * mean));
  if (std::abs(mean) <= deviation) return;
  remark(
      fmt::format("warning: labels have mean {:.3g} and deviation {:.3g}, and the model has no "
                  "intercept; --intercept adds one",
                  mean, deviation));
}

void resolve_batch(Configuration& c) {
  if (!c.global_batch) return;
  const auto workers = static_cast<std::size_t>(c.workers);
  if (*c.global_batch % workers != 0) {
    throw OptionError("global-batch", fmt::to_string(*c.global_batch),
                      fmt::format("{} workers cannot share it evenly; a multiple of {} is accepted",
                                  c.workers, c.workers));
  }
  c.batch = *c.global_batch / workers;
}

void resolve_time(Configuration& c, int ranks, const Remark& remark) {
  const std::string needed = ranks_text(ranks);
  if (c.time == TimeMode::automatic && c.compute_time) {
    c.time = TimeMode::simulated;
    remark(set_compute_time_remark);
  } else if (c.time == TimeMode::automatic) {
    c.time = clock_for(ranks);
    remark(clock_remark(c.time, ranks));
  } else if (c.time == TimeMode::wall && clock_for(ranks) != TimeMode::wall) {
    remark(
        fmt::format("warning: {} share {}, so computing takes longer than it would on a core each",
                    needed, cores_here()));
  }
  if (ranks > most_fibers) {
    throw OptionError("workers", fmt::format("{}, servers included, are more than the {} that fit",
                                             needed, most_fibers));
  }
  if (c.time == TimeMode::wall && ranks > most_threads) {
    throw OptionError("workers",
                      fmt::format("{} are too many threads for --time wall (at most {}); "
                                  "--time virtual takes any number",
                                  needed, most_threads));
  }
}

/// Also finds out whether the model suits the data, before anything takes time. Returns the model.
std::unique_ptr<Model> resolve_model(Configuration& c, const std::vector<std::string>& schemes,
                                     const LoadedData& data, const Remark& remark) {
  c.model = model_name(c, data);
  auto model = make_model({c.model, c.l2}, data.train);
  for (const std::string& name : schemes) {
    if (const auto border = check_scheme(find_scheme(name), c, *model)) remark(*border);
    check_memory(find_scheme(name), c, data, *model);
  }
  const double seconds = static_cast<double>(model->dimension() * bytes_of(model->scalar())) /
                         c.network.bytes_per_second;
  if (!(seconds < longest_message_s)) {
    throw OptionError("bandwidth",
                      fmt::format("at {} a model of {} takes {:.3g} s, longer than a run can last",
                                  bandwidth_text(c.network.bytes_per_second),
                                  human_bytes(static_cast<double>(model->dimension() *
                                                                  bytes_of(model->scalar()))),
                                  seconds));
  }
  return model;
}

/// Whether a step of each of them computes and changes only the coordinates of its rows. Schemes
/// with replicas get a gradient of the whole model, or are compared with some that do.
bool steps_are_sparse(const Configuration& c, const std::vector<std::string>& schemes,
                      const Model& model) {
  if (model.sparse_update() == nullptr) return false;
  return std::ranges::all_of(schemes, [&](const std::string& name) {
    return cast_of(find_scheme(name), c).model == ModelHome::shared;
  });
}

void resolve_compute_time(Configuration& c, const std::vector<std::string>& schemes,
                          const Model& model, const LoadedData& data, const Remark& remark) {
  if (c.time == TimeMode::wall) {
    if (c.compute_noise.constant == 0.0) {
      throw OptionError("compute-noise",
                        "memoryless needs --time virtual: on threads computing cannot take less "
                        "time than it takes; --time wall takes exponential:SCALE");
    }
    return;
  }
  if (!c.compute_time) {
    check_rows(data.train, 0, data.train.rows);
    const bool sparse = steps_are_sparse(c, schemes, model);
    c.compute_time = sparse ? measure_lone_step_time(model, data.train, c.batch)
                            : measure_minibatch_time(model, data.train, c.batch);
    remark(fmt::format("compute time: {} a {} of {} rows, measured here",
                       human_duration(to_seconds(*c.compute_time)),
                       sparse ? "step on the coordinates" : "minibatch", c.batch));
  }
  const bool nothing_takes_time =
      c.compute_time->count() == 0 && !c.compute_noise.pauses() && c.network.perfect();
  if (ends_by_clock(c) && nothing_takes_time) {
    throw OptionError("seconds",
                      "nothing takes time here (compute time 0, perfect network), so "
                      "the run would not end; give --epochs or --steps");
  }
}

}  // namespace

Configuration resolve(const Configuration& configuration, const std::vector<std::string>& schemes,
                      const LoadedData& data, const Remark& remark) {
  Configuration c = configuration;
  const auto say = [&](const std::string& text) {
    if (remark) remark(text);
  };
  check_split(c);
  if (const std::string what = spell_out_preset(c); !what.empty()) say(what);
  c.servers = servers_of(c);
  int ranks = 0;
  for (const std::string& name : schemes) {
    const Scheme& scheme = find_scheme(name);
    resolve_pipelines(c, scheme, data, say);
    c.hyperparameters = with_fallbacks(scheme, std::move(c.hyperparameters), c.workers);
    const Cast cast = cast_of(scheme, c);
    remark_hyperparameters(c, scheme, cast, say);
    ranks = std::max(ranks, cast.ranks());
  }
  check_optimizer(c.optimizer);
  check_stragglers(c);
  check_network(c, ranks);
  check_target(c, data);
  resolve_batch(c);
  check_against_data(c, data);
  const auto model = resolve_model(c, schemes, data, say);
  if (const auto warning = remark_on_squares(c.optimizer.kind, model->scalar(), data.train)) {
    say(*warning);
  }
  remark_missing_intercept(data, say);
  for (const Scheme& own : own_schemes()) {
    if (std::ranges::count(schemes, own.name) > 0) rehearse(own, c);
  }
  resolve_time(c, ranks, say);
  resolve_budget(c, schemes, data);
  remark_rare_meetings(c, schemes, say);
  resolve_schedule(c, schemes, data);
  const bool measured = !c.compute_time;
  resolve_compute_time(c, schemes, *model, data, say);
  resolve_line_time(c, schemes, say);
  resolve_coding_time(c, schemes, *model, measured, say);
  remark_codec(c, schemes, *model, say);
  remark_keys(c, schemes, *model, data.train, say);
  remark_unequal_shares(c, schemes, data.train, say);
  remark_long_minibatches(c, schemes, data.train, say);
  std::vector<OptionSetting> settings;
  settings.reserve(schemes.size());
  for (const std::string& name : schemes) settings.push_back({c, find_scheme(name)});
  for (const std::string& note : idle_notes(settings, c.given)) say(note);
  return c;
}

}  // namespace trainyard
