// Models that are written in Python: loss and gradient of a minibatch as NumPy's arrays.
//
// Threads: definition with the interpreter's lock; models are called by any thread or fiber, and
// take that lock one after the other.
#pragma once

#include <pybind11/pybind11.h>

namespace trainyard::python {

void define_own_models(pybind11::module_& module);

}  // namespace trainyard::python
