#include "trainyard/run/resolve.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "trainyard/base/counted.hpp"
#include "trainyard/base/error.hpp"
#include "trainyard/configuration/options.hpp"
#include "trainyard/configuration/preset.hpp"
#include "trainyard/configuration/split.hpp"
#include "trainyard/data/split_file.hpp"
#include "trainyard/hardware/processor_quota.hpp"
#include "trainyard/model/model.hpp"
#include "trainyard/run/calibration.hpp"
#include "trainyard/run/rehearsal.hpp"
#include "trainyard/run/scheme_graph.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "run/checks.hpp"
#include "run/decisions.hpp"
#include "run/lines.hpp"
#include "run/memory.hpp"
#include "run/objects.hpp"
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

/// Such a minibatch has rows twice, and steps end where epochs do not.
void remark_long_minibatches(const Configuration& c, std::span<const RunObjects> all,
                             const Dataset& train, const Remark& remark) {
  for (const RunObjects& objects : all) {
    const Cast& cast = objects.cast;
    const std::size_t rows = train.rows / static_cast<std::size_t>(std::max(1, cast.workers));
    if (cast.holds != nullptr || rows == 0 || c.batch <= rows) continue;
    remark(
        fmt::format("note: a minibatch of {} is more than a worker's share, {} on average: it has "
                    "rows more than once",
                    counted(c.batch, "row"), counted(rows, "row")));
    return;
  }
}

}  // namespace

std::string model_name(const Configuration& c, const LoadedData& data) {
  if (data.start != nullptr) {
    if (c.model.empty() || c.model == data.start->model) return data.start->model;
    throw OptionError(
        "model", c.model,
        fmt::format("the model in {} is {}; leave it out", data.start->folder, data.start->model));
  }
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

namespace {

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

/// Where no network is emulated threads share memory, in which the ring is never the fastest way
/// with more than three workers (docs/limits.md). Simulated it costs nothing either, and so both
/// clocks have the same sums. Written down, as runs with another way are others.
void resolve_collective(Configuration& c, std::span<const RunObjects> all) {
  if (!c.network.perfect()) return;
  const bool taken = std::ranges::any_of(
      all, [](const RunObjects& objects) { return takes(*objects.scheme, "collective"); });
  if (taken) c.ingredients.try_emplace("collective", usual_collective(c));
}

/// Makes the model and what depends on it, and finds out whether they suit the data and the
/// schemes, before anything takes time.
void resolve_model(Configuration& c, std::span<RunObjects> all, const LoadedData& data,
                   const Remark& remark) {
  c.model = model_name(c, data);
  const std::shared_ptr<const Model> model = make_model({c.model, c.l2, c.l1}, data.train);
  for (RunObjects& objects : all) {
    objects.model = model;
    if (const auto border = check_objects(objects, c)) remark(*border);
    check_memory(objects, c, data);
  }
  if (c.metric != MeasureKind::loss && model->outputs() == 0) {
    throw OptionError("metric", measure_kind_text(c.metric),
                      fmt::format("model {} predicts nothing that could be measured", c.model));
  }
  const auto bytes = static_cast<double>(model->dimension() * bytes_of(model->scalar()));
  const double seconds = bytes / c.network.bytes_per_second;
  if (!(seconds < longest_message_s)) {
    throw OptionError(
        "bandwidth",
        fmt::format("at {} a model of {} takes {:.3g} s, longer than a run can last",
                    bandwidth_text(c.network.bytes_per_second), human_bytes(bytes), seconds));
  }
}

/// Whether a step of each of them computes and changes only the coordinates of its rows. Schemes
/// with replicas get a gradient of the whole model, or are compared with some that do.
bool steps_are_sparse(std::span<const RunObjects> all, const Model& model) {
  if (model.sparse_update() == nullptr) return false;
  return std::ranges::all_of(
      all, [](const RunObjects& objects) { return objects.cast.model == ModelHome::shared; });
}

void resolve_compute_time(Configuration& c, std::span<const RunObjects> all, const Model& model,
                          const LoadedData& data, const Remark& remark) {
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
    const bool sparse = steps_are_sparse(all, model);
    c.compute_time = sparse ? measure_lone_step_time(model, data.train, c.batch)
                            : measure_minibatch_time(model, data.train, c.batch, c.optimizer);
    remark(fmt::format("compute time: {} a {} of {}, measured here",
                       human_duration(to_seconds(*c.compute_time)),
                       sparse ? "step on the coordinates" : "minibatch", counted(c.batch, "row")));
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

RunObjects make_objects(const Scheme& scheme, const Configuration& c, const LoadedData& data) {
  RunObjects objects{.scheme = &scheme, .cast = cast_of(scheme, c)};
  objects.model = make_model({c.model, c.l2, c.l1}, data.train);
  objects.holdings = holdings_of(scheme, objects.cast, *objects.model, c.model);
  objects.graph = graph_of(scheme, c);
  return objects;
}

std::vector<RunObjects> decide(Configuration& c, const std::vector<std::string>& schemes,
                               const LoadedData& data, const Remark& remark) {
  const auto say = [&](const std::string& text) {
    if (remark) remark(text);
  };
  check_split(c);
  // Those of a split file nobody asks for by themselves.
  if (c.validation.empty() && data.validation.rows > 0) c.validation = split_validation;
  if (const std::string what = spell_out_preset(c); !what.empty()) say(what);
  c.servers = servers_of(c);
  std::vector<RunObjects> all;
  int ranks = 0;
  for (const std::string& name : schemes) {
    const Scheme& scheme = find_scheme(name);
    resolve_pipelines(c, scheme, data, say);
    c.hyperparameters = with_fallbacks(scheme, std::move(c.hyperparameters), c.workers);
    if (scheme.messages.codec_optional) {  // written down, as another scheme's is another
      c.ingredients.try_emplace("codec", ingredient_name(scheme, c.ingredients, "codec"));
    }
    all.push_back({.scheme = &scheme, .cast = cast_of(scheme, c)});
    remark_hyperparameters(c, scheme, all.back().cast, say);
    ranks = std::max(ranks, all.back().cast.ranks());
  }
  resolve_collective(c, all);
  check_optimizer(c.optimizer);
  check_stragglers(c);
  check_network(c, ranks);
  check_deal(c);
  check_target(c, data);
  check_held_out(c, data);
  check_classes_of_metric(c, data, say);
  resolve_batch(c);
  check_against_data(c, data);
  resolve_model(c, all, data, say);
  const Model& model = *all.front().model;
  if (const auto warning = remark_on_squares(c.optimizer.kind, model.scalar(), data.train)) {
    say(*warning);
  }
  remark_missing_intercept(data, say);
  remark_on_test_target(c, say);
  for (const Scheme& own : own_schemes()) {
    if (std::ranges::count(schemes, own.name) > 0) rehearse(own, c);
  }
  resolve_time(c, ranks, say);
  resolve_budget(c, all, data);
  resolve_checkpoints(c, all);
  remark_rare_meetings(c, all, say);
  resolve_schedule(c, all, data);
  const bool measured = !c.compute_time;
  resolve_compute_time(c, all, model, data, say);
  resolve_line_time(c, all, say);
  resolve_coding_time(c, all, model, measured, say);
  remark_codec(c, all, model, say);
  remark_keys(c, all, model, data.train, say);
  remark_unequal_shares(c, all, data.train, say);
  remark_long_minibatches(c, all, data.train, say);
  std::vector<OptionSetting> settings;
  settings.reserve(all.size());
  for (const RunObjects& objects : all) settings.push_back({c, *objects.scheme});
  for (const std::string& note : idle_notes(settings, c.given)) say(note);
  return all;
}

Configuration resolve(const Configuration& configuration, const std::vector<std::string>& schemes,
                      const LoadedData& data, const Remark& remark) {
  Configuration c = configuration;
  (void)decide(c, schemes, data, remark);
  return c;
}

std::vector<Note> without_idle_notes(std::vector<Note> notes, const Configuration& resolved) {
  const OptionSetting setting{resolved, find_scheme(resolved.scheme)};
  const std::vector<std::string> idle = idle_notes({&setting, 1}, resolved.given);
  std::erase_if(notes,
                [&](const Note& note) { return std::ranges::find(idle, note.text) != idle.end(); });
  return notes;
}

}  // namespace trainyard
