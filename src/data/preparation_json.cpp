#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "trainyard/base/echoed.hpp"
#include "trainyard/base/error.hpp"
#include "trainyard/base/units.hpp"
#include "trainyard/data/preparation.hpp"

namespace trainyard {

namespace {

using Json = nlohmann::ordered_json;

const std::array<std::string, 5> coding_names{"found", "plus-minus", "from-zero", "from-one",
                                              "listed"};
const std::array<std::string, 4> kind_names{"numbers", "words", "dates", "hashed"};

/// JSON is UTF-8. A text that is not, as of a file in Latin-1, is an object with a text of so many
/// characters as it has bytes.
Json json_of(const std::string& text) {
  if (is_utf8(text)) return text;
  std::string characters;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80) {
      characters += c;
    } else {
      characters += static_cast<char>(0xC0U | byte >> 6U);
      characters += static_cast<char>(0x80U | (byte & 0x3FU));
    }
  }
  return {{"latin1", characters}};
}

Json json_of(const std::vector<std::string>& texts) {
  Json array = Json::array();
  for (const std::string& text : texts) array.push_back(json_of(text));
  return array;
}

/// Throws Json::exception, or DataError, where it is none.
std::string text_of(const Json& json) {
  if (!json.is_object()) return json.get<std::string>();
  const auto characters = json.at("latin1").get<std::string>();
  std::string text;
  for (std::size_t i = 0; i < characters.size(); ++i) {
    const auto byte = static_cast<unsigned char>(characters[i]);
    const bool pair = (byte == 0xC2 || byte == 0xC3) && i + 1 < characters.size();
    const auto next = pair ? static_cast<unsigned char>(characters[++i]) : 0U;
    text +=
        pair ? static_cast<char>((byte & 0x03U) << 6U | (next & 0x3FU)) : static_cast<char>(byte);
  }
  return text;
}

Json weight_json(const TableSchema& schema) {
  if (!schema.weight_column) return nullptr;
  return {{"name", json_of(schema.weight_name)}, {"column", *schema.weight_column}};
}

Json json_of(const TableSchema& schema) {
  Json columns = Json::array();
  for (const TableColumn& column : schema.columns) {
    Json row{{"name", json_of(column.name)},
             {"column", column.column},
             {"kind", kind_names[static_cast<std::size_t>(column.kind)]}};
    if (column.kind == ColumnKind::words) row["words"] = json_of(column.categories);
    if (column.kind == ColumnKind::dates) row["first_day"] = column.first_day;
    columns.push_back(std::move(row));
  }
  return {{"columns_of_file", schema.file_columns},
          {"has_names", schema.has_names},
          {"decimal", std::string(1, schema.decimal)},
          {"hashed", schema.hashed},
          {"label", {{"name", json_of(schema.label_name)}, {"column", schema.label_column}}},
          {"weight", weight_json(schema)},
          {"columns", std::move(columns)}};
}

/// Members of an object of which each has to be there, and of its kind.
class Reader {
 public:
  Reader(const Json& object, std::string where) : object_(&object), where_(std::move(where)) {
    if (!object.is_object()) throw DataError(where_ + ": found no JSON object");
  }

  const Json& member(const char* name) const {
    const auto found = object_->find(name);
    if (found == object_->end()) {
      throw DataError(fmt::format("{}: found no member '{}'", where_, name));
    }
    return *found;
  }

  /// Throws DataError where it is of another type, or a number that does not fit.
  template <typename T>
  T value(const char* name) const {
    const Json& found = member(name);
    try {
      if constexpr (std::is_unsigned_v<T> && !std::is_same_v<T, bool>) {
        if (!found.is_number_unsigned()) throw_type(name);
      }
      if constexpr (std::is_same_v<T, std::string>) return text_of(found);
      if constexpr (std::is_same_v<T, std::vector<std::string>>) {
        std::vector<std::string> texts;
        for (const Json& text : found.get<std::vector<Json>>()) texts.push_back(text_of(text));
        return texts;
      } else {
        return found.get<T>();
      }
    } catch (const Json::exception&) {
      throw_type(name);
    }
  }

  Reader object(const char* name) const { return {member(name), where_ + "." + name}; }

  const std::string& where() const { return where_; }

 private:
  [[noreturn]] void throw_type(const char* name) const {
    throw DataError(fmt::format("{}: member '{}' is {}, which does not belong there", where_, name,
                                shortened(member(name).dump())));
  }

  const Json* object_;
  std::string where_;
};

TableColumn column_of(const Json& json, const std::string& where) {
  const Reader in(json, where);
  TableColumn column{.column = in.value<std::size_t>("column"),
                     .name = in.value<std::string>("name")};
  column.kind = static_cast<ColumnKind>(chosen(in.value<std::string>("kind"), "kind", kind_names));
  if (column.kind == ColumnKind::dates) column.first_day = in.value<double>("first_day");
  if (column.kind == ColumnKind::words) {
    column.categories = in.value<std::vector<std::string>>("words");
  }
  if (std::ranges::adjacent_find(column.categories, std::greater_equal{}) !=
      column.categories.end()) {
    throw DataError(
        fmt::format("{}: the words of column {} are not sorted", where, echoed(column.name)));
  }
  return column;
}

TableSchema schema_of(const Reader& in) {
  TableSchema schema;
  schema.file_columns = in.value<std::size_t>("columns_of_file");
  schema.has_names = in.value<bool>("has_names");
  schema.decimal = in.value<std::string>("decimal") == "," ? ',' : '.';
  const Reader label = in.object("label");
  schema.label_column = label.value<std::size_t>("column");
  schema.label_name = label.value<std::string>("name");
  if (!in.member("weight").is_null()) {
    const Reader weight = in.object("weight");
    schema.weight_column = weight.value<std::size_t>("column");
    schema.weight_name = weight.value<std::string>("name");
  }
  for (const Json& json : in.member("columns")) {
    TableColumn column = column_of(json, in.where());
    column.first = schema.features;
    schema.features += column.features();
    schema.columns.push_back(std::move(column));
  }
  schema.hashed = in.value<std::size_t>("hashed");
  schema.features += schema.hashed;
  const auto is_outside = [&](std::size_t column) { return column >= schema.file_columns; };
  if (is_outside(schema.label_column) || is_outside(schema.weight_column.value_or(0)) ||
      std::ranges::any_of(schema.columns, is_outside, &TableColumn::column)) {
    throw DataError(
        fmt::format("{}: a column is beyond the {} of the file", in.where(), schema.file_columns));
  }
  return schema;
}

/// Throws DataError unless what is there for each feature is there for each of them.
void check_sizes(const Preparation& p, const std::string& where) {
  const auto check = [&](std::size_t size, std::size_t expected, std::string_view what) {
    if (size == 0 || size == expected) return;
    throw DataError(fmt::format("{}: found {} {}; expected {}", where, size, what, expected));
  };
  check(p.filling.size(), p.features, "numbers to fill in");
  check(p.transform.subtracted.size(), p.features, "numbers to subtract");
  if (p.transform.divided_by.size() != p.transform.subtracted.size()) {
    throw DataError(
        fmt::format("{}: found {} numbers to divide by and {} to subtract; expected as many", where,
                    p.transform.divided_by.size(), p.transform.subtracted.size()));
  }
  if (p.schema == nullptr && !p.filling.empty()) {
    throw DataError(where + ": found numbers to fill in, and no table");
  }
  if (p.schema != nullptr && p.schema->features != p.features) {
    throw DataError(fmt::format("{}: found {} features of columns; expected {}", where,
                                p.schema->features, p.features));
  }
  if (p.features == 0) throw DataError(where + ": found no features");
  if (p.schema != nullptr && p.table.missing == MissingFields::mean && p.filling.empty()) {
    throw DataError(where + ": found no numbers to fill in, which --missing mean has");
  }
  const bool by_feature =
      p.scaling == FeatureScaling::standard || p.scaling == FeatureScaling::minmax;
  if (by_feature != !p.transform.empty()) {
    throw DataError(fmt::format("{}: scaling {} and {} numbers to divide by do not go together",
                                where, scaling_text(p.scaling), p.transform.divided_by.size()));
  }
  if (p.first_index > 1) throw DataError(where + ": first_index is neither 0 nor 1");
}

/// Throws DataError unless there is a table, whose classes they are, in order.
void take_class_names(const std::vector<std::string>& classes, std::optional<TableSchema>& schema,
                      const std::string& where) {
  if (!schema) throw DataError(where + ": found classes that are words, and no table");
  if (std::ranges::adjacent_find(classes, std::greater_equal{}) != classes.end()) {
    throw DataError(where + ": the classes are not in order, each of them once");
  }
  schema->class_names = classes;
}

}  // namespace

std::string preparation_json(const Preparation& p) {
  if (p.features == 0) return "null";
  Json json{
      {"file_format", format_text(p.format)},
      {"sparse", p.sparse},
      {"features", p.features},
      {"value_scale", p.value_scale},
      {"first_index", p.first_index},
      {"label_weights", p.label_weights},
      {"missing", missing_fields_text(p.table.missing)},
      {"missing_words", json_of(p.table.missing_words)},
      {"delimiter", delimiter_text(p.table.delimiter)},
      {"decimal", decimal_text(p.table.decimal)},
      {"table", p.schema == nullptr ? Json(nullptr) : json_of(*p.schema)},
      {"filling", p.filling},
      {"scaling", scaling_text(p.scaling)},
      {"subtracted", p.transform.subtracted},
      {"divided_by", p.transform.divided_by},
      {"intercept", p.intercept},
      {"feature_names", json_of(feature_names(p))},
      {"classes", json_of(class_texts(p))},
      {"label_coding", has_word_classes(p) ? std::string("words")
                                           : coding_names[static_cast<std::size_t>(p.coding)]}};
  return json.dump();
}

Preparation parse_preparation(std::string_view text, const std::string& name) {
  const Json json = Json::parse(text, nullptr, false);
  if (json.is_null()) return {};
  const Reader in(json, name);
  Preparation p;
  std::optional<TableSchema> schema;
  try {
    p.format = parse_format(in.value<std::string>("file_format"), "file_format");
    p.table.missing = parse_missing_fields(in.value<std::string>("missing"), "missing");
    p.table.missing_words = in.value<std::string>("missing_words");
    p.table.delimiter = parse_delimiter(in.value<std::string>("delimiter"), "delimiter");
    p.table.decimal = parse_decimal(in.value<std::string>("decimal"), "decimal");
    if (!in.member("table").is_null()) schema = schema_of(in.object("table"));
    p.scaling = parse_scaling(in.value<std::string>("scaling"), "scaling");
    const auto coding = in.value<std::string>("label_coding");
    const bool words = coding == "words";
    p.coding = words ? LabelCoding::from_zero
                     : static_cast<LabelCoding>(chosen(coding, "label_coding", coding_names));
    const auto classes = in.value<std::vector<std::string>>("classes");
    p.classes = classes.empty() ? 1 : static_cast<int>(classes.size());
    if (words) take_class_names(classes, schema, name);
    if (p.coding == LabelCoding::listed) {
      for (const std::string& text : classes) {
        p.class_values.push_back(
            static_cast<std::int32_t>(parse_integer(text, "classes", -1000000000, 1000000000)));
      }
    }
  } catch (const UsageError& error) {
    throw DataError(fmt::format("{}: {}", name, error.what()));
  }
  p.first_index = in.value<std::uint32_t>("first_index");
  p.label_weights = in.value<bool>("label_weights");
  p.sparse = in.value<bool>("sparse");
  p.features = in.value<std::size_t>("features");
  p.value_scale = in.value<double>("value_scale");
  p.filling = in.value<std::vector<double>>("filling");
  p.transform.subtracted = in.value<std::vector<double>>("subtracted");
  p.transform.divided_by = in.value<std::vector<double>>("divided_by");
  p.intercept = in.value<bool>("intercept");
  if (schema) p.schema = std::make_shared<const TableSchema>(std::move(*schema));
  check_sizes(p, name);
  return p;
}

}  // namespace trainyard
