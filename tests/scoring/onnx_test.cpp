// The bytes of ONNX files: decoded here field by field (onnx.proto3), and held against the model.
// That onnxruntime computes from them what `score` says is tests/app/onnx_test.py's.
#include "trainyard/scoring/onnx.hpp"

#include <cstring>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "trainyard/base/error.hpp"
#include "trainyard/data/generate.hpp"

#include "support/catch.hpp"

namespace trainyard {

namespace {

using Texts = std::vector<std::string>;

/// A message's fields: integers as numbers, texts and messages as bytes.
struct Fields {
  std::multimap<unsigned, std::uint64_t> numbers;
  std::multimap<unsigned, std::string> texts;

  std::string text(unsigned field) const {
    const auto found = texts.find(field);
    return found == texts.end() ? "" : found->second;
  }
  Texts all(unsigned field) const {
    Texts found;
    for (auto [at, end] = texts.equal_range(field); at != end; ++at) found.push_back(at->second);
    return found;
  }
  std::uint64_t number(unsigned field) const { return numbers.find(field)->second; }
};

std::uint64_t take_varint(std::string_view& bytes) {
  std::uint64_t value = 0;
  for (unsigned shift = 0;; shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
    value |= std::uint64_t{byte & 0x7FU} << shift;
    if (byte < 0x80U) return value;
  }
}

Fields decoded(std::string_view bytes) {
  Fields fields;
  while (!bytes.empty()) {
    const std::uint64_t key = take_varint(bytes);
    const auto field = static_cast<unsigned>(key >> 3U);
    if ((key & 7U) == 0) {
      fields.numbers.emplace(field, take_varint(bytes));
      continue;
    }
    REQUIRE((key & 7U) == 2);
    const std::uint64_t size = take_varint(bytes);
    REQUIRE(size <= bytes.size());
    fields.texts.emplace(field, bytes.substr(0, size));
    bytes.remove_prefix(size);
  }
  return fields;
}

Fields graph_of(const TrainedModel& trained) {
  const Fields model = decoded(onnx_model(trained).bytes);
  CHECK(model.number(1) == 8);
  CHECK(model.text(2) == "trainyard");
  return decoded(model.text(7));
}

Texts operators_of(const Fields& graph) {
  Texts operators;
  for (const std::string& node : graph.all(1)) operators.push_back(decoded(node).text(4));
  return operators;
}

Texts names_of(const Fields& graph, unsigned field) {
  Texts names;
  for (const std::string& value : graph.all(field)) names.push_back(decoded(value).text(1));
  return names;
}

/// The numbers of the graph's constants, in their order.
template <typename T>
std::vector<std::vector<T>> constants_of(const Fields& graph, unsigned type) {
  std::vector<std::vector<T>> all;
  for (const std::string& text : graph.all(5)) {
    const Fields tensor = decoded(text);
    if (tensor.number(2) != type) continue;
    const std::string raw = tensor.text(9);
    std::vector<T> values(raw.size() / sizeof(T));
    std::memcpy(values.data(), raw.data(), raw.size());
    all.push_back(values);
  }
  return all;
}

constexpr unsigned float32 = 1, int64 = 7, float64 = 11;

TrainedModel model_of(const std::string& name, const Dataset& data) {
  TrainedModel trained;
  trained.name = name;
  trained.preparation.features = data.features;
  trained.preparation.classes = data.classes;
  trained.model = make_model({.name = name}, data);
  trained.parameters = VectorBuffer(Scalar::float32, trained.model->dimension());
  float next = 0.5F;
  for (float& w : trained.parameters.view().floats()) w = next += 0.25F;
  return trained;
}

/// A column of numbers and one of words, filled and scaled; two classes, as words.
TrainedModel table_model() {
  Dataset shape = generate_dense_logistic(2, 4, 1);
  append_intercept(shape);
  TrainedModel trained = model_of("logistic", shape);
  Preparation& rows = trained.preparation;
  rows.features = 4;
  TableSchema schema;
  schema.file_columns = 3;
  schema.columns = {{.column = 0, .name = "age"},
                    {.column = 2,
                     .name = "town",
                     .first = 1,
                     .categories = {"Bonn", "Kiel", "Ulm"},
                     .kind = ColumnKind::words}};
  schema.features = 4;
  schema.class_names = {"no", "yes"};
  rows.schema = std::make_shared<const TableSchema>(schema);
  rows.filling = {30.0, 0.0, 1.0, 0.0};
  rows.scaling = FeatureScaling::standard;
  rows.transform = {{31.5, 0.25, 0.5, 0.25}, {2.0, 0.5, 0.0, 4.0}};
  rows.intercept = true;
  return trained;
}

}  // namespace

TEST_CASE("an ONNX file takes a table's columns and gives classes by name", "[scoring]") {
  const Fields graph = graph_of(table_model());
  CHECK(names_of(graph, 11) == Texts{"age", "town"});
  CHECK(names_of(graph, 12) == Texts{"class", "probabilities"});
  CHECK(operators_of(graph) == Texts{"IsNaN", "Where", "LabelEncoder", "OneHotEncoder", "Reshape",
                                     "Cast", "Concat", "Sub", "Mul", "Cast", "Gemm", "Sigmoid",
                                     "Neg", "Sigmoid", "Concat", "Neg", "Concat", "ArgMax",
                                     "LabelEncoder"});
  const auto doubles = constants_of<double>(graph, float64);
  REQUIRE(doubles.size() == 3);
  CHECK(doubles[0] == std::vector{30.0});
  CHECK(doubles[1] == std::vector{31.5, 0.25, 0.5, 0.25});
  CHECK(doubles[2] == std::vector{0.5, 2.0, 0.0, 0.25});
  const auto floats = constants_of<float>(graph, float32);
  REQUIRE(floats.size() == 2);
  CHECK(floats[0] == std::vector{0.75F, 1.0F, 1.25F, 1.5F});
  CHECK(floats[1] == std::vector{1.75F});  // the intercept's
}

TEST_CASE("an ONNX network has its layers' weights and biases", "[scoring]") {
  const Dataset data = generate_blobs(10, 3, 4, 1.0, 1);
  const TrainedModel trained = model_of("mlp:2", data);
  const Fields graph = graph_of(trained);
  CHECK(names_of(graph, 11) == Texts{"features"});
  CHECK(operators_of(graph) ==
        Texts{"Cast", "Cast", "Gemm", "Relu", "Gemm", "Softmax", "ArgMax", "Gather"});
  std::vector<float> all;
  for (const auto& part : constants_of<float>(graph, float32)) {
    all.insert(all.end(), part.begin(), part.end());
  }
  CHECK(std::ranges::equal(all, trained.parameters.view().floats()));
  CHECK(constants_of<std::int64_t>(graph, int64).back() == std::vector<std::int64_t>{0, 1, 2, 3});
}

TEST_CASE("an ONNX file of least squares gives values", "[scoring]") {
  Dataset data = generate_dense_logistic(4, 3, 1);
  data.targets = AlignedBuffer<float>::zeroed(4);
  data.classes = 1;
  TrainedModel trained = model_of("least-squares", data);
  trained.preparation.scaling = FeatureScaling::unit_rows;
  const Fields graph = graph_of(trained);
  CHECK(names_of(graph, 12) == Texts{"value"});
  CHECK(operators_of(graph) ==
        Texts{"Cast", "Cast", "ReduceL2", "Max", "Div", "MatMul", "Identity"});
}

TEST_CASE("a function to be minimised is no ONNX model", "[scoring]") {
  const Dataset data = generate_dense_logistic(4, 6, 1);
  TrainedModel trained;
  trained.name = "quadratic";
  trained.model = make_model({.name = "quadratic"}, data);
  CHECK_THROWS_AS(onnx_model(trained), UsageError);
}

TEST_CASE("an ONNX input has a name of its own", "[scoring]") {
  TrainedModel trained = table_model();
  TableSchema schema = *trained.preparation.schema;
  schema.columns[0].name = "class";
  schema.columns[1].name = "";
  trained.preparation.schema = std::make_shared<const TableSchema>(schema);
  CHECK(names_of(graph_of(trained), 11) == Texts{"class_", "column 2"});
  CHECK(onnx_model(trained).remarks == Texts{"note: column 'class' is the input 'class_'",
                                             "note: column 2 is the input 'column 2'"});
  // What is computed between has names that no column has.
  schema.columns[0].name = "trainyard/v0";
  trained.preparation.schema = std::make_shared<const TableSchema>(schema);
  for (const std::string& node : graph_of(trained).all(1)) {
    CHECK(decoded(node).text(2) != "trainyard/v0");
  }
}

}  // namespace trainyard
