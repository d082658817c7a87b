#include "module/errors.hpp"

#include <exception>
#include <string>

#include <pybind11/pybind11.h>

#include "trainyard/base/error.hpp"

namespace trainyard::python {

namespace py = pybind11;

namespace {

/// Raises trainyard.errors.NAME(message, **members).
void raise_as(const char* name, const char* message, const py::dict& members = {}) {
  const py::object type = py::module_::import("trainyard.errors").attr(name);
  const py::object error = type(py::str(message), **members);
  PyErr_SetObject(type.ptr(), error.ptr());
}

void raise_option_error(const OptionError& error) {
  py::dict members;
  members["option"] = error.option();
  if (!error.found().empty()) members["found"] = error.found();
  members["accepted"] = error.explanation();
  raise_as("UsageError", error.what(), members);
}

void translate(std::exception_ptr thrown) {
  if (thrown == nullptr) return;
  try {
    std::rethrow_exception(thrown);
  } catch (const OptionError& error) {
    raise_option_error(error);
  } catch (const UsageError& error) {
    raise_as("UsageError", error.what());
  } catch (const DataError& error) {
    raise_as("DataError", error.what());
  } catch (const RunError& error) {
    raise_as("RunError", error.what());
  } catch (const Interrupted&) {
    PyErr_SetNone(PyExc_KeyboardInterrupt);
  } catch (const InternalError& error) {
    raise_as("InternalError", error.what());
  }
}

}  // namespace

void translate_errors() {
  py::register_exception_translator(translate);
}

}  // namespace trainyard::python
