#include "trainyard/analysis/prediction.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <memory>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "trainyard/base/error.hpp"
#include "trainyard/collective/all_reduce.hpp"
#include "trainyard/configuration/preset.hpp"
#include "trainyard/model/layered_model.hpp"
#include "trainyard/run/plan.hpp"
#include "trainyard/run/resolve.hpp"
#include "trainyard/run/run.hpp"
#include "trainyard/scheme/scheme.hpp"
#include "trainyard/topology/topology.hpp"

#include "analysis/stand_in.hpp"
#include "base/echoed.hpp"
#include "run/scheme_graph.hpp"

namespace trainyard {

namespace {

// How many steps lead in, by which the start from lock-step is over, and how many are counted:
// whole cycles of a rule's periods and of a graph that varies, and ten times as many where a rule
// draws at random when it communicates.
constexpr std::uint64_t steps_before = 8;
constexpr std::uint64_t steps_counted = 24;
constexpr std::uint64_t times_by_chance = 10;
constexpr std::uint64_t longest_cycle = 4096;
// A cycle is played three times, which takes about a minute with so many.
constexpr std::uint64_t most_minibatches_a_cycle = std::uint64_t{1} << 22U;
// Of more workers a prediction is played where it takes seconds and little memory: about so many
// messages and floats altogether, and no more ranks than a run may have. No graph is built over
// more either: exponential ones would take half a minute over a million.
constexpr int always_played = 4096;
constexpr double most_messages = 2e7;
constexpr double most_floats_played = 2e8;
constexpr int most_played = 100'000;
// Rounds of a graph are planned, in time n³, for each of some ten runs: a minute with so many.
constexpr int most_with_rounds = 256;

/// Those who hold parts of a model add them up without servers.
std::vector<std::string> ways_of(const Scheme& scheme) {
  const IngredientKind* kind = varied_kind(scheme);
  if (kind == nullptr) return {};
  std::vector<std::string> ways = kind->usual(scheme);
  std::erase_if(ways, [&](const std::string& way) {
    const Cast made = cast_of(scheme, 1, 1, {{kind->name, way}}, with_fallbacks(scheme, {}, 1));
    return made.holds != nullptr && made.servers > 0;
  });
  return ways;
}

/// `way` as the scheme knows it. Throws UsageError.
std::string checked_way(const Scheme& scheme, const std::string& way, std::string_view what) {
  const std::string where = fmt::format("{}: {}", what, scheme.name);
  try {
    varied_kind(scheme)->check(way);
  } catch (const UsageError& error) {
    throw UsageError(fmt::format("{}: {}", where, error.what()));
  }
  return way;
}

Summary played(Configuration c, std::uint64_t steps, const LoadedData& data) {
  c.steps = steps;
  return run_experiment(plan_run(resolve(c, {c.scheme}, data, {}), data), {}).summary;
}

/// A closed form is about workers and links that are alike.
bool all_alike(const Configuration& c) {
  return c.network.equal_links() && !c.network.jitter.any() &&
         c.network.ports == PortMode::circuit && c.stragglers.empty() && !c.compute_noise.any();
}

bool shares_ports(const Scheme& scheme, const Configuration& c) {
  return c.network.server_placement == ServerPlacement::colocated && cast_of(scheme, c).servers > 0;
}

/// The one for where the servers are; nullptr where nobody knows one.
auto closed_form_of(const Scheme& scheme, const Configuration& c) {
  return shares_ports(scheme, c) ? scheme.cost.time_colocated : scheme.cost.time;
}

/// Where there is none.
std::string why_no_closed_form(const Scheme& scheme, const Configuration& c) {
  if (!all_alike(c)) return "workers or links are not alike, or ports not circuit";
  if (shares_ports(scheme, c)) {
    return "with servers on workers' machines it depends on whose message finds which port free";
  }
  const bool never = scheme.cost.time == nullptr;
  return (never ? "known roughly: " : "not with these settings; otherwise ") + scheme.cost.formula;
}

CodingTime coding_time_of(const Scheme& scheme, const Configuration& c) {
  const CodingTime usual = usual_coding_time(scheme, ingredient_name(c.ingredients, "codec"));
  return {c.encode_time.value_or(usual.encode), c.decode_time.value_or(usual.decode)};
}

std::optional<double> closed_form(const Scheme& scheme, const PredictionSetting& setting,
                                  const Configuration& c, const Ingredients& ingredients,
                                  const std::optional<DividedChain>& chain) {
  const auto step_time = closed_form_of(scheme, c);
  if (step_time == nullptr || !all_alike(c)) return std::nullopt;
  std::vector<Stage> stages;
  if (chain && has_stages(scheme) && chain->division.parts == 1) {
    stages = chain->model->layered()->cut(chain->division.stages);
  }
  const auto time = [&] {
    try {
      return step_time({.workers = c.workers,
                        .servers = std::clamp(cast_of(scheme, c).servers, 1, servers_of(c)),
                        .parameters = setting.parameters,
                        .compute = *c.compute_time,
                        .message = FloatMessages{c.network},
                        .message_of_bytes = ByteMessages{c.network},
                        .coding = coding_time_of(scheme, c),
                        .model = chain ? chain->model.get() : nullptr,
                        .ingredients = ingredients,
                        .hyperparameters = c.hyperparameters,
                        .stages = stages,
                        .batch = c.batch});
    } catch (const NotTaken& error) {
      throw UsageError(fmt::format("scheme '{}': .cost.time: {}", scheme.name, error.what()));
    }
  }();
  if (!time) return std::nullopt;
  return to_seconds(*time);
}

/// Sets steps_before and steps_counted. False where a cycle takes too many workers' minibatches;
/// where it takes too many steps in itself, throws UsageError.
bool choose_window(const Scheme& scheme, const Configuration& c, const Topology* rounds,
                   Prediction& prediction) {
  std::uint64_t cycle = steps_of_cycle(scheme, c.workers, c.hyperparameters);
  const std::uint64_t most = most_minibatches_a_cycle / static_cast<std::uint64_t>(c.workers);
  if (cycle > most) {
    if (c.workers > always_played) return false;
    throw UsageError(
        fmt::format("{}: its periods come round together only after {} steps or more; a prediction "
                    "plays them all, with {} workers at most {}",
                    scheme.name, cycle, c.workers, most));
  }
  const std::uint64_t with_rounds = std::lcm(cycle, rounds != nullptr ? rounds->period() : 1);
  if (with_rounds <= longest_cycle) cycle = with_rounds;
  const auto whole_cycles = [&](std::uint64_t steps) {
    return cycle * ((steps + cycle - 1) / cycle);
  };
  prediction.steps_before = whole_cycles(steps_before);
  prediction.steps_counted =
      whole_cycles(steps_counted * (scheme.rhythm == Rhythm::by_chance ? times_by_chance : 1));
  return true;
}

/// How many messages a step of all ranks has, from what it has with 256 and 512 workers: a power of
/// their number, up to logarithms. Where there are no such runs, as many as pairs.
double messages_of_a_step(const Configuration& c, const StandIn& model) {
  const auto of = [&](int workers) {
    Configuration fewer = c;
    fewer.workers = workers;
    return static_cast<double>(played(fewer, 2, model.data).messages) / 2.0;
  };
  const double workers = c.workers;
  try {
    const double some = of(256), twice = of(512);
    if (some == 0.0) return twice;
    return twice * std::pow(workers / 512.0, std::log2(twice / some));
  } catch (const UsageError&) {
    return workers * workers;
  }
}

bool can_be_played(const Configuration& c, const StandIn& model, const Prediction& prediction) {
  if (c.workers <= always_played) return true;
  if (static_cast<double>(model.floats) * c.workers > most_floats_played) return false;
  const auto steps = static_cast<double>(2 * prediction.steps_before + prediction.steps_counted);
  return messages_of_a_step(c, model) * steps <= most_messages;
}

Prediction without_playing(Prediction prediction) {
  prediction.is_played = false;
  prediction.step_s = prediction.epoch_s = prediction.messages = prediction.bytes =
      std::numeric_limits<double>::quiet_NaN();
  return prediction;
}

}  // namespace

const IngredientKind* varied_kind(const Scheme& scheme) {
  for (const IngredientKind& kind : ingredient_kinds()) {
    if (takes(scheme, kind.name)) return &kind;
  }
  return nullptr;
}

namespace {

/// Why there is no prediction; empty where there is one.
std::string why_unknown(const Scheme& scheme) {
  if (scheme.rhythm == Rhythm::by_data) {
    return fmt::format("when {} communicates depends on the data", scheme.name);
  }
  if (!has_stages(scheme) && !has_parts(scheme) &&
      cast_of(scheme, 1, 1, {}, with_fallbacks(scheme, {}, 1)).holds != nullptr) {
    return fmt::format(
        "what {} sends depends on a network's layers, not on how many parameters "
        "they have",
        scheme.name);
  }
  return "";
}

/// Groups have what there is for all numbers of workers: of a small model's layers none has so many
/// units as there may be workers, and who divides them whatever the run says has no other way.
bool is_of_groups(const Scheme& scheme) {
  return why_unknown(scheme).empty() && (has_stages(scheme) || !divides_layers(scheme, {}));
}

std::vector<Variant> variants_of_group(std::string_view name, std::string_view what) {
  std::vector<Variant> all;
  for (const std::string& scheme : schemes_of_group(name)) {
    if (!is_of_groups(find_scheme(scheme))) continue;
    std::ranges::copy(parse_variants(scheme, what), std::back_inserter(all));
  }
  if (name != all_systems) return all;
  for (const Preset& preset : presets()) {
    if (is_of_groups(find_scheme(preset.scheme))) {
      all.push_back({preset.scheme, "", preset.name});
    }
  }
  return all;
}

}  // namespace

std::vector<Variant> parse_variants(std::string_view text, std::string_view what) {
  std::vector<Variant> of_group = variants_of_group(text, what);
  if (!of_group.empty()) return of_group;

  const std::size_t colon = text.find(':');
  const NamedScheme named = find_scheme_or_preset_beside_groups(text.substr(0, colon));
  const Scheme& scheme = *named.scheme;
  if (const std::string why = why_unknown(scheme); !why.empty()) {
    throw UsageError(fmt::format("{}: {}; `trainyard run` shows it", what, why));
  }
  const std::string preset = named.preset == nullptr ? "" : named.preset->name;
  const std::vector<std::string> ways = ways_of(scheme);
  if (colon != std::string_view::npos) {
    if (ways.empty()) {
      throw UsageError(fmt::format("{}: {}: {} leaves no choice; it is written without ':'", what,
                                   echoed(text), scheme.name));
    }
    const std::string way(text.substr(colon + 1));
    return {{scheme.name, checked_way(scheme, way, what), preset}};
  }
  if (named.preset != nullptr) return {{scheme.name, "", preset}};
  if (ways.empty()) return {{scheme.name, ""}};
  std::vector<Variant> variants;
  variants.reserve(ways.size());
  for (const std::string& way : ways) variants.push_back({scheme.name, way});
  return variants;
}

namespace {

/// Nothing where so many workers have a graph with too many links.
std::optional<Ingredients> ingredients_of(const Scheme& scheme, const Configuration& c) {
  if (takes(scheme, "topology") && c.workers > most_played) return std::nullopt;
  if (scheme.graphs.rounds != nullptr && c.workers > most_with_rounds) return std::nullopt;
  try {
    (void)check_graph(scheme, c);
    return make_ingredients(scheme, c);
  } catch (const RunError&) {  // it finds no room
    return std::nullopt;
  }
}

/// Each worker's cast lists all parts of its copy.
bool has_too_many_parts(const Scheme& scheme, const Configuration& c) {
  if (!has_parts(scheme) || c.workers <= always_played) return false;
  const Hyperparameters complete = with_fallbacks(scheme, c.hyperparameters, c.workers);
  return hyperparameter(complete, "tensor-size") > always_played;
}

/// The model that stands in has no gradients that are like those of a training run.
void check_codec(const Scheme& scheme, const Configuration& c) {
  if (!takes(scheme, "codec")) return;
  const std::string& codec = ingredient_name(c.ingredients, "codec");
  if (make_codec(codec)->fixed_size()) return;
  throw OptionError("codec", codec,
                    "how long its messages are depends on the data; `trainyard run` shows it");
}

/// The model that stands in has fewer numbers, of which a share may be kept, but not a count.
void refuse_count(const Scheme& scheme, const Configuration& c, std::uint64_t floats,
                  std::uint64_t parameters) {
  if (!takes(scheme, "codec") || floats == parameters) return;
  const std::string& codec = ingredient_name(c.ingredients, "codec");
  if (codec.find(":k=") == std::string::npos) return;
  throw OptionError(
      "codec", codec,
      fmt::format("a model of {} parameters is predicted by a smaller one, of which a "
                  "share can be kept, like 1%",
                  parameters));
}

}  // namespace

Prediction predict(const Variant& variant, const PredictionSetting& setting) {
  const Scheme& scheme = find_scheme(variant.scheme);
  Configuration c = setting.configuration;
  require(c.compute_time.has_value(), "a prediction needs a compute time");
  c.scheme = scheme.name;
  if (!variant.preset.empty()) apply_preset(*find_preset(variant.preset), c.given, c);
  const IngredientKind* kind = varied_kind(scheme);
  if (kind != nullptr && !variant.way.empty()) c.ingredients[kind->name] = variant.way;
  check_codec(scheme, c);

  Prediction prediction;
  prediction.variant = variant;
  if (has_too_many_parts(scheme, c)) {
    prediction.why_no_closed_form = "the model is divided among too many workers";
    return without_playing(std::move(prediction));
  }
  const std::optional<DividedChain> chain = chain_of(scheme, setting.parameters, c);
  c.hyperparameters = with_fallbacks(scheme, std::move(c.hyperparameters), c.workers);
  prediction.servers = cast_of(scheme, c).servers;
  const std::optional<Ingredients> ingredients = ingredients_of(scheme, c);
  if (!ingredients) {
    prediction.why_no_closed_form = "the graph takes too much memory or time";
    return without_playing(std::move(prediction));
  }
  prediction.closed_form_s = closed_form(scheme, setting, c, *ingredients, chain);
  if (!prediction.closed_form_s) prediction.why_no_closed_form = why_no_closed_form(scheme, c);
  if (c.workers + prediction.servers > most_played) return without_playing(std::move(prediction));

  const std::size_t batch = c.batch;
  const std::optional<StandIn> found =
      chain ? stand_in(*chain, c) : stand_in(setting.parameters, c);
  if (!found) return without_playing(std::move(prediction));
  const StandIn& model = *found;
  refuse_count(scheme, c, model.floats, setting.parameters);
  c.network = model.network;
  c.batch = model.batch;
  c.model = model.name;
  // Of the whole model's numbers, of which the stand-in has fewer.
  const double numbers = 1.0 / model.factor;
  const CodingTime coding = coding_time_of(scheme, c);
  c.encode_time = scaled(coding.encode, numbers);
  c.decode_time = scaled(coding.decode, numbers);
  c.time = TimeMode::simulated;
  c.evaluate_every = 1e9;  // nobody looks at the losses
  for (const HyperparameterInfo& parameter : scheme.hyperparameters) {
    if (!parameter.in_the_long_run) continue;
    c.hyperparameters[parameter.name] = *parameter.in_the_long_run;
  }
  if (!choose_window(scheme, c, ingredients->find<Topology>("topology"), prediction) ||
      !can_be_played(c, model, prediction)) {
    return without_playing(std::move(prediction));
  }
  const Summary before = played(c, prediction.steps_before, model.data);
  const Summary after = played(c, prediction.steps_before + prediction.steps_counted, model.data);
  const auto steps = static_cast<double>(prediction.steps_counted);
  prediction.servers = after.servers;
  prediction.step_s = (after.seconds - before.seconds) / steps;
  prediction.messages = static_cast<double>(after.messages - before.messages) / steps;
  prediction.bytes = static_cast<double>(after.bytes_sent - before.bytes_sent) / steps * numbers;
  // Not always one a worker: of some schemes a step drops minibatches.
  const double minibatches = static_cast<double>(after.samples - before.samples) /
                             static_cast<double>(model.batch) / steps;
  prediction.epoch_s = prediction.step_s * static_cast<double>(setting.rows) /
                       (static_cast<double>(batch) * minibatches);
  return prediction;
}

}  // namespace trainyard
