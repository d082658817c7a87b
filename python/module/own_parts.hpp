// Topologies and codecs that are written in Python.
//
// Threads: as own_model.hpp.
#pragma once

#include <pybind11/pybind11.h>

namespace trainyard::python {

void define_own_parts(pybind11::module_& module);

}  // namespace trainyard::python
