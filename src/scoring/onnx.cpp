// From the file's columns to probabilities, in ONNX's operators:
//
//   numbers   x → Where(IsNaN(x), filling, x)
//   words     x → LabelEncoder (what is missing becomes the most frequent word) → OneHotEncoder
//   all       Concat → (x − subtracted) · 1/divided_by → a row's length, for unit rows
//   layers    Gemm, Relu, … ; the weight of an intercept is Gemm's bias
//   classes   Sigmoid or Softmax → ArgMax → the class's name
//
// Numbers of a table are float64 until their means are subtracted: a float has no digits left for
// columns like times in seconds.
#include "trainyard/scoring/onnx.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "trainyard/base/echoed.hpp"
#include "trainyard/base/error.hpp"
#include "trainyard/base/version.hpp"

#include "scoring/onnx_graph.hpp"

namespace trainyard {

namespace {

using Name = OnnxGraph::Name;

std::int64_t signed_size(std::size_t size) {
  return static_cast<std::int64_t>(size);
}

/// The outputs' names, which no input may have.
const std::array<std::string_view, 3> output_names{"class", "probabilities", "value"};

/// Begins no column's name.
std::string unused_prefix(const Preparation& rows) {
  std::string prefix = "trainyard/";
  const auto is_used = [&](const TableColumn& column) { return column.name.starts_with(prefix); };
  while (rows.schema != nullptr && std::ranges::any_of(rows.schema->columns, is_used)) {
    prefix += '/';
  }
  return prefix;
}

class Exporter {
 public:
  explicit Exporter(const TrainedModel& trained)
      : trained_(&trained), rows_(&trained.preparation), graph_(unused_prefix(*rows_)) {}

  OnnxModel model() {
    std::string bytes = graph();
    return {.bytes = std::move(bytes), .remarks = std::move(remarks_)};
  }

 private:
  std::string graph() {
    Name x = rows_->schema != nullptr ? table() : features();
    x = scaled(std::move(x));
    const Name scores = layers(std::move(x));
    if (trained_->name == "least-squares") {
      graph_.add("Identity", {scores}, {}, "value");
      graph_.output("value", OnnxType::float32, 1);
    } else {
      classes(scores);
    }
    return graph_.model(version());
  }

  /// The column's, unless an output or another column has it, or it is empty or no UTF-8.
  Name input_name(const TableColumn& column) {
    const bool has_name = !column.name.empty() && is_utf8(column.name);
    Name name = has_name ? column.name : fmt::format("column {}", column.column);
    const auto is_taken = [&] {
      return std::ranges::count(output_names, name) > 0 ||
             std::ranges::any_of(rows_->schema->columns, [&](const TableColumn& other) {
               return &other != &column && other.name == name;
             });
    };
    while (is_taken()) name += '_';
    if (name != column.name) {
      remarks_.push_back(fmt::format("note: column {} is the input {}",
                                     has_name ? echoed(column.name) : fmt::to_string(column.column),
                                     echoed(name)));
    }
    return name;
  }

  /// float32, times what the reader multiplies by.
  Name features() {
    const Name x = graph_.input("features", OnnxType::float32, rows_->features);
    if (rows_->value_scale == 1.0) return as_double(x);
    return as_double(graph_.add("Mul", {x, scalar(static_cast<float>(rows_->value_scale))}));
  }

  Name as_double(const Name& x) { return cast(x, OnnxType::float64); }

  Name cast(const Name& x, OnnxType type) {
    return graph_.add("Cast", {x}, {OnnxGraph::attribute("to", static_cast<std::int64_t>(type))});
  }

  Name scalar(float value) { return graph_.constant(std::span(&value, 1), {1}); }
  Name scalar(double value) { return graph_.constant(std::span(&value, 1), {1}); }

  Name table() {
    std::vector<Name> parts;
    for (const TableColumn& column : rows_->schema->columns) {
      if (column.kind == ColumnKind::hashed) refuse_hashed(column);
      parts.push_back(column.kind == ColumnKind::words ? words(column) : numbers(column));
    }
    return graph_.add("Concat", parts, {OnnxGraph::attribute("axis", std::int64_t{1})});
  }

  [[noreturn]] static void refuse_hashed(const TableColumn& column) {
    throw UsageError(fmt::format(
        "the words of column {} are hashed, which ONNX has no operator for; expected columns of "
        "numbers, words and dates",
        echoed(column.name)));
  }

  /// A date is a number too: of days since 1970-01-01.
  Name numbers(const TableColumn& column) {
    Name x = graph_.input(input_name(column), OnnxType::float64, 1);
    if (column.kind == ColumnKind::dates) {
      x = graph_.add("Sub", {x, scalar(column.first_day)});
    }
    if (rows_->filling.empty()) return x;
    return graph_.add("Where", {graph_.add("IsNaN", {x}), scalar(rows_->filling[column.first]), x});
  }

  /// A word that training did not see has no place among the encoder's, and so zeros.
  Name words(const TableColumn& column) {
    Name x = graph_.input(input_name(column), OnnxType::string, 1);
    if (!rows_->filling.empty()) {
      const auto first = rows_->filling.begin() + static_cast<std::ptrdiff_t>(column.first);
      const auto most_frequent = static_cast<std::size_t>(
          std::max_element(first, first + signed_size(column.features())) - first);
      std::vector<std::string> keys = column.categories, values = column.categories;
      keys.emplace_back();
      values.push_back(column.categories[most_frequent]);
      x = graph_.add("ml.LabelEncoder", {x},
                     {OnnxGraph::attribute("keys_strings", keys),
                      OnnxGraph::attribute("values_strings", values),
                      OnnxGraph::attribute("default_string", std::string_view("\x01"))});
    }
    const Name one_hot = graph_.add("ml.OneHotEncoder", {x},
                                    {OnnxGraph::attribute("cats_strings", column.categories),
                                     OnnxGraph::attribute("zeros", std::int64_t{1})});
    const std::vector<std::int64_t> shape{-1, signed_size(column.features())};
    return as_double(graph_.add("Reshape", {one_hot, graph_.constant(shape)}));
  }

  /// float64 in, float32 out.
  Name scaled(Name x) {
    const FeatureTransform& transform = rows_->transform;
    if (!transform.empty()) {
      std::vector<double> factors;
      for (const double divisor : transform.divided_by) {
        factors.push_back(divisor == 0.0 ? 0.0 : 1.0 / divisor);
      }
      const OnnxGraph::Shape shape{1, signed_size(factors.size())};
      x = graph_.add("Sub", {x, graph_.constant(transform.subtracted, shape)});
      x = graph_.add("Mul", {x, graph_.constant(factors, shape)});
    }
    x = cast(x, OnnxType::float32);
    if (rows_->scaling != FeatureScaling::unit_rows) return x;
    // A row of zeros stays one.
    const Name length =
        graph_.add("ReduceL2", {x}, {OnnxGraph::attribute("axes", OnnxGraph::Shape{1})});
    return graph_.add("Div", {x, graph_.add("Max", {length, scalar(1e-30F)})});
  }

  /// The model's parameters, layer by layer (docs/results.md).
  Name layers(Name x) {
    std::span<const float> left = trained_->parameters.view().floats();
    const bool is_network = trained_->model->layered() != nullptr;
    if (!is_network) return linear(x, left, trained_->model->outputs());
    const auto tensors = trained_->model->tensors();
    for (std::size_t t = 0; t + 1 < tensors.size(); t += 2) {
      const TensorShape& shape = tensors[t];
      const Name weights = graph_.constant(left.first(shape.rows * shape.columns),
                                           {signed_size(shape.rows), signed_size(shape.columns)});
      left = left.subspan(shape.rows * shape.columns);
      const Name biases = graph_.constant(left.first(shape.columns), {signed_size(shape.columns)});
      left = left.subspan(shape.columns);
      x = graph_.add("Gemm", {x, weights, biases});
      if (t + 2 < tensors.size()) x = graph_.add("Relu", {x});
    }
    return x;
  }

  Name linear(const Name& x, std::span<const float> w, std::size_t outputs) {
    const std::size_t features = rows_->features;
    const Name weights =
        graph_.constant(w.first(features * outputs), {signed_size(features), signed_size(outputs)});
    if (!rows_->intercept) return graph_.add("MatMul", {x, weights});
    const Name biases =
        graph_.constant(w.subspan(features * outputs, outputs), {signed_size(outputs)});
    return graph_.add("Gemm", {x, weights, biases});
  }

  void classes(const Name& scores) {
    const std::string probabilities = "probabilities";
    const bool one_score = trained_->model->outputs() == 1;
    if (one_score) {
      const Name of_one = graph_.add("Sigmoid", {scores});
      const Name of_zero = graph_.add("Sigmoid", {graph_.add("Neg", {scores})});
      graph_.add("Concat", {of_zero, of_one}, {OnnxGraph::attribute("axis", std::int64_t{1})},
                 probabilities);
    } else {
      graph_.add("Softmax", {scores}, {OnnxGraph::attribute("axis", std::int64_t{1})},
                 probabilities);
    }
    // By the scores, of which two may give one rounded probability. Of equal ones the first counts.
    const Name compared = one_score ? graph_.add("Concat", {graph_.add("Neg", {scores}), scores},
                                                 {OnnxGraph::attribute("axis", std::int64_t{1})})
                                    : scores;
    const Name place = graph_.add("ArgMax", {compared},
                                  {OnnxGraph::attribute("axis", std::int64_t{1}),
                                   OnnxGraph::attribute("keepdims", std::int64_t{0})});
    name_classes(place);
    graph_.output(probabilities, OnnxType::float32, static_cast<std::size_t>(rows_->classes));
  }

  /// The class as files write it.
  void name_classes(const Name& place) {
    OnnxGraph::Shape places;
    for (int k = 0; k < rows_->classes; ++k) places.push_back(k);
    const auto keys = OnnxGraph::attribute("keys_int64s", places);
    if (has_word_classes(*rows_)) {
      graph_.add("ml.LabelEncoder", {place},
                 {keys, OnnxGraph::attribute("values_strings", rows_->schema->class_names)},
                 "class");
      graph_.output("class", OnnxType::string, 0);
      return;
    }
    OnnxGraph::Shape labels;
    for (const std::string& text : class_texts(*rows_)) labels.push_back(std::stoll(text));
    graph_.add("Gather", {graph_.constant(labels), place}, {}, "class");
    graph_.output("class", OnnxType::int64, 0);
  }

  const TrainedModel* trained_;
  const Preparation* rows_;
  OnnxGraph graph_;
  std::vector<std::string> remarks_;
};

}  // namespace

OnnxModel onnx_model(const TrainedModel& trained) {
  if (trained.model->outputs() == 0) {
    throw UsageError(
        fmt::format("model '{}' is a function to be minimised: it predicts nothing", trained.name));
  }
  return Exporter(trained).model();
}

}  // namespace trainyard
