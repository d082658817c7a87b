#include "scoring/onnx_graph.hpp"

#include <bit>
#include <utility>

#include <fmt/format.h>

namespace trainyard {

namespace {

// Field numbers of onnx.proto3.
namespace model_field {
constexpr unsigned ir_version = 1, producer_name = 2, producer_version = 3, graph = 7,
                   opset_import = 8;
}
namespace graph_field {
constexpr unsigned node = 1, name = 2, initializer = 5, input = 11, output = 12;
}
namespace node_field {
constexpr unsigned input = 1, output = 2, op_type = 4, attribute = 5, domain = 7;
}
namespace attribute_field {
constexpr unsigned name = 1, i = 3, s = 4, ints = 8, strings = 9, type = 20;
}
namespace tensor_field {
constexpr unsigned dims = 1, data_type = 2, name = 8, raw_data = 9;
}

enum class AttributeType : unsigned { i = 2, s = 3, ints = 7, strings = 8 };

constexpr std::string_view ml = "ml.";
constexpr std::string_view ml_domain = "ai.onnx.ml";
constexpr std::uint64_t ir_version = 8, opset = 13, ml_opset = 2;

static_assert(std::endian::native == std::endian::little, "raw_data is little-endian");

template <typename T>
std::string_view bytes_of(std::span<const T> values) {
  return {reinterpret_cast<const char*>(values.data()), values.size_bytes()};
}

ProtobufMessage named_attribute(std::string_view name, AttributeType type) {
  ProtobufMessage attribute;
  attribute.text(attribute_field::name, name);
  attribute.number(attribute_field::type, static_cast<std::uint64_t>(type));
  return attribute;
}

}  // namespace

ProtobufMessage OnnxGraph::value_info(const Name& name, OnnxType type, std::size_t columns) {
  ProtobufMessage shape;
  shape.message(1, ProtobufMessage().text(2, "rows"));  // dim_param
  if (columns > 0) shape.message(1, ProtobufMessage().number(1, columns));
  ProtobufMessage tensor;
  tensor.number(1, static_cast<std::uint64_t>(type)).message(2, shape);
  return ProtobufMessage().text(1, name).message(2, ProtobufMessage().message(1, tensor));
}

OnnxGraph::Name OnnxGraph::input(const Name& name, OnnxType type, std::size_t columns) {
  graph_.message(graph_field::input, value_info(name, type, columns));
  return name;
}

void OnnxGraph::output(const Name& name, OnnxType type, std::size_t columns) {
  graph_.message(graph_field::output, value_info(name, type, columns));
}

OnnxGraph::Name OnnxGraph::constant(OnnxType type, std::string_view bytes, const Shape& shape) {
  Name name = fmt::format("{}c{}", prefix_, names_++);
  ProtobufMessage tensor;
  for (const std::int64_t size : shape) {
    tensor.number(tensor_field::dims, static_cast<std::uint64_t>(size));
  }
  tensor.number(tensor_field::data_type, static_cast<std::uint64_t>(type))
      .text(tensor_field::name, name)
      .text(tensor_field::raw_data, bytes);
  graph_.message(graph_field::initializer, tensor);
  return name;
}

OnnxGraph::Name OnnxGraph::constant(std::span<const float> values, const Shape& shape) {
  return constant(OnnxType::float32, bytes_of(values), shape);
}
OnnxGraph::Name OnnxGraph::constant(std::span<const double> values, const Shape& shape) {
  return constant(OnnxType::float64, bytes_of(values), shape);
}
OnnxGraph::Name OnnxGraph::constant(std::span<const std::int64_t> values) {
  return constant(OnnxType::int64, bytes_of(values), {static_cast<std::int64_t>(values.size())});
}

ProtobufMessage OnnxGraph::attribute(std::string_view name, std::int64_t value) {
  return named_attribute(name, AttributeType::i)
      .number(attribute_field::i, static_cast<std::uint64_t>(value));
}
ProtobufMessage OnnxGraph::attribute(std::string_view name, std::string_view value) {
  return named_attribute(name, AttributeType::s).text(attribute_field::s, value);
}
ProtobufMessage OnnxGraph::attribute(std::string_view name,
                                     const std::vector<std::string>& values) {
  ProtobufMessage made = named_attribute(name, AttributeType::strings);
  for (const std::string& value : values) made.text(attribute_field::strings, value);
  return made;
}
ProtobufMessage OnnxGraph::attribute(std::string_view name, const Shape& values) {
  ProtobufMessage made = named_attribute(name, AttributeType::ints);
  for (const std::int64_t value : values) {
    made.number(attribute_field::ints, static_cast<std::uint64_t>(value));
  }
  return made;
}

OnnxGraph::Name OnnxGraph::add(std::string_view op, const std::vector<Name>& inputs,
                               const std::vector<ProtobufMessage>& attributes, Name result) {
  if (result.empty()) result = fmt::format("{}v{}", prefix_, names_++);
  ProtobufMessage node;
  for (const Name& input : inputs) node.text(node_field::input, input);
  node.text(node_field::output, result);
  const bool of_ml = op.starts_with(ml);
  node.text(node_field::op_type, of_ml ? op.substr(ml.size()) : op);
  for (const ProtobufMessage& attribute : attributes) {
    node.message(node_field::attribute, attribute);
  }
  if (of_ml) node.text(node_field::domain, ml_domain);
  graph_.message(graph_field::node, node);
  return result;
}

std::string OnnxGraph::model(std::string_view producer_version) const {
  ProtobufMessage graph = graph_;
  graph.text(graph_field::name, "trainyard");
  ProtobufMessage model;
  model.number(model_field::ir_version, ir_version)
      .text(model_field::producer_name, "trainyard")
      .text(model_field::producer_version, producer_version)
      .message(model_field::graph, graph)
      .message(model_field::opset_import, ProtobufMessage().text(1, "").number(2, opset))
      .message(model_field::opset_import, ProtobufMessage().text(1, ml_domain).number(2, ml_opset));
  return model.bytes();
}

}  // namespace trainyard
