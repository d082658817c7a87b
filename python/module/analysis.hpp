// What is worked out and not trained, and what there is to choose from, as JSON: the document that
// the program prints with --json.
//
// Threads: with the interpreter's lock, which is let go of while predictions are played.
#pragma once

#include <pybind11/pybind11.h>

namespace trainyard::python {

void define_analysis(pybind11::module_& module);

}  // namespace trainyard::python
