// The library's arithmetic on vectors, for programs in Python that are to have its bits.
//
// Threads: with the interpreter's lock.
#pragma once

#include <pybind11/pybind11.h>

namespace trainyard::python {

void define_arithmetic(pybind11::module_& module);

}  // namespace trainyard::python
