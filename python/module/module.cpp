// The extension trainyard._trainyard: the library's types for the Python files beside it, which are
// what people call. Rows, settings and results pass through; what they mean is the library's.
//
// Threads: with the interpreter's lock.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "trainyard/base/version.hpp"
#include "trainyard/configuration/defaults.hpp"
#include "trainyard/configuration/options.hpp"

#include "module/advising.hpp"
#include "module/analysis.hpp"
#include "module/arithmetic.hpp"
#include "module/beside.hpp"
#include "module/errors.hpp"
#include "module/model.hpp"
#include "module/own_model.hpp"
#include "module/own_parts.hpp"
#include "module/own_scheme.hpp"
#include "module/results.hpp"
#include "module/training.hpp"

namespace trainyard::python {

namespace {

/// The table of options: [{"name", "section", "argument", "help", "fallback", "taken"}].
py::list option_table() {
  const Configuration defaults = default_configuration();
  py::list table;
  for (const Option& option : options()) {
    py::dict row;
    row["name"] = option.name;
    row["section"] = option.section;
    row["argument"] = option.argument;
    row["help"] = option.help;
    row["fallback"] = option.get(defaults);
    row["taken"] = is_taken(option);
    table.append(row);
  }
  return table;
}

void define_rows(py::module_& module) {
  py::class_<ArraySet>(module, "ArraySet")
      .def(py::init<>())
      .def_readwrite("dense", &ArraySet::dense)
      .def_readwrite("row_begin", &ArraySet::row_begin)
      .def_readwrite("columns", &ArraySet::columns)
      .def_readwrite("values", &ArraySet::values)
      .def_readwrite("features", &ArraySet::features)
      .def_readwrite("codes", &ArraySet::codes)
      .def_readwrite("numbers", &ArraySet::numbers)
      .def_readwrite("weights", &ArraySet::weights);
  py::class_<ArrayNames>(module, "ArrayNames")
      .def(py::init<>())
      .def_readwrite("classes", &ArrayNames::classes)
      .def_readwrite("class_values", &ArrayNames::class_values)
      .def_readwrite("class_names", &ArrayNames::class_names)
      .def_readwrite("features", &ArrayNames::features);
  py::class_<ArrayRows, std::shared_ptr<ArrayRows>>(module, "ArrayRows")
      .def(py::init<ArraySet, std::optional<ArraySet>, std::optional<ArraySet>, ArrayNames>())
      .def("begin_with", &ArrayRows::begin_with)
      .def_property_readonly("rows", &ArrayRows::rows);
}

void define_advice(py::module_& module) {
  py::class_<AskedAdvice>(module, "AskedAdvice")
      .def(py::init<>())
      .def_readwrite("asked", &AskedAdvice::asked)
      .def_readwrite("has_data", &AskedAdvice::has_data)
      .def_readwrite("size", &AskedAdvice::size)
      .def_readwrite("memory", &AskedAdvice::memory)
      .def_readwrite("measured", &AskedAdvice::measured)
      .def_readwrite("scheme", &AskedAdvice::scheme)
      .def_readwrite("noise_scale", &AskedAdvice::noise_scale)
      .def_readwrite("measures_noise", &AskedAdvice::measures_noise)
      .def_readwrite("shared", &AskedAdvice::shared)
      .def_readwrite("seeds", &AskedAdvice::seeds);
  module.def("advise",
             [](const AskedAdvice& asked, std::shared_ptr<ArrayRows> rows, py::object progress) {
               return advise(asked, std::move(rows), std::move(progress));
             });
}

void define_questions(py::module_& module) {
  py::class_<Asked>(module, "Asked")
      .def(py::init<>())
      .def_readwrite("settings", &Asked::settings)
      .def_readwrite("file", &Asked::file)
      .def_readwrite("has_arrays", &Asked::has_arrays);
  py::class_<AskedContestant>(module, "AskedContestant")
      .def(py::init<>())
      .def_readwrite("text", &AskedContestant::text)
      .def_readwrite("label", &AskedContestant::label)
      .def_readwrite("scheme", &AskedContestant::scheme)
      .def_readwrite("settings", &AskedContestant::settings);
  py::class_<AskedVariation>(module, "AskedVariation")
      .def(py::init<>())
      .def_readwrite("option", &AskedVariation::option)
      .def_readwrite("values", &AskedVariation::values)
      .def_readwrite("range", &AskedVariation::range);
  py::enum_<StepSizes>(module, "StepSizes")
      .value("as_given", StepSizes::as_given)
      .value("tuned_where_unsaid", StepSizes::tuned_where_unsaid)
      .value("tuned", StepSizes::tuned);
  py::class_<ComparisonOptions>(module, "ComparisonOptions")
      .def(py::init<>())
      .def_readwrite("seeds", &ComparisonOptions::seeds)
      .def_readwrite("step_sizes", &ComparisonOptions::step_sizes)
      .def_readwrite("jobs", &ComparisonOptions::jobs);
  py::class_<AskedComparison>(module, "AskedComparison")
      .def(py::init<>())
      .def_readwrite("asked", &AskedComparison::asked)
      .def_readwrite("contestants", &AskedComparison::contestants)
      .def_readwrite("variations", &AskedComparison::variations)
      .def_readwrite("options", &AskedComparison::options)
      .def_readwrite("keeps_models", &AskedComparison::keeps_models);
  module.def("compare", [](const AskedComparison& asked, std::shared_ptr<ArrayRows> rows,
                           py::object progress) {
    return outcome_object(compare(asked, std::move(rows), std::move(progress)));
  });
  module.def("run", [](const Asked& asked, std::shared_ptr<ArrayRows> rows, py::object progress) {
    return outcome_object(run(asked, std::move(rows), std::move(progress)));
  });
}

}  // namespace

}  // namespace trainyard::python

PYBIND11_MODULE(_trainyard, module) {
  using namespace trainyard::python;
  translate_errors();
  module.attr("version") = std::string(trainyard::version());
  module.def("option_table", option_table);
  define_rows(module);
  define_model(module);
  define_questions(module);
  define_advice(module);
  define_results(module);
  define_analysis(module);
  define_own_schemes(module);
  define_own_models(module);
  define_own_parts(module);
  define_arithmetic(module);
  py::module_::import("atexit").attr("register")(py::cpp_function(end_work));
}
