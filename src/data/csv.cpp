// CSV and TSV: numbers only, no header line, no quotes, one of the columns the label. Blanks around
// a field and blank lines are passed over.
#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "trainyard/base/error.hpp"

#include "data/parse_number.hpp"
#include "data/readers.hpp"
#include "data/text_pipeline.hpp"

namespace trainyard {

namespace {

std::string_view trimmed(std::string_view field) {
  const std::size_t begin = field.find_first_not_of(' ');
  if (begin == std::string_view::npos) return field.substr(field.size());
  return field.substr(begin, field.find_last_not_of(' ') - begin + 1);
}

bool is_blank_line(std::string_view line) {
  return line.find_first_not_of(" \t") == std::string_view::npos;
}

/// What the first row shows of all others.
struct Shape {
  std::size_t line = 0;  // where the first row is; 0 when there is none
  std::size_t columns = 0;
};

Shape find_shape(std::string_view text, char separator) {
  Shape shape;
  for_each_line(text, [&](std::size_t number, std::string_view line) {
    if (is_blank_line(line)) return true;
    const auto separators = std::count(line.begin(), line.end(), separator);
    shape = {number, static_cast<std::size_t>(separators) + 1};
    return false;
  });
  return shape;
}

/// The rows of one block of text.
class SeparatedParser {
 public:
  SeparatedParser(const ReadOptions& options, Shape shape, char separator, ParsedBlock& block)
      : options_(&options), shape_(shape), separator_(separator), block_(&block) {}

  void parse(std::string_view text) {
    block_->lines = for_each_line(text, [this](std::size_t number, std::string_view line) {
      return parse_line(number, line);
    });
  }

 private:
  /// False when the line has a fault.
  bool parse_line(std::size_t number, std::string_view line) {
    if (is_blank_line(line)) return true;
    const char* line_begin = line.data();
    for (std::size_t column = 0;; ++column) {
      const std::size_t end = line.find(separator_);
      const std::string_view field = trimmed(line.substr(0, end));
      const TextPosition place{number, static_cast<std::size_t>(field.data() - line_begin) + 1};
      if (column == shape_.columns) return count_fault(place, "more");
      if (!parse_field(column, field, place)) return false;
      if (end == std::string_view::npos) {
        if (column + 1 < shape_.columns) return count_fault(place, "fewer");
        return true;
      }
      line.remove_prefix(end + 1);
    }
  }

  bool parse_field(std::size_t column, std::string_view field, TextPosition place) {
    if (column == options_->label_column) return parse_label(field, place, *block_);
    const ParsedFloat parsed = parse_float(field.data(), field.data() + field.size());
    if (parsed.fault != NumberFault::none || parsed.end != field.data() + field.size()) {
      block_->fault = {place, field_fault_text(parsed.fault, field)};
      return false;
    }
    block_->values.push_back(parsed.value * options_->scale);
    return true;
  }

  static std::string field_fault_text(NumberFault fault, std::string_view field) {
    if (field.empty()) return "found an empty field; expected a number";
    return fault_text(fault, field);
  }

  bool count_fault(TextPosition place, std::string_view more_or_fewer) {
    block_->fault = {
        place, fmt::format("found {} than {} columns; expected {} as in line {}", more_or_fewer,
                           shape_.columns, shape_.columns, shape_.line)};
    return false;
  }

  const ReadOptions* options_;
  Shape shape_;
  char separator_;
  ParsedBlock* block_;
};

void check_shape(const std::string& name, Shape shape, const ReadOptions& options) {
  if (shape.columns == 0) return;  // no row: the builder says so
  if (shape.columns == 1) {
    throw DataError(
        fmt::format("{}:{}:1: found a single column; expected a label and at least one "
                    "feature",
                    name, shape.line));
  }
  if (options.label_column >= shape.columns) {
    throw DataError(
        fmt::format("{}:{}:1: found {} columns; expected the label in column {} "
                    "(counted from 0)",
                    name, shape.line, shape.columns, options.label_column));
  }
  if (options.features != 0 && options.features != shape.columns - 1) {
    throw DataError(fmt::format("{}:{}:1: found {} columns; expected {} features and the label",
                                name, shape.line, shape.columns, options.features));
  }
}

}  // namespace

CodedDataset read_separated(NamedSource file, char separator, const ReadOptions& options) {
  TextBlocks blocks(std::move(file.bytes), file.name);
  // The first row decides before any is parsed, so that every block is held against the same count.
  const Shape shape = find_shape(blocks.peek(), separator);
  check_shape(file.name, shape, options);
  DatasetBuilder builder(file.name, options);
  parse_text(
      blocks,
      [&](std::string_view text, ParsedBlock& block) {
        SeparatedParser(options, shape, separator, block).parse(text);
      },
      builder);
  return builder.finish_dense(shape.columns - 1);
}

}  // namespace trainyard
