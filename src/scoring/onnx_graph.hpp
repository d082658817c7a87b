// A graph of ONNX's operators under construction (onnx.proto3, IR version 8; operators of opset 13,
// and ai.onnx.ml 2). Each operator is added with the names of what it takes, and gives back the
// name of what it makes.
//
// Threads: one at a time for one object.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "scoring/protobuf.hpp"

namespace trainyard {

/// TensorProto.DataType.
enum class OnnxType : unsigned { float32 = 1, int64 = 7, string = 8, float64 = 11 };

class OnnxGraph {
 public:
  /// `prefix`: of the names of values and constants; no name of an input or output begins with it.
  explicit OnnxGraph(std::string prefix) : prefix_(std::move(prefix)) {}

  using Name = std::string;
  using Shape = std::vector<std::int64_t>;

  /// What whoever runs it gives, and gets: rows × columns.
  Name input(const Name& name, OnnxType type, std::size_t columns);
  /// Of rows alone where `columns` is 0.
  void output(const Name& name, OnnxType type, std::size_t columns);

  Name constant(std::span<const float> values, const Shape& shape);
  Name constant(std::span<const double> values, const Shape& shape);
  Name constant(std::span<const std::int64_t> values);

  /// An attribute of an operator.
  static ProtobufMessage attribute(std::string_view name, std::int64_t value);
  static ProtobufMessage attribute(std::string_view name, std::string_view value);
  static ProtobufMessage attribute(std::string_view name, const std::vector<std::string>& values);
  static ProtobufMessage attribute(std::string_view name, const Shape& values);

  /// `result`: the name of what it makes; empty: any. An operator of ai.onnx.ml is "ml.NAME".
  Name add(std::string_view op, const std::vector<Name>& inputs,
           const std::vector<ProtobufMessage>& attributes = {}, Name result = {});

  /// The file.
  std::string model(std::string_view producer_version) const;

 private:
  Name constant(OnnxType type, std::string_view bytes, const Shape& shape);
  static ProtobufMessage value_info(const Name& name, OnnxType type, std::size_t columns);

  const std::string prefix_;
  ProtobufMessage graph_;
  int names_ = 0;
};

}  // namespace trainyard
