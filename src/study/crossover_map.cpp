#include "trainyard/study/crossover_map.hpp"

#include <algorithm>
#include <atomic>

#include <fmt/format.h>

#include "trainyard/analysis/prediction.hpp"
#include "trainyard/base/echoed.hpp"
#include "trainyard/base/error.hpp"
#include "trainyard/configuration/preset.hpp"
#include "trainyard/model/model.hpp"
#include "trainyard/run/one_machine.hpp"
#include "trainyard/run/plan.hpp"
#include "trainyard/scheme/scheme.hpp"
#include "trainyard/study/same_runs.hpp"
#include "trainyard/study/tuning.hpp"
#include "trainyard/study/unheard.hpp"

namespace trainyard {

namespace {

/// The setting by which predict() judges a run.
PredictionSetting prediction_of(const Configuration& resolved, const LoadedData& data,
                                std::uint64_t parameters) {
  PredictionSetting setting;
  setting.parameters = parameters;
  setting.rows = data.train.rows;
  Configuration& c = setting.configuration;
  c.workers = resolved.workers;
  c.servers = resolved.servers;
  c.seed = resolved.seed;
  c.ingredients = resolved.ingredients;
  c.hyperparameters = resolved.hyperparameters;
  c.batch = resolved.batch;
  c.network = resolved.network;
  c.compute_time = resolved.compute_time;
  c.encode_time = resolved.encode_time;
  c.decode_time = resolved.decode_time;
  c.aggregate_time = resolved.aggregate_time;
  return setting;
}

/// Its steps depend on their numbers alone, and take as long at the end as at first.
bool keeps_pace(const Scheme& scheme) {
  const bool somebody_waits = scheme.family == SchemeFamily::synchronous ||
                              scheme.family == SchemeFamily::local_updates ||
                              scheme.family == SchemeFamily::decentralised;
  return somebody_waits && scheme.order.pace == Pace::lockstep &&
         scheme.order.rhythm == Rhythm::regular &&
         std::ranges::none_of(scheme.hyperparameters, [](const HyperparameterInfo& each) {
           return each.in_the_long_run.has_value();
         });
}

/// A message's length is the same whatever it says, and whatever matrices the model is made of.
bool is_of_one_length(const Scheme& scheme, const Configuration& c, const Model& model,
                      const Dataset& train) {
  if (key_width_of(scheme, cast_of(scheme, c), c, model, train) > 0) return false;
  if (!takes(scheme, "codec")) return true;
  const auto codec = make_codec(ingredient_name(scheme, c.ingredients, "codec"));
  const std::vector<TensorShape> tensors = model.tensors();
  const TensorShape column{model.dimension(), 1};
  return codec->fixed_size() && codec->most_bytes(model.scalar(), tensors) ==
                                    codec->most_bytes(model.scalar(), {&column, 1});
}

/// One contestant's time to the target, from its run and from what a step takes elsewhere.
class Forecast {
 public:
  /// Empty where a run in every cell has to tell.
  static std::optional<Forecast> of(const RunResult& run, const LoadedData& data) {
    const Configuration& c = run.resolved;
    const Scheme& scheme = find_scheme(c.scheme);
    const auto model = make_model({c.model, c.l2, c.l1}, data.train);
    if (!keeps_pace(scheme) || c.compute_noise.any() || c.network.jitter.any() ||
        c.network.faults.any() || !c.stragglers.empty() || model->scalar() != Scalar::float32 ||
        !is_of_one_length(scheme, c, *model, data.train)) {
      return std::nullopt;
    }
    Forecast forecast(scheme, c, data, model->dimension());
    if (!run.summary.seconds_to_target) return forecast;  // nor anywhere else
    try {
      const Prediction here = forecast.at({});
      if (!here.is_played) return std::nullopt;
      const double seconds = *run.summary.seconds_to_target;
      forecast.steps_ = here.closed_form_s ? 1.0 + (seconds - *here.closed_form_s) / here.step_s
                                           : seconds / here.step_s;
    } catch (const UsageError&) {  // what predict() refuses can be run
      return std::nullopt;
    }
    // Steps of a cycle differ: one more or less is to be 2 % of all at most.
    const auto cycle = static_cast<double>(steps_of_cycle(scheme, c.workers, c.hyperparameters));
    if (cycle > 1.0 && *forecast.steps_ < 50.0 * cycle) return std::nullopt;
    return forecast;
  }

  /// Empty where it does not reach the target.
  std::optional<double> seconds_at(const std::vector<OptionText>& point) const {
    if (!steps_) return std::nullopt;
    const Prediction there = at(point);
    if (!there.closed_form_s) return *steps_ * there.step_s;
    return *there.closed_form_s + (*steps_ - 1.0) * there.step_s;
  }

 private:
  Forecast(const Scheme& scheme, const Configuration& c, const LoadedData& data,
           std::uint64_t parameters)
      : setting_(prediction_of(c, data, parameters)),
        contestant_{.label = scheme.name, .scheme = scheme.name} {}

  Prediction at(const std::vector<OptionText>& point) const {
    PredictionSetting setting = setting_;
    apply(point, setting.configuration);
    return predict(contestant_, setting);
  }

  PredictionSetting setting_;
  Contestant contestant_;
  std::optional<double> steps_;
};

/// The same in all cells, as they were where the configuration says.
Contestant with_step_sizes(Contestant contestant, const Configuration& run, const MapAxes& axes) {
  for (const std::string& name : step_sizes_of(run.scheme)) {
    const auto is_it = [&](const auto& each) { return each.option == name; };
    if (std::ranges::any_of(axes, is_it)) continue;
    std::erase_if(contestant.settings, is_it);
    contestant.settings.push_back({name, option_named(name).get(run)});
  }
  return contestant;
}

class Mapping {
 public:
  Mapping(const MapRequest& request, const ComparisonHooks& hooks)
      : request_(request), hooks_(hooks), points_(grid_of({request.axes[1], request.axes[0]})) {
    check_varied("map", {request.axes[0], request.axes[1]}, request.comparison.contestants);
    map_.axes = request.axes;
  }

  CrossoverMap made() {
    std::vector<RunResult> runs = run_here();
    const auto ranked = std::stable_partition(runs.begin(), runs.end(),
                                              [&](const RunResult& run) { return !within(run); }) -
                        runs.begin();
    for (const RunResult& run : runs) {
      map_.contestants.push_back({run.summary.label, run.summary.lr, false, within(run)});
      if (const auto& place = map_.contestants.back().within) {
        keep({run.summary.label, apart_note(*place)});
      }
    }
    map_.cells.assign(points_.size(), {std::vector<std::optional<double>>(runs.size()),
                                       static_cast<std::size_t>(ranked)});
    map_.interrupted = is_interrupted();
    if (map_.interrupted) return std::move(map_);
    std::vector<Contestant> others;
    for (std::size_t i = 0; i < runs.size(); ++i) {
      if (!forecast(runs[i], i)) others.push_back(contestant_of(runs[i]));
    }
    if (!others.empty()) run_everywhere(std::move(others));
    map_.interrupted = is_interrupted();
    return std::move(map_);
  }

 private:
  bool is_interrupted() const {
    // relaxed: a flag that a signal sets; nothing is published with it.
    return hooks_.interrupted != nullptr && hooks_.interrupted->load(std::memory_order_relaxed);
  }
  std::vector<RunResult> run_here();
  bool forecast(const RunResult& run, std::size_t index);
  void run_everywhere(std::vector<Contestant> others);
  Contestant contestant_of(const RunResult& run) const;
  Compared compared(const ComparisonRequest& request);
  void keep(const Note& note);
  std::optional<std::string> within(const RunResult& run) const;

  const MapRequest& request_;
  const ComparisonHooks& hooks_;
  const std::vector<std::vector<OptionText>> points_;
  LoadedData data_;
  Configuration configuration_;
  bool somebody_talks_ = false;  // over the network
  CrossoverMap map_;
};

void Mapping::keep(const Note& note) {
  if (std::ranges::find(map_.notes, note) == map_.notes.end()) map_.notes.push_back(note);
}

std::optional<std::string> Mapping::within(const RunResult& run) const {
  const bool of_networks = std::ranges::any_of(
      request_.axes, [](const Variation& axis) { return is_between_machines(axis.option); });
  return of_networks && somebody_talks_ ? shared_within(run.resolved) : run.summary.within;
}

/// Keeps what there is to say of the runs: of a contestant once for all cells.
Compared Mapping::compared(const ComparisonRequest& request) {
  Compared made = run_comparison(request, data_, hooks_);
  for (const Note& note : made.notes) keep(note);
  for (const RunResult& run : made.runs) {
    for (const Note& note : run.summary.notes) keep({run.summary.label, note.text});
  }
  return made;
}

std::vector<RunResult> Mapping::run_here() {
  ComparisonRequest here = request_.comparison;
  require(here.variations.empty() && here.options.seeds == 1, "a map has its own variations");
  Configuration& c = here.configuration;
  if (c.time == TimeMode::wall) {
    throw OptionError("map", "it is made in simulated time; leave out --time wall");
  }
  c.time = TimeMode::simulated;
  data_ = load_dataset(dataset_request(c));
  if (hooks_.remark) std::ranges::for_each(data_.remarks, hooks_.remark);
  std::vector<RunResult> runs = compared(here).runs;
  somebody_talks_ = std::ranges::any_of(runs, [](const RunResult& run) {
    return run.summary.scheme != "sequential" && run.summary.workers > 1 &&
           !shared_within(run.resolved);
  });
  const auto reached = [](const RunResult& run) {
    return run.summary.seconds_to_target.has_value();
  };
  if (is_interrupted()) return runs;
  if (std::ranges::none_of(runs, reached)) {
    throw RunError(
        "no contestant reached the target where the configuration says, so there is "
        "nothing to map; more --epochs or a nearer target may help");
  }
  const auto is_tuned = [](const RunResult& run) { return !run.summary.tuned.empty(); };
  if (std::ranges::any_of(runs, is_tuned)) {
    keep({"",
          "note: step sizes, and a target that nobody gave, are those of the configuration's own "
          "point, and hold in every cell; --vary finds them anew at each"});
  }
  const Summary& first = runs.front().summary;
  map_.target_loss = first.target_loss;
  map_.target_accuracy = first.target_accuracy;
  map_.target_gradient = first.target_gradient;
  configuration_ = c;
  // Options without effect have been said already; those that a preset would set are still not its
  // own.
  std::erase_if(configuration_.given, [&](const std::string& option) {
    return std::ranges::none_of(request_.comparison.contestants, [&](const Contestant& each) {
      return preset_sets(each.preset, option);
    });
  });
  configuration_.target_loss = first.target_loss;
  // The compute time that was measured for one cell holds for all.
  if (!configuration_.compute_time) {
    configuration_.compute_time = runs.front().resolved.compute_time;
  }
  return runs;
}

Contestant Mapping::contestant_of(const RunResult& run) const {
  const auto found =
      std::ranges::find(request_.comparison.contestants, run.summary.label, &Contestant::label);
  return with_step_sizes(*found, run.resolved, request_.axes);
}

bool Mapping::forecast(const RunResult& run, std::size_t index) {
  const bool of_time = std::ranges::all_of(
      request_.axes, [](const Variation& axis) { return is_of_time(axis.option); });
  if (!of_time || run.resolved.dataset != configuration_.dataset) return false;
  const std::optional<Forecast> forecast = Forecast::of(run, data_);
  if (!forecast) return false;
  for (std::size_t i = 0; i < points_.size(); ++i) {
    map_.cells[i].seconds[index] = forecast->seconds_at(points_[i]);
  }
  map_.contestants[index].predicted = true;
  return true;
}

void Mapping::run_everywhere(std::vector<Contestant> others) {
  ComparisonRequest everywhere{.configuration = configuration_,
                               .contestants = std::move(others),
                               .variations = {request_.axes[1], request_.axes[0]},
                               .options = {.jobs = request_.comparison.options.jobs}};
  for (const RunResult& run : compared(everywhere).runs) {
    const auto point = std::ranges::find_if(points_, [&](const std::vector<OptionText>& each) {
      return std::ranges::equal(each, run.summary.varied, [](const auto& a, const auto& b) {
        return a.option == b.option && a.text == b.text;
      });
    });
    const auto row =
        std::ranges::find(map_.contestants, run.summary.label, &MappedContestant::label);
    if (point == points_.end() || row == map_.contestants.end()) continue;
    map_.cells[static_cast<std::size_t>(point - points_.begin())]
        .seconds[static_cast<std::size_t>(row - map_.contestants.begin())] =
        came_unheard(run.summary) ? std::nullopt : run.summary.seconds_to_target;
  }
}

}  // namespace

MapAxes parse_map(std::string_view text) {
  // Values have commas too: the second name is what stands between a comma and the last '='.
  const std::size_t equals = text.rfind('=');
  const std::size_t comma = equals == std::string_view::npos ? equals : text.rfind(',', equals);
  if (comma == std::string_view::npos || text.find('=') == equals) {
    throw UsageError(fmt::format(
        "--map: {} is not two options; accepted: NAME=A:B,NAME=A:B, or values A,B,… for A:B",
        echoed(text)));
  }
  MapAxes axes;
  try {
    axes = {parse_variation(text.substr(0, comma)), parse_variation(text.substr(comma + 1))};
    (void)grid_of({axes[1], axes[0]});
  } catch (const UsageError& error) {
    std::string why = error.what();
    if (why.starts_with("--vary: ")) why = why.substr(8);
    throw UsageError("--map: " + why);
  }
  return axes;
}

int MapCell::first() const {
  int least = -1;
  for (std::size_t i = 0; i < std::min(ranked, seconds.size()); ++i) {
    if (!seconds[i]) continue;
    if (least < 0 || *seconds[i] < *seconds[static_cast<std::size_t>(least)]) {
      least = static_cast<int>(i);
    }
  }
  return least;
}

std::optional<double> MapCell::ahead() const {
  const int least = first();
  std::optional<double> next;
  for (std::size_t i = 0; i < std::min(ranked, seconds.size()); ++i) {
    if (static_cast<int>(i) == least || !seconds[i]) continue;
    if (!next || *seconds[i] < *next) next = seconds[i];
  }
  if (!next) return std::nullopt;
  return *next / *seconds[static_cast<std::size_t>(least)];
}

CrossoverMap crossover_map(const MapRequest& request, const ComparisonHooks& hooks) {
  return Mapping(request, hooks).made();
}

}  // namespace trainyard
