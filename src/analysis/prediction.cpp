#include "trainyard/analysis/prediction.hpp"

#include <algorithm>
#include <cmath>
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
#include "trainyard/run/scheme_graph.hpp"
#include "trainyard/runtime/robust_mean.hpp"
#include "trainyard/scheme/scheme.hpp"
#include "trainyard/topology/topology.hpp"

#include "analysis/stand_in.hpp"
#include "analysis/step_log.hpp"
#include "analysis/sustained.hpp"

namespace trainyard {

namespace {

// A graph that comes round more rarely is one that is drawn at random.
constexpr std::uint64_t longest_cycle = 4096;
// A cycle is played four times, which takes about a minute with so many.
constexpr std::uint64_t most_minibatches_a_cycle = std::uint64_t{1} << 22U;
// Up to so many workers a prediction is always played; with more, only where it takes seconds and
// little memory: at most about so many messages and floats altogether, and no more ranks than a run
// may have. No graph is built over more either: exponential ones would take half a minute over a
// million.
constexpr int always_played = 4096;
constexpr double most_messages = 2e7;
constexpr double most_floats_played = 2e8;
constexpr int most_played = 100'000;
// Rounds of a graph are planned, in time n³, for each of some ten runs: a minute with so many.
constexpr int most_with_rounds = 256;
// The most floats of all replicas times the steps; longer runs have smaller models. A tenth of a
// second.
constexpr std::uint64_t most_floats_regular = std::uint64_t{1} << 26U;
constexpr std::uint64_t most_floats_by_chance = std::uint64_t{1} << 25U;

Summary played(Configuration c, std::uint64_t steps, const LoadedData& data) {
  c.steps = steps;
  return run_experiment(prepare_run(c, data, {}), {}).summary;
}

/// A closed form is about workers and links that are alike.
bool all_alike(const Configuration& c) {
  return c.network.equal_links() && !c.network.is_irregular() && c.network.faults.stalls.empty() &&
         c.network.ports == PortMode::circuit && c.stragglers.empty() && !c.compute_noise.any();
}

bool shares_ports(const Scheme& scheme, const Configuration& c) {
  return c.network.server_placement == ServerPlacement::colocated && cast_of(scheme, c).servers > 0;
}

/// The one for where the servers are; nullptr where nobody knows one.
auto closed_form_of(const Scheme& scheme, const Configuration& c) {
  return shares_ports(scheme, c) ? scheme.cost.time_colocated : scheme.cost.time;
}

/// Says why there is no closed form.
std::string why_no_closed_form(const Scheme& scheme, const Configuration& c) {
  if (!all_alike(c)) return "workers or links are not alike, or ports not circuit";
  if (shares_ports(scheme, c)) return "colocated servers: it depends on who finds which port free";
  if (scheme.cost.formula.empty()) return "its row has none";
  return (scheme.cost.time == nullptr ? "known roughly: " : "not with these settings; otherwise ") +
         scheme.cost.formula;
}

/// How much of the model it sends of each minibatch.
double touched_in(const Scheme& scheme, const Configuration& c, const PredictionSetting& setting) {
  const bool by_keys =
      scheme.messages.by_keys != ByKeys::no && c.sparse_wire == SparseWire::automatic;
  return by_keys && setting.touched_by ? setting.touched_by(c.batch) : 1.0;
}

CodingTime coding_time_of(const Scheme& scheme, const Configuration& c) {
  const CodingTime usual =
      usual_coding_time(scheme, ingredient_name(scheme, c.ingredients, "codec"));
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
                        .touched = touched_in(scheme, c, setting),
                        .stages = stages,
                        .batch = c.batch});
    } catch (const NotTaken& error) {
      throw UsageError(fmt::format("scheme '{}': .cost.time: {}", scheme.name, error.what()));
    }
  }();
  if (!time) return std::nullopt;
  return to_seconds(*time);
}

/// In how many steps all that happens in cycles has come round, and whether anything is drawn.
struct Recurrence {
  std::uint64_t cycle = 1;
  bool by_chance = false;
};

/// Nothing where a cycle takes too many workers' minibatches; where it takes too many steps in
/// itself, throws UsageError.
std::optional<Recurrence> recurrence_of(const Scheme& scheme, const Configuration& c,
                                        const Topology* rounds) {
  std::uint64_t cycle = steps_of_cycle(scheme, c.workers, c.hyperparameters);
  const std::uint64_t most = most_minibatches_a_cycle / static_cast<std::uint64_t>(c.workers);
  if (cycle > most) {
    if (c.workers > always_played) return std::nullopt;
    throw UsageError(
        fmt::format("{}: its periods come round together only after {} steps or more; a prediction "
                    "plays them all, with {} workers at most {}",
                    scheme.name, cycle, c.workers, most));
  }
  bool by_chance =
      scheme.order.rhythm == Rhythm::by_chance || c.compute_noise.any() || c.network.is_irregular();
  const std::uint64_t with_rounds = std::lcm(cycle, rounds != nullptr ? rounds->period() : 1);
  if (with_rounds <= longest_cycle) {
    cycle = with_rounds;
  } else if (with_rounds != cycle) {
    by_chance = true;
  }
  return Recurrence{cycle, by_chance};
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

bool can_be_played(const Configuration& c, const StandIn& model, std::uint64_t steps) {
  // Each worker speaks with each server: 2nk messages a step.
  const double with_servers =
      2.0 * c.workers * std::max(1, cast_of(find_scheme(c.scheme), c).servers);
  const bool few = with_servers * static_cast<double>(steps) <= most_messages;
  if (c.workers <= always_played && few) return true;
  if (static_cast<double>(model.floats) * c.workers > most_floats_played) return false;
  return messages_of_a_step(c, model) * static_cast<double>(steps) <= most_messages;
}

Prediction without_playing(Prediction prediction) {
  prediction.is_played = false;
  prediction.step_s = prediction.step_error_s = prediction.epoch_s = prediction.messages =
      prediction.bytes = std::numeric_limits<double>::quiet_NaN();
  return prediction;
}

/// Nothing where so many workers have a graph with too many links.
std::optional<Ingredients> ingredients_of(const Scheme& scheme, const Configuration& c) {
  if (takes(scheme, "topology") && c.workers > most_played) return std::nullopt;
  if (scheme.graphs.rounds != nullptr && c.workers > most_with_rounds) return std::nullopt;
  try {
    const auto graph = graph_of(scheme, c);
    if (graph) (void)check_graph(scheme, c, *graph);
    return make_ingredients(scheme, c, graph);
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
  const std::string& codec = ingredient_name(scheme, c.ingredients, "codec");
  if (make_codec(codec)->fixed_size()) return;
  throw OptionError("codec", codec,
                    "how long its messages are depends on the data; `trainyard run` shows it");
}

/// The model that stands in has fewer numbers, of which a share may be kept, but not a count.
void refuse_count(const Scheme& scheme, const Configuration& c, std::uint64_t floats,
                  std::uint64_t parameters) {
  if (!takes(scheme, "codec") || floats == parameters) return;
  const std::string& codec = ingredient_name(scheme, c.ingredients, "codec");
  if (codec.find(":k=") == std::string::npos) return;
  throw OptionError(
      "codec", codec,
      fmt::format("a model of {} parameters is predicted by a smaller one, of which a "
                  "share can be kept, like 1%",
                  parameters));
}

/// Whether what is sent is so many numbers and no more, whatever their number.
bool sends_numbers_alone(const Scheme& scheme, const Configuration& c) {
  return !encodes(scheme, c.ingredients) && !scheme.messages.by_layers &&
         std::ranges::none_of(scheme.hyperparameters, [](const HyperparameterInfo& each) {
           return each.unit == Unit::bytes;
         });
}

/// The worker that computes fastest, the first of several.
int fastest_worker(const Configuration& c) {
  std::vector<double> factors(static_cast<std::size_t>(c.workers), 1.0);
  for (const Straggler& slow : c.stragglers) {
    factors[static_cast<std::size_t>(slow.rank)] = slow.factor;
  }
  return static_cast<int>(std::ranges::min_element(factors) - factors.begin());
}

/// A scheme's own program at work, on a model that stands in for one that may be larger.
class Playing {
 public:
  /// `c` is that of the question, complete.
  Playing(const Scheme& scheme, const Configuration& c, const PredictionSetting& setting,
          const std::optional<DividedChain>& chain, const Recurrence& recurrence)
      : scheme_(scheme),
        configuration_(c),
        parameters_(setting.parameters),
        most_floats_(setting.most_floats),
        touched_(touched_in(scheme, c, setting)),
        chain_(chain),
        recurrence_(recurrence),
        cast_(cast_of(scheme, c)) {}

  bool is_possible() const {
    const std::uint64_t steps = steps_played(recurrence_.cycle, recurrence_.by_chance);
    const std::optional<StandIn> model = model_of(steps);
    if (!model) return false;
    refuse_count(scheme_, configuration_, model->floats, parameters_);
    return can_be_played(configuration_of(*model), *model, steps);
  }

  Sustained sustained() const {
    Sustained found = find_sustained({.play = [this](const RunLength& of) { return run(of); },
                                      .pace = scheme_.order.pace,
                                      .workers = cast_.workers,
                                      .cycle = recurrence_.cycle,
                                      .by_chance = recurrence_.by_chance});
    // A rank that stands for all workers takes all their minibatches in one.
    found.minibatches *= static_cast<double>(configuration_.workers) / cast_.workers;
    return found;
  }

 private:
  /// With parts of different lengths, the order of arrival often depends on the lengths.
  bool divides_evenly() const {
    const auto parts = static_cast<std::uint64_t>(configuration_.workers) *
                       static_cast<std::uint64_t>(servers_of(configuration_));
    return parameters_ % parts == 0;
  }

  std::optional<StandIn> model_of(std::uint64_t steps) const {
    if (chain_) return stand_in(*chain_, configuration_);
    const std::uint64_t most = recurrence_.by_chance ? most_floats_by_chance : most_floats_regular;
    // A message that goes by keys has a header, which does not become smaller.
    const bool may_be_smaller =
        sends_numbers_alone(scheme_, configuration_) && divides_evenly() && touched_ == 1.0;
    return stand_in(parameters_, touched_, configuration_,
                    may_be_smaller ? std::min(most_floats_, most / steps) : most_floats_);
  }

  /// The configuration of a run of that model.
  Configuration configuration_of(const StandIn& model) const {
    Configuration c = configuration_;
    c.network = model.network;
    c.batch = model.batch;
    c.model = model.name;
    if (touched_ == 1.0) c.sparse_wire = SparseWire::off;  // rows are of one feature then
    const CodingTime coding = coding_time_of(scheme_, configuration_);
    c.encode_time = scaled(coding.encode, 1.0 / model.factor);
    if (takes(scheme_, aggregate_kind)) {
      const Duration time = aggregate_time_of(c, make_ingredients(scheme_, c));
      c.aggregate_time = scaled(time, 1.0 / model.factor);
    }
    c.decode_time = scaled(coding.decode, 1.0 / model.factor);
    c.time = TimeMode::simulated;
    c.line_time = Duration{0};  // which lines workers meet at, no model that stands in can show
    c.evaluate_every = 1e9;     // nobody looks at the losses
    return c;
  }

  PlayedRun run(const RunLength& length) const {
    constexpr std::uint64_t seeds_apart = 1'000'003;
    const StandIn model = *model_of(length.steps);
    Configuration c = configuration_of(model);
    c.steps = length.steps;
    c.seed += length.draw * seeds_apart;
    Plan plan = prepare_run(c, model.data, {});
    if (scheme_.order.pace == Pace::free) plan.limits.minibatches = length.minibatches;
    StepLog log(scheme_.order.pace, cast_.workers, recurrence_.cycle,
                std::min(fastest_worker(c), cast_.workers - 1));
    RunHooks hooks;
    hooks.wrap_pacing = [&](Pacing& pacing) { return log.watch(pacing); };
    const double end_s = run_experiment(plan, hooks).summary.seconds;
    return {log.marks(), log.stride(), end_s, 1.0 / model.factor,
            static_cast<double>(model.floats) * cast_.workers};
  }

  const Scheme& scheme_;
  const Configuration& configuration_;
  const std::uint64_t parameters_;
  const std::uint64_t most_floats_;
  const double touched_;
  const std::optional<DividedChain>& chain_;
  const Recurrence recurrence_;
  const Cast cast_;
};

}  // namespace

Prediction predict(const Contestant& contestant, const PredictionSetting& setting) {
  const Scheme& scheme = find_scheme(contestant.scheme);
  Configuration c = setting.configuration;
  apply(contestant, c);
  if (!c.compute_time) {
    throw OptionError("compute-time", "auto: a prediction takes a duration, like 3ms");
  }
  check_codec(scheme, c);

  Prediction prediction;
  prediction.contestant = contestant;
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

  for (const HyperparameterInfo& parameter : scheme.hyperparameters) {
    if (!parameter.in_the_long_run) continue;
    c.hyperparameters[parameter.name] = *parameter.in_the_long_run;
  }
  const std::optional<Recurrence> recurrence =
      recurrence_of(scheme, c, ingredients->find<Topology>("topology"));
  if (!recurrence) return without_playing(std::move(prediction));
  const Playing playing(scheme, c, setting, chain, *recurrence);
  if (!playing.is_possible()) return without_playing(std::move(prediction));
  const Sustained found = playing.sustained();
  prediction.steps_before = found.before;
  prediction.steps_counted = found.counted;
  prediction.step_s = found.step_s;
  prediction.step_error_s = found.error_s;
  prediction.messages = found.messages;
  prediction.bytes = found.bytes;
  // Not always a minibatch of each worker: of some schemes a step drops some.
  prediction.epoch_s = found.step_s * static_cast<double>(setting.rows) /
                       (static_cast<double>(c.batch) * found.minibatches);
  return prediction;
}

}  // namespace trainyard
