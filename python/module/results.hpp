// The classes Outcome, Run and Model of the module: figures, curves and models as NumPy's arrays.
//
// Threads: with the interpreter's lock.
#pragma once

#include <memory>

#include <pybind11/pybind11.h>

#include "module/training.hpp"

namespace trainyard::python {

void define_results(py::module_& module);

/// The outcome as an object of the class Outcome.
py::object outcome_object(Outcome outcome);

}  // namespace trainyard::python
