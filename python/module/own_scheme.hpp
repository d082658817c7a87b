// Schemes that are written in Python: a generator, or a coroutine, each of whose waits the library
// does for it.
//
// Threads: definition with the interpreter's lock; the programs run on the ranks' threads or
// fibers.
#pragma once

#include <pybind11/pybind11.h>

namespace trainyard::python {

void define_own_schemes(pybind11::module_& module);

}  // namespace trainyard::python
