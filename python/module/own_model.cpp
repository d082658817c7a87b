#include "module/own_model.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <pybind11/numpy.h>

#include "trainyard/base/error.hpp"
#include "trainyard/model/add_model.hpp"
#include "trainyard/model/kernels.hpp"

#include "model/batch_rows.hpp"
#include "module/beside.hpp"
#include "module/own_rank.hpp"
#include "module/python_stack.hpp"

namespace trainyard::python {

namespace {

/// What model_of() was given. It stays for good: runs that were made keep models of it.
struct AskedModel {
  std::string name, summary;
  bool real_labels = false;
  py::object loss;        // (parameters, X, y) → (mean loss, its gradient)
  py::object parameters;  // (features, classes) → how many
  py::object initial;     // (count, seed) → where training begins; None: zeros
  py::object scores;      // (parameters, X) → outputs of each row; None: it predicts nothing
};

/// float32 [rows, features], or SciPy's CSR of it; copies, so that whoever keeps them may.
py::object rows_of(Batch batch) {
  const Dataset& data = *batch.front().data;
  const std::size_t rows = row_count(batch);
  if (!data.sparse) {
    py::array_t<float> made({rows, data.features});
    float* into = made.mutable_data();
    for (const RowRange& range : batch) {
      const std::span<const float> some = dense_rows(range);
      into = std::copy(some.begin(), some.end(), into);
    }
    return made;
  }
  std::vector<float> values;
  std::vector<std::int64_t> columns, begins{0};
  for (const RowRange& range : batch) {
    for (std::size_t r = range.first; r < range.first + range.count; ++r) {
      const auto row = range.data->sparse_row(r);
      values.insert(values.end(), row.values.begin(), row.values.end());
      columns.insert(columns.end(), row.columns.begin(), row.columns.end());
      begins.push_back(static_cast<std::int64_t>(columns.size()));
    }
  }
  const auto array = [](const auto& numbers) {
    using Number = typename std::decay_t<decltype(numbers)>::value_type;
    return py::array_t<Number>(static_cast<py::ssize_t>(numbers.size()), numbers.data());
  };
  return py::module_::import("scipy.sparse")
      .attr("csr_matrix")(py::make_tuple(array(values), array(columns), array(begins)),
                          py::arg("shape") = py::make_tuple(rows, data.features));
}

/// int32 classes, or float32 numbers.
py::object labels_of_rows(Batch batch) {
  const auto filled = [&](auto made, const auto& from) {
    auto* into = made.mutable_data();
    for (const RowRange& range : batch) {
      const auto* const first = from(*range.data) + range.first;
      into = std::copy(first, first + range.count, into);
    }
    return py::object(std::move(made));
  };
  const auto rows = static_cast<py::ssize_t>(row_count(batch));
  if (!batch.front().data->targets.empty()) {
    return filled(py::array_t<float>(rows),
                  [](const Dataset& data) { return data.targets.data(); });
  }
  return filled(py::array_t<Label>(rows), [](const Dataset& data) { return data.labels.data(); });
}

class OwnPythonModel final : public Model {
 public:
  OwnPythonModel(const AskedModel& asked, const Penalties& penalties, const Dataset& train)
      : asked_(asked),
        penalties_(penalties),
        outputs_(train.classes > 2 ? static_cast<std::size_t>(train.classes) : 1) {
    with_python([&] {
      const py::object count = asked.parameters(train.features, train.classes);
      try {
        dimension_ = py::int_(count.attr("__index__")()).cast<std::size_t>();
      } catch (const std::exception&) {
        dimension_ = 0;
      }
      if (dimension_ > 0) return;
      throw UsageError(
          fmt::format("model '{}': its `parameters` gave {}; expected a whole number, 1 or more",
                      asked.name, py::repr(count).cast<std::string>()));
    });
  }

  std::size_t dimension() const override { return dimension_; }

  void initialize(Vector parameters, std::uint64_t seed) const override {
    kernels::set_to_zero(parameters);
    with_python([&] {
      if (asked_.initial.is_none()) return;
      set_vector(parameters, asked_.initial(dimension_, seed), "starting point");
    });
  }

  void gradient(ConstVector parameters, Batch batch, Vector gradient,
                Workspace& /*workspace*/) const override {
    with_python([&] { set_vector(gradient, called(parameters, batch)[1], "gradient"); });
    if (penalties_.l2 != 0.0) kernels::axpy(penalties_.l2, parameters, gradient);
  }

  Tally evaluate(ConstVector parameters, Batch batch, Workspace& workspace) const override {
    Tally tally;
    for (const RowRange& range : batch) count_rows(range, tally);
    with_python([&] {
      const double mean = py::float_(called(parameters, batch)[0]).cast<double>();
      tally.loss_sum = mean * static_cast<double>(tally.rows);
    });
    if (!asked_.scores.is_none() && batch.front().data->targets.empty()) {
      tally.correct = hits(parameters, batch, workspace);
    }
    return tally;
  }

  std::size_t outputs() const override { return asked_.scores.is_none() ? 0 : outputs_; }

  void scores(ConstVector parameters, Batch batch, std::span<float> scores,
              Workspace& /*workspace*/) const override {
    with_python([&] {
      const auto made = py::array_t<float, py::array::c_style | py::array::forcecast>::ensure(
          asked_.scores(array_to_read(parameters), rows_of(batch)));
      if (!made) throw py::error_already_set();
      if (static_cast<std::size_t>(made.size()) != scores.size()) {
        throw UsageError(
            fmt::format("model '{}': its `scores` gave {} numbers for {} rows; expected {}",
                        asked_.name, made.size(), row_count(batch), scores.size()));
      }
      std::copy(made.data(), made.data() + made.size(), scores.begin());
    });
  }

  double penalty(ConstVector parameters) const override {
    return penalty_of(penalties_, parameters.floats());
  }
  AbsolutePenalty absolute_penalty() const override {
    return absolute_penalty_of(penalties_, {{0, dimension_}});
  }

 private:
  /// (mean loss, gradient). With the interpreter's lock.
  py::tuple called(ConstVector parameters, Batch batch) const {
    py::object made = asked_.loss(array_to_read(parameters), rows_of(batch), labels_of_rows(batch));
    if (py::isinstance<py::tuple>(made) && py::len(made) == 2) return made;
    throw UsageError(
        fmt::format("model '{}' gave {}; expected (loss, gradient), both means over the rows",
                    asked_.name, py::str(py::type::of(made).attr("__name__")).cast<std::string>()));
  }

  double hits(ConstVector parameters, Batch batch, Workspace& workspace) const {
    const std::size_t rows = row_count(batch);
    const std::span<float> said = workspace.floats(0, rows * outputs_);
    scores(parameters, batch, said, workspace);
    const float* row = said.data();
    std::size_t right = 0;
    for (const RowRange& range : batch) {
      for (const Label label : labels_of(range)) {
        const auto most =
            outputs_ == 1 ? (row[0] > 0.0F ? 1 : 0) : std::max_element(row, row + outputs_) - row;
        right += most == label ? 1 : 0;
        row += outputs_;
      }
    }
    return static_cast<double>(right);
  }

  const AskedModel& asked_;
  Penalties penalties_;
  std::size_t outputs_, dimension_ = 0;
};

std::unique_ptr<Model> made(const AskedModel& asked, const Penalties& penalties,
                            const Dataset& train) {
  if (!train.weights.empty()) {
    throw OptionError("model", asked.name,
                      "a model in Python takes rows that count alike, and these have weights");
  }
  return std::make_unique<OwnPythonModel>(asked, penalties, train);
}

void add_own_model(const AskedModel& asked) {
  const Beside nobody_else(py::none{});
  // Not deleted: models that runs keep call it.
  const auto* const kept = new AskedModel(asked);  // NOLINT(cppcoreguidelines-owning-memory)
  add_model({.name = asked.name,
             .summary = asked.summary,
             .real_labels = asked.real_labels,
             .no_intercept = "it has what its program says",
             .make = [kept](const Penalties& penalties, const Dataset& train) {
               return made(*kept, penalties, train);
             }});
}

}  // namespace

void define_own_models(py::module_& module) {
  py::class_<AskedModel>(module, "AskedModel")
      .def(py::init<>())
      .def_readwrite("name", &AskedModel::name)
      .def_readwrite("summary", &AskedModel::summary)
      .def_readwrite("real_labels", &AskedModel::real_labels)
      .def_readwrite("loss", &AskedModel::loss)
      .def_readwrite("parameters", &AskedModel::parameters)
      .def_readwrite("initial", &AskedModel::initial)
      .def_readwrite("scores", &AskedModel::scores);
  module.def("add_model", add_own_model);
}

}  // namespace trainyard::python
