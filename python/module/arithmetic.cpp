#include "module/arithmetic.hpp"

#include <fmt/format.h>
#include <pybind11/numpy.h>

#include "trainyard/base/error.hpp"
#include "trainyard/model/kernels.hpp"

#include "module/own_rank.hpp"

namespace trainyard::python {

namespace {

bool is_double(const py::object& values) {
  return py::isinstance<py::array>(values) &&
         values.cast<py::array>().itemsize() == sizeof(double) &&
         values.cast<py::array>().dtype().kind() == 'f';
}

py::object axpy(double a, const py::object& x, const py::object& y) {
  const Scalar scalar = is_double(x) || is_double(y) ? Scalar::float64 : Scalar::float32;
  const VectorBuffer along = vector_of(x, scalar);
  VectorBuffer sum = vector_of(y, scalar);
  if (along.size() != sum.size()) {
    throw UsageError(
        fmt::format("axpy() was given vectors of {} and {} numbers", along.size(), sum.size()));
  }
  kernels::axpy(a, along.view(), sum.view());
  return array_of(std::move(sum));
}

}  // namespace

void define_arithmetic(py::module_& module) {
  module.def("axpy", axpy, py::arg("a"), py::arg("x"), py::arg("y"));
}

}  // namespace trainyard::python
