#include "module/analysis.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include "trainyard/analysis/advice.hpp"
#include "trainyard/analysis/break_even.hpp"
#include "trainyard/analysis/exchange_bounds.hpp"
#include "trainyard/analysis/sweep.hpp"
#include "trainyard/base/named_table.hpp"
#include "trainyard/configuration/checked_number.hpp"
#include "trainyard/configuration/synonyms.hpp"
#include "trainyard/data/touched.hpp"
#include "trainyard/report/list_format.hpp"
#include "trainyard/report/network_format.hpp"
#include "trainyard/report/prediction_format.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "module/beside.hpp"
#include "module/settings.hpp"

namespace trainyard::python {

namespace {

std::vector<std::string_view> names_taken_by(unsigned taker) {
  std::vector<std::string_view> names;
  for (const Option* option : options_taken_by(taker)) names.emplace_back(option->name);
  return names;
}

/// The time of one exchange on paper, as `predict` has it beneath its table.
ExchangeCosts costs_of(const PredictionSetting& setting) {
  const Configuration& c = setting.configuration;
  const auto bytes = static_cast<double>(setting.parameters * sizeof(float));
  ExchangeCosts costs = exchange_costs(c.workers, servers_of(c), bytes, c.network.bytes_per_second);
  const auto period = c.hyperparameters.find("period");
  costs.period = period != c.hyperparameters.end() ? period->second
                                                   : known_hyperparameter("period").default_value();
  return costs;
}

std::vector<ExchangeCosts> costs_of(const PredictionSetting& asked, const SweepResult& result) {
  std::vector<ExchangeCosts> all;
  for (const SweepPoint& point : result.points) {
    PredictionSetting setting = asked;
    set_quantity(setting, {result.variation.option, point.text});
    all.push_back(costs_of(setting));
  }
  return all;
}

struct AskedPrediction {
  std::string schemes{};
  Settings settings{};
  std::optional<std::uint64_t> rows{};
  std::optional<double> density{};
  std::optional<AskedVariation> varied{};
};

PredictionSetting setting_of(const AskedPrediction& asked) {
  PredictionSetting setting = prediction_setting(asked.settings, names_taken_by(taker::predict));
  if (asked.rows) {
    if (*asked.rows == 0) throw OptionError("rows", "0", "expected 1 or more");
    setting.rows = *asked.rows;
  }
  if (!asked.density) return setting;
  const double share = *asked.density;
  if (!(share > 0.0 && share <= 1.0)) {
    throw OptionError("density", fmt::to_string(share), "expected above 0 and at most 1");
  }
  setting.touched_by = [share](std::size_t rows) { return touched_share(share, rows); };
  return setting;
}

/// (JSON, notes)
py::tuple predict_json(const AskedPrediction& asked) {
  const PredictionSetting setting = setting_of(asked);
  std::optional<Variation> varied;
  if (asked.varied) varied = variations_of({&*asked.varied, 1}, predicted_quantities()).front();
  const std::vector<Contestant> contestants =
      predicted_contestants(asked.schemes, setting.configuration.ingredients,
                            varied ? std::string_view(varied->option) : std::string_view());
  Beside beside(py::none{});
  std::string json;
  std::vector<Note> notes;
  beside.run([&] {
    if (varied) {
      const SweepResult result = sweep(*varied, contestants, setting, &beside.interrupted());
      json = sweep_json(setting, result, costs_of(setting, result));
      notes = prediction_notes(result.points.front().predictions);
      return;
    }
    std::vector<Prediction> predictions;
    for (const Contestant& contestant : contestants) {
      if (beside.interrupted()) throw Interrupted("interrupted");
      predictions.push_back(predict(contestant, setting));
    }
    json = prediction_json(setting, predictions, costs_of(setting));
    notes = prediction_notes(predictions);
  });
  std::vector<std::string> texts;
  for (const Note& note : notes) texts.push_back(note.text);
  return py::make_tuple(json, texts);
}

/// (JSON, notes)
py::tuple break_even_json_of(const AskedPrediction& asked, const std::vector<std::string>& codecs) {
  const PredictionSetting setting = setting_of(asked);
  const std::vector<CodedScheme> schemes =
      coded_schemes(asked.schemes, codecs, setting.configuration.ingredients);
  Beside beside(py::none{});
  std::string json;
  beside.run([&] {
    std::vector<BreakEven> rows;
    for (const auto& [scheme, codec] : schemes) {
      if (beside.interrupted()) throw Interrupted("interrupted");
      rows.push_back(break_even(scheme, codec, setting));
    }
    json = break_even_json(setting, rows);
  });
  return py::make_tuple(json, std::vector<std::string>{});
}

/// The values of what is varied: numbers where they have a measure, else the texts.
py::list measured_values(const AskedVariation& asked) {
  const Variation variation = variations_of({&asked, 1}, predicted_quantities()).front();
  const ValueLine line = line_of(variation, predicted_quantities());
  py::list values;
  for (const std::string& text : variation.values) {
    if (line.measure == nullptr) {
      values.append(text);
    } else {
      values.append(line.measure->read(text, "--" + variation.option));
    }
  }
  return values;
}

std::string topology_json_of(const std::string& name, const std::vector<int>& workers,
                             std::uint64_t seed, const std::string& size) {
  check_topology(name);
  const std::uint64_t bytes = parse_bytes(size, "--size");
  Beside beside(py::none{});
  std::string json;
  beside.run([&] {
    std::vector<TopologyReport> reports;
    for (const int count : workers) {
      if (beside.interrupted()) throw Interrupted("interrupted");
      Topology topology = make_topology(name, count, seed);
      const TopologyFigures figures = analyse(topology);
      reports.push_back({std::move(topology), figures, bytes});
    }
    json = topology_json(reports, seed);
  });
  return json;
}

/// [period, workers, workers]: W(k)[i][j] is what worker i gives to what it receives from j.
py::array_t<double> mixing_matrices(const std::string& name, int workers, std::uint64_t seed) {
  check_topology(name);
  Topology topology;
  Beside beside(py::none{});
  beside.run([&] { topology = make_topology(name, workers, seed); });
  const auto ranks = static_cast<py::ssize_t>(workers);
  py::array_t<double> made({static_cast<py::ssize_t>(topology.period()), ranks, ranks});
  std::fill_n(made.mutable_data(), made.size(), 0.0);
  auto weights = made.mutable_unchecked<3>();
  for (std::size_t k = 0; k < topology.period(); ++k) {
    for (int i = 0; i < workers; ++i) {
      const MixingRow& row = topology.row(k, i);
      const auto round = static_cast<py::ssize_t>(k);
      weights(round, i, i) = row.self_weight;
      for (const auto& [rank, weight] : row.receives) weights(round, i, rank) += weight;
    }
  }
  return made;
}

std::string schemes_listed() {
  std::vector<const Scheme*> all;
  for (const Scheme& scheme : schemes()) all.push_back(&scheme);
  return schemes_json(all);
}

std::string list_json(const std::string& what) {
  std::vector<std::string> known{"schemes", "presets", "models", "datasets", "labs"};
  if (what == "schemes") return schemes_listed();
  if (what == "presets") return presets_json(presets());
  if (what == "models") return models_json();
  if (what == "datasets") return datasets_json();
  if (what == "labs") return labs_json(labs());
  for (const IngredientKind& kind : ingredient_kinds()) {
    if (kind.plural == what) return ingredients_json(kind);
    known.emplace_back(kind.plural);
  }
  throw_unknown("list", what, known);
}

}  // namespace

void define_analysis(py::module_& module) {
  py::class_<AskedPrediction>(module, "AskedPrediction")
      .def(py::init<>())
      .def_readwrite("schemes", &AskedPrediction::schemes)
      .def_readwrite("settings", &AskedPrediction::settings)
      .def_readwrite("rows", &AskedPrediction::rows)
      .def_readwrite("density", &AskedPrediction::density)
      .def_readwrite("varied", &AskedPrediction::varied);
  module.def("predict", predict_json);
  module.def("break_even", break_even_json_of);
  module.def("measured_values", measured_values);
  module.def("topology", topology_json_of);
  module.def("mixing_matrices", mixing_matrices);
  module.def("list_json", list_json);
  module.def("synonyms", [] {
    std::vector<std::pair<std::string_view, std::string_view>> all;
    for (const auto& [word, flag] : synonyms()) all.emplace_back(word, flag);
    return all;
  });
  module.def("predict_options", [] { return names_taken_by(taker::predict); });
  module.def("advise_options", [] {
    return std::vector<std::string_view>(advised_options().begin(), advised_options().end());
  });
}

}  // namespace trainyard::python
