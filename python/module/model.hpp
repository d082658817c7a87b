// A trained model that stands alone, with what made its rows: it predicts, and is pickled.
//
// Threads: with the interpreter's lock.
#pragma once

#include <string>

#include <pybind11/pybind11.h>

#include "trainyard/base/vector.hpp"
#include "trainyard/data/preparation.hpp"

#include "module/rows.hpp"

namespace trainyard::python {

struct KeptModel {
  std::string name;  // as the option model has it
  Preparation preparation;
  VectorBuffer parameters;
};

void define_model(py::module_& module);

}  // namespace trainyard::python
