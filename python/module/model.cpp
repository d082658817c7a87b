#include "module/model.hpp"

#include <memory>
#include <utility>

#include <pybind11/stl.h>

#include "trainyard/base/error.hpp"
#include "trainyard/model/model.hpp"
#include "trainyard/scoring/score.hpp"
#include "trainyard/scoring/trained_model.hpp"

namespace trainyard::python {

namespace {

/// Of its parameters. Throws DataError where they are another model's.
std::unique_ptr<Model> model_of(const KeptModel& kept) {
  auto model = model_for(kept.name, kept.preparation);
  if (model->dimension() != kept.parameters.size() || model->scalar() != kept.parameters.scalar()) {
    throw DataError("the parameters are not those of this model");
  }
  return model;
}

/// As training rows were made of theirs.
Dataset prepared_rows(const ArraySet& set, const Preparation& preparation) {
  Dataset rows = rows_without_labels(set, preparation.features);
  rows.classes = preparation.classes;
  if (rows.classes < 2) rows.targets = AlignedBuffer<float>::zeroed(rows.rows);
  if (rows.sparse != preparation.sparse) {
    throw DataError(preparation.sparse ? "X is dense, and the model was trained on sparse rows"
                                       : "X is sparse, and the model was trained on dense rows");
  }
  if (preparation.scaling != FeatureScaling::none) {  // which writes where they lie
    rows.dense = AlignedBuffer<float>::copy_of(rows.dense.span());
    rows.values = AlignedBuffer<float>::copy_of(rows.values.span());
    apply_scaling(preparation.scaling, preparation.transform, rows);
  }
  if (preparation.intercept) append_intercept(rows);
  return rows;
}

template <typename T>
py::array_t<T> array_of(const std::vector<T>& values) {
  return py::array_t<T>(static_cast<py::ssize_t>(values.size()), values.data());
}

/// (labels, probabilities, values), None where the model has none of them.
py::tuple predict(const KeptModel& kept, const ArraySet& set) {
  const std::unique_ptr<Model> model = model_of(kept);
  Predictions said;
  {
    const py::gil_scoped_release released;
    const Dataset rows = prepared_rows(set, kept.preparation);
    said = predictions(*model, kept.name, kept.parameters.view(), rows);
  }
  py::object labels = py::none(), probabilities = py::none(), values = py::none();
  if (!said.labels.empty()) labels = array_of(said.labels);
  if (!said.probabilities.empty()) {
    probabilities = array_of(said.probabilities)
                        .attr("reshape")(said.rows, said.probabilities.size() / said.rows);
  }
  if (!said.values.empty()) values = array_of(said.values);
  return py::make_tuple(labels, probabilities, values);
}

py::tuple state_of(const KeptModel& kept) {
  const auto bytes = kept.parameters.view().bytes();
  return py::make_tuple(kept.name, preparation_json(kept.preparation),
                        kept.parameters.scalar() == Scalar::float64,
                        py::bytes(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

KeptModel from_state(const py::tuple& state) {
  if (state.size() != 4) throw DataError("this is no pickled model");
  const Scalar scalar = state[2].cast<bool>() ? Scalar::float64 : Scalar::float32;
  const auto bytes = state[3].cast<std::string>();
  KeptModel kept{.name = state[0].cast<std::string>(),
                 .preparation = parse_preparation(state[1].cast<std::string>(), "pickle"),
                 .parameters = VectorBuffer(scalar, bytes.size() / bytes_of(scalar))};
  if (kept.parameters.view().bytes().size() != bytes.size()) {
    throw DataError("this is no pickled model");
  }
  std::memcpy(kept.parameters.view().data(), bytes.data(), bytes.size());
  (void)model_of(kept);
  return kept;
}

py::array parameters_of(const KeptModel& kept) {
  const ConstVector view = kept.parameters.view();
  const bool is_double = view.scalar() == Scalar::float64;
  return py::array(is_double ? py::dtype::of<double>() : py::dtype::of<float>(),
                   {static_cast<py::ssize_t>(view.size())}, {}, view.data());
}

}  // namespace

void define_model(py::module_& module) {
  py::class_<KeptModel>(module, "Model")
      .def_property_readonly("name", [](const KeptModel& kept) { return kept.name; })
      .def_property_readonly("features",
                             [](const KeptModel& kept) { return kept.preparation.features; })
      .def_property_readonly("feature_names",
                             [](const KeptModel& kept) { return feature_names(kept.preparation); })
      .def_property_readonly("parameters", parameters_of)
      .def("predict", predict)
      .def(py::pickle(&state_of, &from_state));
}

}  // namespace trainyard::python
