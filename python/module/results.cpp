#include "module/results.hpp"

#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <pybind11/stl.h>

#include "trainyard/base/error.hpp"
#include "trainyard/configuration/options.hpp"
#include "trainyard/report/summary_format.hpp"
#include "trainyard/report/table_columns.hpp"
#include "trainyard/run/curve_figures.hpp"
#include "trainyard/run/figures.hpp"
#include "trainyard/run/rank_figures.hpp"
#include "trainyard/study/collated_notes.hpp"
#include "trainyard/web/page.hpp"

#include "module/model.hpp"

namespace trainyard::python {

namespace {

/// One run of an outcome, which it keeps.
struct RunOf {
  std::shared_ptr<Outcome> outcome;
  std::size_t index;

  const RunResult& result() const { return outcome->runs[index]; }
  const Summary& summary() const { return result().summary; }
  const RunSource& source() const { return outcome->sources[index]; }
  ConstVector model() const {
    const ConstVector own = result().model.view();
    return own.empty() ? source().model.view() : own;
  }
};

py::object figure_object(const FigureValue& value) {
  return std::visit(
      []<typename T>(const T& held) -> py::object {
        if constexpr (std::is_same_v<T, std::monostate>) {
          return py::none();
        } else {
          return py::cast(held);
        }
      },
      value);
}

py::dict figures_of(const RunOf& run) {
  py::dict all;
  for (const Figure* figure : figures_in(View::json)) {
    all[py::str(std::string(figure->key))] = figure_object(figure->of(run.summary()));
  }
  return all;
}

py::dict units() {
  py::dict all;
  for (const Figure& figure : figures()) {
    if (!figure.unit.empty()) all[py::str(std::string(figure.key))] = std::string(figure.unit);
  }
  return all;
}

/// NaN where a point lacks it; None where all do.
template <typename Member>
py::object curve_column(const std::vector<Metrics>& metrics, Member member) {
  const auto size = static_cast<py::ssize_t>(metrics.size());
  using Value = std::remove_cvref_t<decltype(curve_value(metrics.front(), member))>;
  if constexpr (std::is_same_v<Value, std::optional<double>>) {
    py::array_t<double> column(size);
    bool any = false;
    for (py::ssize_t i = 0; i < size; ++i) {
      const auto& value = curve_value(metrics[static_cast<std::size_t>(i)], member);
      any = any || value.has_value();
      column.mutable_at(i) = value.value_or(std::numeric_limits<double>::quiet_NaN());
    }
    if (!any) return py::none();
    return column;
  } else {
    py::array_t<Value> column(size);
    for (py::ssize_t i = 0; i < size; ++i) {
      column.mutable_at(i) = curve_value(metrics[static_cast<std::size_t>(i)], member);
    }
    return column;
  }
}

py::dict curves_of(const RunOf& run) {
  py::dict columns;
  for (const CurveFigure& figure : curve_figures()) {
    columns[py::str(std::string(figure.key))] = std::visit(
        [&](auto member) { return curve_column(run.result().metrics, member); }, figure.member);
  }
  return columns;
}

py::dict ranks_of(const RunOf& run) {
  const RunResult& result = run.result();
  py::dict columns;
  py::list ranks, roles;
  for (std::size_t rank = 0; rank < result.accounts.size(); ++rank) {
    ranks.append(rank);
    roles.append(std::string(role_of(result, rank)));
  }
  columns["rank"] = ranks;
  columns["role"] = roles;
  for (const RankFigure* figure : rank_figures_of(result)) {
    py::list values;
    for (std::size_t rank = 0; rank < result.accounts.size(); ++rank) {
      values.append(figure_object(value_of(*figure, result, rank)));
    }
    columns[py::str(std::string(figure->key))] = values;
  }
  return columns;
}

py::dict messages_of(const RunOf& run, std::uint64_t steps) {
  constexpr std::size_t most = 100'000;
  const Trace trace = first_steps(run.result(), *run.source().data, steps, most);
  std::vector<double> posted, start, first_bit, end;
  std::vector<std::int64_t> from, to, bytes;
  for (const Transfer& message : trace.messages) {
    from.push_back(message.from);
    to.push_back(message.to);
    bytes.push_back(static_cast<std::int64_t>(message.bytes));
    posted.push_back(to_seconds(message.posted));
    start.push_back(to_seconds(message.start));
    first_bit.push_back(to_seconds(message.first_bit));
    end.push_back(to_seconds(message.end));
  }
  const auto array = []<typename T>(const std::vector<T>& values) {
    return py::array_t<T>(static_cast<py::ssize_t>(values.size()), values.data());
  };
  py::dict columns;
  columns["from"] = array(from);
  columns["to"] = array(to);
  columns["bytes"] = array(bytes);
  columns["posted"] = array(posted);
  columns["start"] = array(start);
  columns["first_bit"] = array(first_bit);
  columns["end"] = array(end);
  columns["cut"] = trace.cut;
  return columns;
}

py::dict staleness_of(const RunOf& run) {
  const Staleness& staleness = run.result().staleness;
  py::list values, counts;
  const std::uint64_t last =
      staleness.empty() ? 0 : std::min(staleness.max(), Staleness::most_told_apart);
  for (std::uint64_t value = 0; !staleness.empty() && value <= last; ++value) {
    if (staleness.count(value) == 0) continue;
    values.append(value);
    counts.append(staleness.count(value));
  }
  py::dict columns;
  columns["staleness"] = values;
  columns["updates"] = counts;
  return columns;
}

py::dict texts_of(const std::vector<OptionText>& settings) {
  py::dict all;
  for (const auto& [option, text] : settings) all[py::str(option)] = text;
  return all;
}

/// [(about, text)]
py::list notes_of(const std::vector<Note>& notes) {
  py::list all;
  for (const Note& note : notes) all.append(py::make_tuple(note.about, note.text));
  return all;
}

/// A view that keeps the run, and that nobody writes to.
py::object model_of(const py::object& self) {
  const ConstVector model = self.cast<const RunOf&>().model();
  if (model.empty()) return py::none();
  const bool is_double = model.scalar() == Scalar::float64;
  py::array view(is_double ? py::dtype::of<double>() : py::dtype::of<float>(),
                 {static_cast<py::ssize_t>(model.size())}, {}, model.data(), self);
  view.attr("flags").attr("writeable") = false;
  return view;
}

KeptModel kept_model_of(const RunOf& run) {
  if (run.model().empty()) throw UsageError("the model of this run was not kept");
  const RunResult& result = run.result();
  return {result.summary.model, result.preparation, VectorBuffer::copy_of(run.model())};
}

py::list runs_of(const std::shared_ptr<Outcome>& outcome) {
  py::list all;
  for (std::size_t i = 0; i < outcome->runs.size(); ++i) all.append(RunOf{outcome, i});
  return all;
}

std::string json_of(const Outcome& o) {
  return comparison_json(o.runs, o.options, o.notes, o.lacking);
}

void define_run(py::module_& module) {
  py::class_<RunOf>(module, "Run")
      .def_property_readonly("label", [](const RunOf& run) { return run.summary().label; })
      .def_property_readonly("seed", [](const RunOf& run) { return run.summary().seed; })
      .def_property_readonly("diverged", [](const RunOf& run) { return run.summary().diverged; })
      .def_property_readonly("interrupted",
                             [](const RunOf& run) { return run.summary().interrupted; })
      .def_property_readonly("settings",
                             [](const RunOf& run) { return texts_of(run.summary().settings); })
      .def_property_readonly("varied",
                             [](const RunOf& run) { return texts_of(run.summary().varied); })
      .def_property_readonly("tuned",
                             [](const RunOf& run) { return texts_of(run.summary().tuned); })
      .def_property_readonly("notes",
                             [](const RunOf& run) { return notes_of(run.summary().notes); })
      .def_property_readonly(
          "configuration",
          [](const RunOf& run) { return configuration_text(run.result().resolved); })
      .def_property_readonly(
          "command", [](const RunOf& run) { return run_command_text(run.result().resolved); })
      .def_property_readonly("model", model_of)
      .def("figures", figures_of)
      .def("curves", curves_of)
      .def("ranks", ranks_of)
      .def("messages", messages_of)
      .def("staleness", staleness_of)
      .def("kept_model", kept_model_of)
      .def("json", [](const RunOf& run) { return run_json(run.result()); })
      .def("table", [](const RunOf& run) { return summary_table(run.summary()); })
      .def("page", [](const RunOf& run, const std::string& title) {
        return html_page(PageKind::comparison, title, run_json(run.result()));
      });
}

}  // namespace

void define_results(py::module_& module) {
  define_run(module);
  py::class_<Outcome, std::shared_ptr<Outcome>>(module, "Outcome")
      .def_property_readonly("runs", runs_of)
      .def_property_readonly(
          "notes", [](const Outcome& o) { return notes_of(collated_notes(o.runs, o.notes)); })
      .def_readonly("lacking", &Outcome::lacking)
      .def_readonly("failures", &Outcome::failures)
      .def_readonly("interrupted", &Outcome::interrupted)
      .def_property_readonly("seeds", [](const Outcome& o) { return o.options.seeds; })
      .def("json", json_of)
      .def("table", [](const Outcome& o) { return comparison_table(o.runs, o.options, o.lacking); })
      .def("markup",
           [](const Outcome& o, bool latex, const std::string& columns) {
             ComparisonOptions options = o.options;
             if (!columns.empty()) options.columns = parse_table_columns(columns);
             return comparison_markup(o.runs, options, latex ? Markup::latex : Markup::markdown,
                                      o.notes, o.lacking);
           })
      .def("page", [](const Outcome& o, const std::string& title) {
        return html_page(PageKind::comparison, title, json_of(o));
      });
  module.def("units", units, "Units of figures, by their names.");
}

py::object outcome_object(Outcome outcome) {
  return py::cast(std::make_shared<Outcome>(std::move(outcome)));
}

}  // namespace trainyard::python
